"""The columns of a board: those of the ranked view, and those of the category's paper.

Each metric is one field. The page, CSV, JSON, the sort order and the ranks of the dump all use it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from leaderboard.pages.board.cells import (
    name_cell,
    number_cell,
    outcomes_cell,
    pass_cell,
    rank_cell,
    rate_cell,
    runs_cell,
    speed_cell,
    spread_cell,
    top_task_cell,
)
from leaderboard.pages.board.provenance import BEHIND_PROVENANCE, COST, PUBLISHED, TRUST_FIELD
from leaderboard.pages.board.standings import Entry
from leaderboard.queries.boards import TaskRow
from leaderboard.statistics import Rate
from leaderboard.statistics.paper import PaperColumns, RunSpread
from leaderboard.statistics.ranking import RankInterval
from leaderboard.statistics.samples import KS, PassAtK
from leaderboard.statistics.speed import Outcomes, SpeedEstimate
from leaderboard.tables import Field, Value, fields, hidden

Fields = tuple[Field[Entry], ...]


def rank_fields(*, has_speed: bool, has_cost: bool, most_samples: int = 1) -> Fields:
    """Columns of the ranked view. Without a clock there are none about speed. Without a cost its column is hidden.

    The page shows pass@k for the largest k that some entry has enough runs for (`most_samples`), if that is above 1.
    """
    shown_k = max((k for k in KS if k <= most_samples), default=1)
    return fields(
        RANK,
        NAME,
        CONFIGURATION,
        (USABLE_SPEEDUP,) if has_speed else (),
        CORRECTNESS,
        (_pass_field(k, on_page=k == shown_k > 1) for k in KS),
        TRUST_FIELD,
        PUBLISHED,
        replace(COST, on_page=has_cost),
        COMPILATION,
        (WIN,) if has_speed else (),
        _rate_ends("compilation", "compiled", lambda entry: entry.compilation),
        _rate_ends("correctness", "correct", lambda entry: entry.correctness),
        BEHIND_SPEED if has_speed else (),
        JUDGED,
        BEHIND_PROVENANCE,
        RUNS,
        NOT_RANKED_BECAUSE,
    )


def paper_fields(tasks: Sequence[TaskRow], *, has_cost: bool) -> Fields:
    """Columns of the paper's view, with its headings. The top task's share is our addition: it qualifies the mean."""
    return fields(
        RANK,
        NAME,
        CONFIGURATION,
        _percent(COMPILATION, "Comp. %", lambda paper: paper.compilation_rate_pct),
        _percent(CORRECTNESS, "Corr. %", lambda paper: paper.correctness_rate_pct),
        _spread(
            "mean_speedup", "Mean Spd. ± σr", "mean_speedup_sigma_r", "mean speedup", lambda paper: paper.mean_speedup
        ),
        Field(
            "top_task_share",
            "Top task's share",
            lambda entry: top_task_cell(entry.paper, tasks),
            is_number=True,
            metric="paper",
            about="Share of the task that adds most to the mean speedup.",
        ),
        _number(
            "mean_score", "Mean Score", lambda paper: paper.mean_score, metric="paper", about="The paper's mean score."
        ),
        _spread(
            "geo_mean_speedup",
            "Geo. Mean ± σr",
            "geo_mean_sigma_r",
            "geometric mean",
            lambda paper: paper.geo_mean_speedup,
        ),
        hidden(
            "geo_mean_run_averaged",
            _of_paper(lambda paper: paper.geo_mean_run_averaged),
            "Geometric mean of each task's mean over runs.",
        ),
        _number(
            "fast_1",
            "fast₁ %",
            lambda paper: paper.fast_1_pct,
            metric="fast-p",
            about="Percent correct and faster than the baseline.",
        ),
        _number(
            "fast_2",
            "fast₂ %",
            lambda paper: paper.fast_2_pct,
            metric="fast-p",
            about="Percent correct and more than twice as fast.",
        ),
        TRUST_FIELD,
        PUBLISHED,
        replace(COST, on_page=has_cost),
        BEHIND_PROVENANCE,
        RUNS,
        NOT_RANKED_BECAUSE,
    )


def kernelbench_x_fields(*, has_cost: bool) -> Fields:
    """Columns of KernelBench-X's overall table with its headings; the geometric mean and σr are our additions."""
    return fields(
        RANK,
        NAME,
        CONFIGURATION,
        _percent(COMPILATION, "Compile %", lambda paper: paper.compilation_rate_pct),
        _percent(CORRECTNESS, "Correct %", lambda paper: paper.correctness_rate_pct),
        _spread(
            "mean_correct_speedup",
            "Speedup ± σr",
            "mean_correct_speedup_sigma_r",
            "mean speedup over correct results",
            lambda paper: paper.mean_correct_speedup,
            metric="kbx-speedup",
        ),
        _spread(
            "geo_mean_speedup",
            "Geo. Mean ± σr",
            "geo_mean_sigma_r",
            "geometric mean",
            lambda paper: paper.geo_mean_speedup,
            metric="kbx-speedup",
        ),
        TRUST_FIELD,
        PUBLISHED,
        replace(COST, on_page=has_cost),
        BEHIND_PROVENANCE,
        RUNS,
        NOT_RANKED_BECAUSE,
    )


def every_field(tasks: Sequence[TaskRow]) -> Fields:
    """Every column of any view, each key once: what the dump's ranks hold."""
    papers = (*kernelbench_x_fields(has_cost=True), *paper_fields(tasks, has_cost=True))
    found = {field.key: field for field in (*papers, *rank_fields(has_speed=True, has_cost=True))}
    return tuple(found.values())


def _of_speed(read: Callable[[SpeedEstimate], float | None]) -> Callable[[Entry], float | None]:
    return lambda entry: read(entry.usable_speedup) if entry.usable_speedup else None


def _of_outcomes(read: Callable[[Outcomes], int]) -> Callable[[Entry], int | None]:
    return lambda entry: read(entry.outcomes) if entry.outcomes else None


def _of_paper(read: Callable[[PaperColumns], float | None]) -> Callable[[Entry], float | None]:
    return lambda entry: read(entry.paper) if entry.paper else None


def _of_ranks(read: Callable[[RankInterval], Value]) -> Callable[[Entry], Value]:
    return lambda entry: read(entry.rank_interval) if entry.rank_interval else None


def _rate_ends(key: str, what: str, read: Callable[[Entry], Rate]) -> Fields:
    """Hidden fields with the numbers behind a rate."""
    return (
        hidden(f"{key}_count", lambda entry: read(entry).count, f"Results that are {what}.", "integer"),
        hidden(f"{key}_of", lambda entry: read(entry).of, "Results that the suite asks for, over all runs.", "integer"),
        hidden(
            f"{key}_low",
            lambda entry: found.low if (found := read(entry).interval) else None,
            "Lower end of the rate's 95 % interval.",
        ),
        hidden(
            f"{key}_high",
            lambda entry: found.high if (found := read(entry).interval) else None,
            "Upper end of the rate's 95 % interval.",
        ),
        hidden(f"{key}_worst", lambda entry: read(entry).worst, "The least that the rate can still become."),
        hidden(f"{key}_best", lambda entry: read(entry).best, "The most that the rate can still become."),
    )


def _pass_field(k: int, *, on_page: bool) -> Field[Entry]:
    def of(entry: Entry) -> PassAtK:
        return next(one for one in entry.pass_at if one.k == k)

    return Field(
        f"pass_at_{k}",
        f"pass@{k}",
        lambda entry: pass_cell(of(entry)),
        is_number=True,
        on_page=on_page,
        metric="pass-at-k",
        sort=lambda entry: of(entry).share,
        about=f"Share of tasks that at least one of {k} independent runs solves, estimated without bias.",
    )


def _percent(rate: Field[Entry], label: str, read: Callable[[PaperColumns], float | None]) -> Field[Entry]:
    """The field of a rate, in percent and under the paper's heading."""
    value = _of_paper(read)
    return replace(rate, label=label, cell=lambda entry: number_cell(value(entry)))


def _number(
    key: str, label: str, read: Callable[[PaperColumns], float | None], *, metric: str, about: str
) -> Field[Entry]:
    value = _of_paper(read)
    return Field(
        key, label, lambda entry: number_cell(value(entry)), is_number=True, metric=metric, sort=value, about=about
    )


def _spread(
    key: str,
    label: str,
    sigma_key: str,
    what: str,
    read: Callable[[PaperColumns], RunSpread],
    metric: str = "paper",
) -> Fields:
    """A mean over runs with its standard deviation, which has its own column in CSV and JSON."""
    return (
        Field(
            key,
            label,
            lambda entry: spread_cell(read(entry.paper) if entry.paper else None),
            is_number=True,
            metric=metric,
            sort=_of_paper(lambda paper: read(paper).value),
            about=f"{what.capitalize()}, on the paper's clock of the category.",
        ),
        hidden(
            sigma_key, _of_paper(lambda paper: read(paper).sigma_r), f"Standard deviation of the {what} between runs."
        ),
    )


RANK: Field[Entry] = Field(
    "rank",
    "Rank",
    rank_cell,
    is_number=True,
    metric="rank",
    about="Equal values share a rank; none where the entry may not rank.",
    type="integer",
)
NAME: Field[Entry] = Field("name", "Entry", name_cell, about="Agent and model.", type="text")
CONFIGURATION: Field[Entry] = hidden(
    "configuration", lambda entry: entry.configuration, "The configuration's slug.", "text"
)
CORRECTNESS: Field[Entry] = Field(
    "correctness",
    "Correct",
    lambda entry: rate_cell(entry.correctness),
    is_number=True,
    metric="rates",
    sort=lambda entry: entry.correctness.share,
    about="Share of results that are correct.",
)
COMPILATION: Field[Entry] = Field(
    "compilation",
    "Compiled",
    lambda entry: rate_cell(entry.compilation),
    is_number=True,
    metric="rates",
    sort=lambda entry: entry.compilation.share,
    about="Share of results that compiled.",
)
USABLE_SPEEDUP: Field[Entry] = Field(
    "usable_speedup",
    "Usable speedup",
    lambda entry: speed_cell(entry.usable_speedup),
    is_number=True,
    metric="usable",
    sort=_of_speed(lambda found: found.value),
    about="Geometric mean over tasks of the better of candidate and baseline.",
)
WIN: Field[Entry] = Field(
    "win",
    "Win, tie, loss, fail",
    lambda entry: outcomes_cell(entry.outcomes),
    is_number=True,
    metric="outcomes",
    about="Results that are faster than the baseline.",
    type="integer",
)
BEHIND_SPEED: Fields = (
    hidden(
        "usable_speedup_low",
        _of_speed(lambda found: found.tasks.low if found.tasks else None),
        "Lower end of its 95 % interval over tasks.",
    ),
    hidden(
        "usable_speedup_high",
        _of_speed(lambda found: found.tasks.high if found.tasks else None),
        "Upper end of its 95 % interval over tasks.",
    ),
    hidden(
        "usable_speedup_runs_low",
        _of_speed(lambda found: found.runs.low if found.runs else None),
        "Lower end of its 95 % interval over runs.",
    ),
    hidden(
        "usable_speedup_runs_high",
        _of_speed(lambda found: found.runs.high if found.runs else None),
        "Upper end of its 95 % interval over runs.",
    ),
    hidden("usable_speedup_worst", _of_speed(lambda found: found.worst), "The least that it can still become."),
    hidden("tie", _of_outcomes(lambda found: found.tie), "Results no different from the baseline.", "integer"),
    hidden("loss", _of_outcomes(lambda found: found.loss), "Results slower than the baseline.", "integer"),
    hidden("fail", _of_outcomes(lambda found: found.fail), "Results that are not correct.", "integer"),
    hidden("unknown", _of_outcomes(lambda found: found.unknown), "Results without a verdict.", "integer"),
    hidden("rank_low", _of_ranks(lambda ranks: ranks.low), "The best rank that it may have.", "integer"),
    hidden("rank_high", _of_ranks(lambda ranks: ranks.high), "The worst rank that it may have.", "integer"),
    hidden(
        "separable_from_first",
        _of_ranks(lambda ranks: ranks.is_separable),
        "Whether it differs from the first entry beyond chance.",
        "boolean",
    ),
)
JUDGED: Field[Entry] = hidden("judged", lambda entry: entry.judged, "Results that count.", "integer")
RUNS: Field[Entry] = Field("runs", "Runs", runs_cell, is_number=True, about="Its published runs.", type="integer")
NOT_RANKED_BECAUSE: Field[Entry] = hidden(
    "not_ranked_because", lambda entry: entry.not_ranked_because, "The reason, where it may not rank.", "text"
)
SORTS = {field.key: field for field in every_field(()) if field.sort}
