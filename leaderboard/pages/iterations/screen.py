"""Tables and charts of iterations: trajectories, steps between iterations, and kinds of edit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from evaluator.records.edits import KINDS
from evaluator.records.transitions import TRANSITIONS
from leaderboard.charts import Chart, Point, RowChart, Series, ratio_dots, share_dots
from leaderboard.formatting import NBSP, NONE, percent, rate, significant
from leaderboard.pages.base import count_cell, entry_fields, page_url, query_string
from leaderboard.pages.iterations.facts import EntryKinds, EntryTrajectory, KindCount
from leaderboard.statistics.trajectories import IterationCounts, RightSpeeds, StepCounts
from leaderboard.tables import Cell, Field, Row, Table, fields, hidden, table, text_field
from leaderboard.words import role_note

MOST_DRAWN = 8  # entries
TOO_FEW = 10  # sessions, below which a rate has no percentage
PAPER_KINDS = {"none": 102, "mask": 101, "delegated": 65, "cast": 36}  # KernelBench-X, of 352 pairs of GEAK
PAPER_PAIRS = 352
OUTCOMES = ("rescued", "lost", "faster", "slower", "same", "untimed", "still_wrong", "unknown")


class EntryIteration(NamedTuple):
    entry: EntryTrajectory
    iteration: IterationCounts


class EntryStep(NamedTuple):
    entry: EntryTrajectory
    step: StepCounts


def trajectory_table(found: Sequence[EntryTrajectory], is_timed: bool, empty: str) -> Table:
    rows = [EntryIteration(entry, one) for entry in found for one in entry.iterations]
    has_no_verdict = any(row.iteration.no_verdict for row in rows)
    columns: tuple[Field[EntryIteration], ...] = fields(
        _entry_fields(lambda row: row.entry),
        Field("iteration", "Iteration", lambda row: count_cell(row.iteration.number), is_number=True),
        _of_sessions("right", "Right", lambda one: one.right, metric="trajectory"),
        _of_sessions("compiled", "Compiled", lambda one: one.compiled, metric="trajectory"),
        _of_sessions("checked", "Checked", lambda one: one.checked),
        _of_sessions("carried", "Carried on", lambda one: one.carried),
        _of_sessions("no_verdict", "No verdict", lambda one: one.no_verdict, on_page=has_no_verdict),
        _speed_fields("", lambda row: row.iteration.speeds, is_timed, metric="trajectory"),
        hidden("unchecked", lambda row: row.iteration.unchecked),
        hidden("sessions", lambda row: row.iteration.sessions),
    )
    caption = "After each iteration, out of all sessions of an entry (tasks × runs), on the seen cases"
    return table("trajectory", caption, columns, rows, empty)


def steps_table(found: Sequence[EntryTrajectory], is_timed: bool) -> Table:
    rows = [EntryStep(entry, step) for entry in found for step in entry.steps]
    has_unknown = any(row.step.unknown for row in rows)
    columns: tuple[Field[EntryStep], ...] = fields(
        _entry_fields(lambda row: row.entry),
        Field("step", "Iterations", lambda row: Cell(_name(row.step), row.step.number)),
        Field("pairs", "Pairs", lambda row: count_cell(row.step.pairs), is_number=True),
        _of_pairs("rescued", "Rescued", lambda step: step.rescued, metric="rescued"),
        _speed_fields("rescued_", lambda row: row.step.rescued_speeds, is_timed, metric="rescued", has_geometric=False),
        _of_pairs("persistent", "Persistent", lambda step: step.persistent, metric="rescued"),
        _speed_fields(
            "persistent_", lambda row: row.step.persistent_speeds, is_timed, metric="rescued", has_geometric=False
        ),
        _of_pairs("lost", "Lost", lambda step: step.lost, metric="rescued"),
        _of_pairs("still_wrong", "Still wrong", lambda step: step.still_wrong),
        _of_pairs("unknown", "No verdict", lambda step: step.unknown, on_page=has_unknown),
    )
    caption = "From one iteration to the next, over the sessions that have both; speedups of the later version"
    return table("steps", caption, columns, rows, "No session here has two versions yet.")


def entry_kinds_table(found: Sequence[EntryKinds]) -> Table:
    columns: tuple[Field[EntryKinds], ...] = fields(
        entry_fields(lambda one: one.name, lambda one: one.configuration, lambda one: role_note(one.role)),
        Field("pairs", "Pairs", _pairs_cell, is_number=True),
        (_kind_field(kind, index) for index, kind in enumerate(KINDS)),
        hidden("not_known", lambda one: one.not_known),
    )
    caption = "Kinds of edit between neighbouring versions, by entry; a pair may have several"
    return table("kinds", caption, columns, found, "No session here has two versions yet.")


def kinds_table(slug: str, caption: str, found: Sequence[KindCount], origin: str, empty: str) -> Table:
    rows = found if any(one.of for one in found) else ()
    columns: tuple[Field[KindCount], ...] = fields(
        Field("kind", "Kind of edit", lambda one: _kind_cell(one.kind, origin)),
        Field(
            "count",
            "Pairs",
            lambda one: Cell(share(one.count, one.of), one.count),
            is_number=True,
            metric="edit-kinds",
        ),
        hidden("of", lambda one: one.of),
        (_transition_field(name) for name in OUTCOMES),
        Field("paper", "KernelBench-X's paper", lambda one: _paper_cell(one.kind), is_number=True),
    )
    return table(slug, caption, columns, rows, empty)


def meanings_table() -> Table:
    columns: tuple[Field[str], ...] = (
        text_field("kind", "Kind of edit", lambda kind: KINDS[kind].name),
        text_field("means", "What changed", lambda kind: KINDS[kind].sentence),
    )
    return table("meanings", "What the kinds of edit mean", columns, tuple(KINDS), "")


def charts(found: Sequence[EntryTrajectory], is_timed: bool) -> dict[str, Chart]:
    drawn = found[:MOST_DRAWN]
    note = f"The first {MOST_DRAWN} of {len(found)} entries." if len(found) > MOST_DRAWN else ""
    made = [_rates([EntryIteration(entry, one) for entry in drawn for one in entry.iterations], note)]
    made += [_rescued([EntryStep(entry, step) for entry in drawn for step in entry.steps], note)] if is_timed else []
    return {chart.slug: chart for chart in made if chart.rows}


def _rates(rows: Sequence[EntryIteration], note: str) -> RowChart:
    return share_dots(
        "rates",
        "Right and compiled after each iteration",
        f"A row for each entry and iteration, in shares of all its sessions. {note}".strip(),
        "share of sessions",
        (Series("correct", "Right"), Series("compiled", "Compiled")),
        [
            (
                f"{row.entry.name}, iteration {row.iteration.number}",
                f"{row.iteration.checked} of {row.iteration.sessions} checked",
                [_share_point(row, row.iteration.right), _share_point(row, row.iteration.compiled)],
            )
            for row in rows
        ],
    )


def _rescued(rows: Sequence[EntryStep], note: str) -> RowChart:
    return ratio_dots(
        "rescued",
        "Speedup of rescued and of persistent versions",
        "Mean speedup of versions that an iteration made right, and of those whose version before was right.",
        "times as fast as the baseline",
        (Series("first", "Rescued", "×"), Series("second", "Persistent", "×")),
        [
            (
                f"{row.entry.name}, {_name(row.step)}",
                f"{row.step.rescued_speeds.timed} and {row.step.persistent_speeds.timed} timed",
                [_speed_point(row.step.rescued_speeds), _speed_point(row.step.persistent_speeds)],
            )
            for row in rows
            if row.step.rescued_speeds.timed or row.step.persistent_speeds.timed
        ],
        note=note,
    )


def share(count: int, of: int) -> str:
    """x of n, with a percentage where n is large enough for one."""
    return rate(count, of) if of >= TOO_FEW else f"{count}{NBSP}of{NBSP}{of}"


def _share_point(row: EntryIteration, count: int) -> Point:
    of = row.iteration.sessions
    return Point(count / of, share(count, of))


def _speed_point(speeds: RightSpeeds) -> Point:
    return Point(None, NONE) if speeds.mean is None else Point(speeds.mean, _ratio(speeds.mean))


def _ratio(value: float) -> str:
    return f"{significant(value)}×"


def _name(step: StepCounts) -> str:
    return f"{step.number}{NBSP}to{NBSP}{step.number + 1}"


def _entry_fields(entry: Callable[[Row], EntryTrajectory]) -> tuple[Field[Row], ...]:
    return entry_fields(
        lambda row: entry(row).name, lambda row: entry(row).configuration, lambda row: role_note(entry(row).role)
    )


def _of_sessions(
    key: str, label: str, count: Callable[[IterationCounts], int], *, metric: str = "", on_page: bool = True
) -> Field[EntryIteration]:
    def cell(row: EntryIteration) -> Cell:
        return Cell(share(count(row.iteration), row.iteration.sessions), count(row.iteration))

    return Field(key, label, cell, is_number=True, metric=metric, on_page=on_page)


def _of_pairs(
    key: str, label: str, count: Callable[[StepCounts], int], *, metric: str = "", on_page: bool = True
) -> Field[EntryStep]:
    def cell(row: EntryStep) -> Cell:
        return Cell(share(count(row.step), row.step.pairs), count(row.step))

    return Field(key, label, cell, is_number=True, metric=metric, on_page=on_page)


def _speed_fields(
    prefix: str, speeds: Callable[[Row], RightSpeeds], is_timed: bool, *, metric: str, has_geometric: bool = True
) -> tuple[Field[Row], ...]:
    """Mean, with how many versions it is over and the largest one's share of the sum, and geometric mean."""

    def mean(row: Row) -> Cell:
        found = speeds(row)
        if found.mean is None or found.top_share is None:
            return Cell(NONE)
        return Cell(_ratio(found.mean), found.mean, note=f"of {found.timed}, largest {percent(found.top_share)}")

    def geometric(row: Row) -> Cell:
        found = speeds(row).geometric_mean
        return Cell(NONE) if found is None else Cell(_ratio(found), found)

    has_geometric = has_geometric and is_timed
    return (
        Field(f"{prefix}mean", "Mean speedup", mean, is_number=True, metric=metric, on_page=is_timed),
        Field(
            f"{prefix}geometric_mean",
            "Geometric mean",
            geometric,
            is_number=True,
            metric=metric,
            on_page=has_geometric,
        ),
        hidden(f"{prefix}timed", lambda row: speeds(row).timed),
        hidden(f"{prefix}top_share", lambda row: speeds(row).top_share),
    )


def _pairs_cell(one: EntryKinds) -> Cell:
    url = page_url("pairs") + query_string({"configuration": one.configuration}, ("configuration",))
    return Cell(str(one.pairs), one.pairs, url, f"{one.not_known} not known" if one.not_known else "")


def _kind_field(kind: str, index: int) -> Field[EntryKinds]:
    return Field(
        kind, KINDS[kind].name, lambda one: count_cell(one.kinds[index].count), is_number=True, metric="edit-kinds"
    )


def _kind_cell(kind: str, origin: str) -> Cell:
    given = {"origin": origin, "edit": kind}
    url = page_url("pairs") + query_string(given, ("origin", "edit"))
    return Cell(KINDS[kind].name, kind, url)


def _transition_field(name: str) -> Field[KindCount]:
    return Field(name, TRANSITIONS[name][0], lambda one: count_cell(one.transitions.get(name, 0)), is_number=True)


def _paper_cell(kind: str) -> Cell:
    if kind not in PAPER_KINDS:
        return Cell(NONE, note="not printed")
    return Cell(rate(PAPER_KINDS[kind], PAPER_PAIRS), PAPER_KINDS[kind])
