"""Coverage of the leaderboards' confidence intervals, by simulation with known true values.

usage: python scripts/interval_coverage.py [--repeats N]    prints the table; writes static/img/interval-coverage.svg
       and interval-coverage.csv beside it. 5000 repeats take 20 s on one core; the seed is fixed.

Each scenario draws data from a known distribution, computes the interval and checks whether it contains the true value.
The target is 95 %. Two scenarios are wrong on purpose, to show why leaderboard/statistics uses other methods.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import exp, sqrt
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtrit

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from leaderboard.charts import Point, Series, Sheet  # noqa: E402
from leaderboard.charts.rows import RowChart, dots  # noqa: E402
from leaderboard.statistics import rate, wilson  # noqa: E402
from leaderboard.statistics.comparisons import paired_t, sign_flip_p  # noqa: E402
from leaderboard.statistics.intervals import repeat_interval, task_interval  # noqa: E402
from leaderboard.statistics.limits import Interval  # noqa: E402
from leaderboard.statistics.ranking import rank_intervals  # noqa: E402
from leaderboard.statistics.spread import counted_curve, order_interval  # noqa: E402

FIGURE = ROOT / "static" / "img" / "interval-coverage.svg"
SEED = 20_261_101
TASKS, RUNS, ENTRIES = 24, 3, 6
WANTED = 0.95
AXIS_FROM = 0.8  # the figure's axis ends here

Draws = np.random.Generator
Scenario = Callable[[Draws], bool]  # one repeat: does the interval contain the true value?


@dataclass(frozen=True, slots=True)
class Coverage:
    scenario: str
    shows: str
    share: float
    low: float  # interval of the share itself, from the number of repeats
    high: float
    repeats: int


def measure(repeats: int) -> list[Coverage]:
    found: list[Coverage] = []
    for name, (shows, scenario) in SCENARIOS.items():
        draws = np.random.default_rng([SEED, len(found)])
        share = sum(scenario(draws) for _ in range(repeats)) / repeats
        error = wilson(share, repeats)
        found.append(Coverage(name, shows, share, error.low, error.high, repeats))
    return found


def _rate_of_runs(agreement: float, *, is_naive: bool = False) -> Scenario:
    """A rate of tasks with different success probabilities around 0.8, such that runs of a task agree by this much."""

    def repeat(draws: Draws) -> bool:
        mean, spread = 0.8, 1 / agreement - 1 if agreement else 0.0
        chance = draws.beta(mean * spread, (1 - mean) * spread, TASKS) if agreement else np.full(TASKS, mean)
        right = draws.random((TASKS, RUNS)) < chance[:, None]
        found = rate(right.tolist(), TASKS * RUNS)
        interval = wilson(float(right.mean()), TASKS * RUNS) if is_naive else found.interval
        return _holds(interval, mean)

    return repeat


def _run_again(*, is_naive: bool = False) -> Scenario:
    """A repetition of runs on the same tasks, a few of which are much noisier than the others."""
    truth = np.linspace(0, 1, TASKS)
    noise = 0.02 * np.exp(np.linspace(-2, 6, TASKS))

    def repeat(draws: Draws) -> bool:
        values = draws.normal(truth[:, None], noise[:, None], (TASKS, RUNS))
        if not is_naive:
            return _holds(repeat_interval(values), float(truth.mean()))
        error = sqrt(float(values.var(axis=1, ddof=1).sum()) / (TASKS**2 * RUNS))
        half = float(stdtrit(TASKS * (RUNS - 1), 0.975)) * error
        return abs(float(values.mean()) - float(truth.mean())) <= half

    return repeat


def _tasks_like_these(tasks: int) -> Scenario:
    """Log speedups of tasks from a skewed population: a third gains nothing, the others log-normally."""
    truth = 2 / 3 * 0.5 * exp(0.8**2 / 2)

    def repeat(draws: Draws) -> bool:
        gains = np.where(draws.random(tasks) < 1 / 3, 0.0, 0.5 * draws.lognormal(0, 0.8, tasks))
        values = np.maximum(gains[:, None] + draws.normal(0, 0.03, (tasks, RUNS)) * (gains > 0)[:, None], 0)
        return _holds(task_interval(values), truth)

    return repeat


def _quantile(share: float) -> Scenario:
    truth = exp(float(ndtri(share)))
    return lambda draws: _holds(order_interval(draws.lognormal(0, 1, TASKS), share), truth)


def _band(draws: Draws) -> bool:
    """The distribution function at the upper quartile."""
    counts = (draws.lognormal(0, 1, TASKS) <= exp(float(ndtri(0.75)))).astype(np.int64)[:, None]
    curve = counted_curve(counts, 1, (1.0,))
    return curve.low is not None and curve.high is not None and curve.low[0] <= 0.75 <= curve.high[0]


def _paired(draws: Draws) -> bool:
    """A paired t-test of two equal entries finds no difference."""
    return bool(paired_t(draws.gamma(0.5, 1, TASKS) - draws.gamma(0.5, 1, TASKS)).p >= 1 - WANTED)


def _sign_flip(draws: Draws) -> bool:
    chance = draws.beta(2, 1, TASKS)
    steps = draws.binomial(RUNS, chance) - draws.binomial(RUNS, chance)
    return sign_flip_p([int(step) for step in steps]) >= 1 - WANTED


def _ranks(gap: float) -> Scenario:
    """The rank intervals of all entries contain the true ranks. `gap`: between neighbours; 0: all equal."""

    def repeat(draws: Draws) -> bool:
        difficulty = draws.normal(0, 0.5, TASKS)
        entries = [difficulty + gap * place + draws.normal(0, 0.3, TASKS) for place in range(ENTRIES, 0, -1)]
        found = rank_intervals(entries)
        if isinstance(found, str):
            return False
        if not gap:
            return all(one.low == 1 and one.high == ENTRIES for one in found)
        return all(one.low <= rank <= one.high for rank, one in enumerate(found, 1))

    return repeat


def _holds(found: Interval | str | None, truth: float) -> bool:
    return isinstance(found, Interval) and found.low <= truth <= found.high


SCENARIOS: dict[str, tuple[str, Scenario]] = {
    "rate_agreeing": ("Rate, runs correlated by 0.5", _rate_of_runs(0.5)),
    "rate_strangers": ("Rate, independent runs", _rate_of_runs(0.0)),
    "rate_naive": ("Wrong on purpose: runs counted as tasks", _rate_of_runs(0.5, is_naive=True)),
    "repeat": ("Repeated runs, tasks differ in noise", _run_again()),
    "repeat_naive": ("Wrong on purpose: all K(R − 1) d.f.", _run_again(is_naive=True)),
    "tasks_8": ("Similar tasks, 8 skewed ones", _tasks_like_these(8)),
    "tasks_24": ("Similar tasks, 24", _tasks_like_these(24)),
    "tasks_148": ("Similar tasks, 148", _tasks_like_these(148)),
    "median": ("Median of 24 tasks", _quantile(0.5)),
    "upper_quartile": ("Upper quartile of 24 tasks", _quantile(0.75)),
    "band": ("Band of a curve, 24 tasks", _band),
    "paired": ("Equal entries, paired t", _paired),
    "sign_flip": ("Equal entries, sign-flip test", _sign_flip),
    "ranks_equal": ("Six equal entries, all ranks at once", _ranks(0.0)),
    "ranks_apart": ("Six unequal entries, all ranks at once", _ranks(0.08)),
}


def chart(found: list[Coverage]) -> RowChart:
    series = (Series("usable", "contains the true value"),)
    rows = [(one.shows, "", (Point(one.share, f"{one.share:.1%}", one.low, one.high),)) for one in found]
    ticks = [(share, f"{share:.0%}") for share in (0.8, 0.85, 0.9, 0.95, 1)]
    title = "Coverage of confidence intervals"
    text = "Share of simulated leaderboards whose interval contains the true value. The target is 95 %."
    return dots(
        *("interval-coverage", "dots", title, text, f"of {found[0].repeats} simulated boards"),
        *(series, rows, [(WANTED, "wanted")], ticks),
        lambda share: max(share - AXIS_FROM, 0) / (1 - AXIS_FROM),
    )


def write(found: list[Coverage], figure: Path = FIGURE) -> None:
    from django.conf import settings
    from django.template import Context, Engine

    if not settings.configured:
        settings.configure(USE_I18N=False)
    style = (ROOT / "static" / "css" / "charts.css").read_text(encoding="utf-8")
    template = Engine(dirs=[str(ROOT / "templates")]).get_template("charts/standalone.svg")
    sheet = Sheet(chart(found))
    drawing = template.render(Context({"sheet": sheet, "chart": sheet.chart, "style": style}))
    figure.write_text(drawing, encoding="utf-8")
    pd.DataFrame(found).to_csv(figure.with_suffix(".csv"), index=False, float_format="%.4f", lineterminator="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description="Coverage of the leaderboards' intervals on known true values.")
    parser.add_argument("--repeats", type=int, default=5000)
    found = measure(parser.parse_args().repeats)
    write(found)
    for one in found:
        sys.stdout.write(f"{one.shows:<42} {one.share:6.1%}  ({one.low:.1%} to {one.high:.1%})\n")


if __name__ == "__main__":
    main()
