"""One row of Tables 2 to 4 of AgentKernelArena's paper, held against itself and against its row of Table 8."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from leaderboard.pages.papers.digits import agreeing_digits
from leaderboard.statistics.paper import SPEED_POINTS, score
from leaderboard.statistics.printed_bounds import HALF_DIGIT, RowBounds, bounds, contradicts

RUNS = 3
ROUNDING_PCT = 0.0501  # a printed percentage is rounded to one decimal
ROUNDING_SCORE = SPEED_POINTS * HALF_DIGIT + 0.05  # that of the mean speedup in points, and the score's own
QUANTILES = {0.25: "p25", 0.75: "p75", 0.9: "p90"}
FAST = (1, 2)


@dataclass(frozen=True, slots=True)
class RowCheck:
    """Counts are those that the printed percentages stand for; `of_runs` is tasks × runs."""

    category: str
    agent: str
    model: str
    tasks: int
    of_runs: int
    compiled: int
    correct: int
    fast_1: int
    fast_2: int
    is_whole: bool  # each percentage is that of a whole number
    mean: float
    sigma_r: float
    geometric: float
    printed_score: str
    score: float  # 20·compiled + 100·correct + 100·mean
    mean_of_score: float  # the mean speedup that the printed score needs
    task_std: float
    linear_faults: int  # printed quantiles that fast_p contradicts, if they are linear
    exclusive_faults: int  # the same, if they are of the exclusive kind
    bounds: RowBounds

    @property
    def name(self) -> str:
        return f"{self.agent} · {self.model}"

    @property
    def difference(self) -> float:
        return self.score - float(self.printed_score)

    @property
    def score_agrees(self) -> bool:
        return abs(self.difference) <= ROUNDING_SCORE

    @property
    def score_digits(self) -> tuple[int, int]:
        return agreeing_digits(self.printed_score, self.score)

    @property
    def sd_fits(self) -> bool:
        return self.bounds.sd_least - HALF_DIGIT <= self.task_std <= self.bounds.sd_most + HALF_DIGIT

    @property
    def geometric_fits(self) -> bool:
        return self.geometric <= self.bounds.geometric_most + HALF_DIGIT

    @property
    def is_spread_of_runs(self) -> bool:
        """Whether σr is less than the spread over tasks, from which the paper tells it apart."""
        return self.sigma_r < self.task_std

    @property
    def moved(self) -> float:
        """σr as a sum of speedups over tasks, which is how far a single task would have to move."""
        return self.sigma_r * self.tasks

    @property
    def top_share(self) -> float:
        """The least that the fastest task can be of the sum behind the mean."""
        return self.bounds.largest_least / (self.tasks * self.mean)


def check(row: Mapping[str, str], spread: Mapping[str, str], tasks: int) -> RowCheck:
    """Check a row. `spread` is the row of Table 8 for the same configuration and category."""
    of_runs = tasks * RUNS
    shares = (("compilation_rate_pct", of_runs), ("correctness_rate_pct", of_runs), ("fast_1_pct", tasks))
    found = [_whole(row[key], of) for key, of in (*shares, ("fast_2_pct", tasks))]
    compiled, correct, fast_1, fast_2 = (count for count, _ in found)
    mean, printed = float(row["mean_speedup"]), float(row["mean_score"])
    gates = score(compiled / of_runs, correct / of_runs, 0.0)
    mean_of_score = (printed - gates) / SPEED_POINTS
    quantiles = {share: float(spread[key]) for share, key in QUANTILES.items()}
    fast, sd = dict(zip(FAST, (fast_1, fast_2), strict=True)), float(spread["task_std"])
    return RowCheck(
        category=row["category"],
        agent=row["agent"],
        model=row["model"],
        tasks=tasks,
        of_runs=of_runs,
        compiled=compiled,
        correct=correct,
        fast_1=fast_1,
        fast_2=fast_2,
        is_whole=all(is_whole for _, is_whole in found),
        mean=mean,
        sigma_r=float(row["mean_speedup_sigma_r"]),
        geometric=float(row["geo_mean_speedup"]),
        printed_score=row["mean_score"],
        score=gates + SPEED_POINTS * mean,
        mean_of_score=mean_of_score,
        task_std=sd,
        linear_faults=_faults(tasks, quantiles, fast, is_exclusive=False),
        exclusive_faults=_faults(tasks, quantiles, fast, is_exclusive=True),
        bounds=bounds(tasks, mean_of_score, sd, quantiles, fast, of_runs - correct),
    )


def _whole(printed: str, of: int) -> tuple[int, bool]:
    """The whole number that a percentage stands for, and whether it is printed as that one's percentage."""
    count = round(float(printed) * of / 100)
    return count, abs(100 * count / of - float(printed)) <= ROUNDING_PCT


def _faults(tasks: int, quantiles: Mapping[float, float], fast: Mapping[int, int], *, is_exclusive: bool) -> int:
    return sum(
        any(contradicts(tasks, share, value, p, count, is_exclusive=is_exclusive) for p, count in fast.items())
        for share, value in quantiles.items()
    )
