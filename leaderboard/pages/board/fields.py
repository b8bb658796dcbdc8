"""The columns of a board: those of the ranked view, and those of the category's paper.

Each metric is one field. The page, CSV, JSON, the sort order and the ranks of the dump all use it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from leaderboard.formatting import NBSP, NONE, interval, percent, rate, significant
from leaderboard.pages.base import entry_name, page_url
from leaderboard.pages.board.provenance import BEHIND_PROVENANCE, COST, PUBLISHED, TRUST_FIELD, run_address
from leaderboard.pages.board.standings import Entry
from leaderboard.queries.boards import TaskRow
from leaderboard.statistics import Interval, Rate
from leaderboard.statistics.paper import PaperColumns, RunSpread
from leaderboard.statistics.ranking import RankInterval
from leaderboard.statistics.speed import Outcomes, SpeedEstimate
from leaderboard.tables import Cell, Field, Value, fields, hidden

Fields = tuple[Field[Entry], ...]
NOT_SEPARABLE = "no significant difference from first"


def rank_fields(*, has_speed: bool, has_cost: bool) -> Fields:
    """Columns of the ranked view. Without a clock there are none about speed. Without a cost its column is hidden."""
    return fields(
        RANK,
        NAME,
        CONFIGURATION,
        (USABLE_SPEEDUP,) if has_speed else (),
        CORRECTNESS,
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
            lambda entry: _top_task_cell(entry.paper, tasks),
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


def _percent(rate: Field[Entry], label: str, read: Callable[[PaperColumns], float | None]) -> Field[Entry]:
    """The field of a rate, in percent and under the paper's heading."""
    value = _of_paper(read)
    return replace(rate, label=label, cell=lambda entry: _number_cell(value(entry)))


def _number(
    key: str, label: str, read: Callable[[PaperColumns], float | None], *, metric: str, about: str
) -> Field[Entry]:
    value = _of_paper(read)
    return Field(
        key, label, lambda entry: _number_cell(value(entry)), is_number=True, metric=metric, sort=value, about=about
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
            lambda entry: _spread_cell(read(entry.paper) if entry.paper else None),
            is_number=True,
            metric=metric,
            sort=_of_paper(lambda paper: read(paper).value),
            about=f"The paper's {what}, on its clock of the category.",
        ),
        hidden(
            sigma_key, _of_paper(lambda paper: read(paper).sigma_r), f"Standard deviation of the {what} between runs."
        ),
    )


def ratio_interval(found: Interval) -> str:
    """Text such as 1.21 to 1.93×."""
    return f"{significant(found.low)} to {significant(found.high)}×"


def _rank_cell(entry: Entry) -> Cell:
    if entry.rank is None:
        return Cell(NONE)
    found = entry.rank_interval
    if found is None:
        return Cell(str(entry.rank), entry.rank)
    note = f"{found.low}{NBSP}to{NBSP}{found.high}" if found.low != found.high else ""
    return Cell(str(entry.rank), entry.rank, note=note)


def _name_cell(entry: Entry) -> Cell:
    name, note = entry_name(entry.agent, entry.model), ""
    if entry.role == "entry":
        note = entry.not_ranked_because or ""
    if entry.rank and entry.rank > 1 and entry.rank_interval and not entry.rank_interval.is_separable:
        note = NOT_SEPARABLE
    return Cell(name, name, page_url("configuration", entry.configuration), note)


def _runs_cell(entry: Entry) -> Cell:
    """Number of runs, with a link to the run, or to the list where there are several."""
    return Cell(str(len(entry.runs)), len(entry.runs), run_address(entry))


def _speed_cell(found: SpeedEstimate | None) -> Cell:
    if found is None:
        return Cell(NONE)
    if found.value is None:
        note = f"at least {significant(found.worst)}×" if found.worst is not None else ""
        return Cell(NONE, None, note=note)
    note = f"95{NBSP}%: {ratio_interval(found.tasks)}" if found.tasks else ""
    return Cell(f"{significant(found.value)}×", found.value, note=note)


def _outcomes_cell(found: Outcomes | None) -> Cell:
    if found is None:
        return Cell(NONE)
    note = f"{found.unknown}{NBSP}unknown" if found.unknown else ""
    return Cell(f"{found.win}, {found.tie}, {found.loss}, {found.fail}", found.win, note=note)


def _rate_cell(found: Rate) -> Cell:
    if found.share is None:
        if found.worst is None or found.best is None:
            return Cell(NONE)
        return Cell(f"{found.count} so far", None, note=f"{interval(found.worst, found.best)} in the end")
    note = f"95 %: {interval(found.interval.low, found.interval.high)}" if found.interval else ""
    return Cell(rate(found.count, found.of), found.share, note=note)


def _number_cell(value: float | None) -> Cell:
    return Cell(NONE) if value is None else Cell(f"{value:.1f}", value)


def _spread_cell(found: RunSpread | None) -> Cell:
    if found is None or found.value is None:
        return Cell(NONE)
    sigma = f"{NBSP}±{NBSP}{found.sigma_r:.2f}" if found.sigma_r is not None else ""
    return Cell(f"{found.value:.2f}{sigma}×", found.value)


def _top_task_cell(found: PaperColumns | None, tasks: Sequence[TaskRow]) -> Cell:
    """Share of the task that adds most to the mean, with the task's name."""
    if found is None or found.top_task is None or found.top_task_share is None:
        return Cell(NONE)
    return Cell(percent(found.top_task_share), found.top_task_share, note=tasks[found.top_task].name)


RANK: Field[Entry] = Field(
    "rank",
    "Rank",
    _rank_cell,
    is_number=True,
    metric="rank",
    about="Equal values share a rank; none where the entry may not rank.",
    type="integer",
)
NAME: Field[Entry] = Field("name", "Entry", _name_cell, about="Agent and model.", type="text")
CONFIGURATION: Field[Entry] = hidden(
    "configuration", lambda entry: entry.configuration, "The configuration's slug.", "text"
)
CORRECTNESS: Field[Entry] = Field(
    "correctness",
    "Correct",
    lambda entry: _rate_cell(entry.correctness),
    is_number=True,
    metric="rates",
    sort=lambda entry: entry.correctness.share,
    about="Share of results that are correct.",
)
COMPILATION: Field[Entry] = Field(
    "compilation",
    "Compiled",
    lambda entry: _rate_cell(entry.compilation),
    is_number=True,
    metric="rates",
    sort=lambda entry: entry.compilation.share,
    about="Share of results that compiled.",
)
USABLE_SPEEDUP: Field[Entry] = Field(
    "usable_speedup",
    "Usable speedup",
    lambda entry: _speed_cell(entry.usable_speedup),
    is_number=True,
    metric="usable",
    sort=_of_speed(lambda found: found.value),
    about="Geometric mean over tasks of the better of candidate and baseline.",
)
WIN: Field[Entry] = Field(
    "win",
    "Win, tie, loss, fail",
    lambda entry: _outcomes_cell(entry.outcomes),
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
RUNS: Field[Entry] = Field("runs", "Runs", _runs_cell, is_number=True, about="Its published runs.", type="integer")
NOT_RANKED_BECAUSE: Field[Entry] = hidden(
    "not_ranked_because", lambda entry: entry.not_ranked_because, "The reason, where it may not rank.", "text"
)
SORTS = {field.key: field for field in every_field(()) if field.sort}
