"""How a board looks: its two tables and its chart."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from leaderboard.charts import Chart, Point, Series, share_dots
from leaderboard.formatting import NONE, interval, listed, plural, rate
from leaderboard.pages.base import Query, entry_name, page_url, query_string, task_url
from leaderboard.queries.boards import TaskRow
from leaderboard.statistics import INTERVAL_FROM_TASKS, Rate
from leaderboard.tables import Cell, Column, Group, Table
from leaderboard.words import STATUSES, status_cell

if TYPE_CHECKING:
    from leaderboard.pages.board import Answer, Entry

CORRECT = Series("correct", "correct")
COMPILED = Series("compiled", "compiled")
QUERY = ("version", "protocol", "sort")  # what a board's links keep
SORTS: dict[str, Callable[[Entry], tuple[object, ...]]] = {
    "": lambda entry: (entry.rank or 0, -(entry.compilation.share or 0.0)),
    "compilation": lambda entry: (-(entry.compilation.share or 0.0), entry.rank or 0),
    "name": lambda entry: (),
}


def in_order(entries: Sequence[Entry], sort: str) -> list[Entry]:
    """Ranked entries as asked for, then the unranked ones, then the reference lines; names decide what is equal."""
    order = SORTS.get(sort, SORTS[""])
    return sorted(
        entries,
        key=lambda entry: (
            entry.role != "entry",
            entry.rank is None,
            *(order(entry) if entry.rank is not None else ()),
            entry_name(entry.agent, entry.model).casefold(),
            entry.configuration,
        ),
    )


def entries_table(entries: Sequence[Entry], query: Query) -> Table:
    columns = (
        _sortable("rank", "Rank", query, "ascending"),
        _sortable("name", "Entry", query, "ascending"),
        Column("configuration", "Configuration", on_page=False),
        Column("correctness", "Correct", is_number=True),
        _sortable("compilation", "Compiled", query, "descending"),
        *(Column(f"{name}_{end}", "", on_page=False) for name in ("compilation", "correctness") for end in _ENDS),
        Column("judged", "Judged", is_number=True),
        Column("runs", "Runs", is_number=True),
        Column("not_ranked_because", "Why not ranked", on_page=False),
    )
    groups = (
        Group(tuple(_row(entry) for entry in entries if entry.rank is not None)),
        Group(
            tuple(_row(entry) for entry in entries if entry.rank is None and entry.role == "entry"),
            "Not ranked",
            "What is missing may turn out either way, so a place would be a guess.",
            "unranked",
        ),
        Group(
            tuple(_row(entry) for entry in entries if entry.role != "entry"),
            "Reference lines",
            "Built in, to compare with. Never ranked.",
            "reference",
        ),
    )
    caption = "Entries by their rate of correct results; equal rates share a rank."
    empty = "No run is published on this board yet. Start one in the admin, publish it, and it stands here."
    return Table("entries", caption, columns, groups, empty)


def answers_table(entries: Sequence[Entry], tasks: Sequence[TaskRow], answers: Sequence[Answer]) -> Table:
    """Tasks down, entries across: each cell leads to its result."""
    cells: dict[tuple[str, str], list[Answer]] = defaultdict(list)
    for answer in answers:
        cells[answer.task, answer.configuration].append(answer)
    columns = (
        Column("task", "Task"),
        *(Column(entry.configuration, entry_name(entry.agent, entry.model)) for entry in entries),
    )
    rows = tuple(
        (
            Cell(task.name, task.path, task_url(task.path), task.category),
            *(_answers_cell(cells[task.path, entry.configuration]) for entry in entries),
        )
        for task in tasks
    )
    return Table(
        "answers", "The published answer to each task", columns, (Group(rows if entries else ()),), "No answers yet."
    )


def chart(entries: Sequence[Entry], tasks: int) -> Chart:
    lines = [
        (entry.correctness.share, entry_name(entry.agent, entry.model))
        for entry in entries
        if entry.role != "entry" and entry.correctness.share is not None
    ]
    rows = [
        (
            (f"{entry.rank}. " if entry.rank else "") + entry_name(entry.agent, entry.model),
            "" if entry.rank else "reference line" if entry.role != "entry" else "not ranked",
            (_point(entry.correctness), _point(entry.compilation)),
        )
        for entry in entries
    ]
    means = "Bars are 95 % intervals" if tasks >= INTERVAL_FROM_TASKS else "There are too few tasks for intervals"
    description = (
        f"Share of {plural(tasks, 'task')} that compiled and that were correct, for each entry. {means}; "
        "where answers are missing, a bar spans what they could still make of it."
    )
    return share_dots(
        "rates", "Correct and compiled", description, "share of results", (CORRECT, COMPILED), rows, lines
    )


_ENDS = ("count", "of", "low", "high", "worst", "best")


def _sortable(key: str, label: str, query: Query, direction: str) -> Column:
    """The rank is the order without a word in the address."""
    sort, wanted = query.get("sort", ""), "" if key == "rank" else key
    is_sorted = wanted == (sort if sort in SORTS else "")
    url = query_string(query, QUERY, sort=wanted) or "?"
    return Column(key, label, is_number=key != "name", sort_url=url, sorted=direction if is_sorted else "")


def _row(entry: Entry) -> tuple[Cell, ...]:
    note = (entry.not_ranked_because or "") if entry.role == "entry" else ""
    return (
        Cell(str(entry.rank) if entry.rank else NONE, entry.rank),
        Cell(entry_name(entry.agent, entry.model), entry_name(entry.agent, entry.model), _runs_url(entry), note),
        Cell(entry.configuration, entry.configuration),
        _rate_cell(entry.correctness),
        _rate_cell(entry.compilation),
        *_rate_ends(entry.compilation),
        *_rate_ends(entry.correctness),
        Cell(f"{entry.judged} of {entry.of}", entry.judged),
        Cell(str(len(entry.runs)), len(entry.runs)),
        Cell(entry.not_ranked_because or "", entry.not_ranked_because),
    )


def _runs_url(entry: Entry) -> str:
    if len(entry.runs) == 1:
        return page_url("run", entry.runs[0])
    return f"{page_url('runs')}?configuration={entry.configuration}"


def _rate_cell(found: Rate) -> Cell:
    if found.share is None:
        if found.worst is None or found.best is None:
            return Cell(NONE)
        return Cell(f"{found.count} so far", None, note=f"{interval(found.worst, found.best)} in the end")
    note = f"95 %: {interval(found.interval.low, found.interval.high)}" if found.interval else ""
    return Cell(rate(found.count, found.of), found.share, note=note)


def _rate_ends(found: Rate) -> tuple[Cell, ...]:
    """The numbers behind a rate, for CSV."""
    ends = (found.interval.low, found.interval.high) if found.interval else (None, None)
    return tuple(Cell("", value) for value in (found.count, found.of, *ends, found.worst, found.best))


def _answers_cell(answers: Sequence[Answer]) -> Cell:
    if len(answers) == 1:
        answer = answers[0]
        return status_cell(answer.status, page_url("result", answer.result) if answer.result else "")
    found = Counter(STATUSES[answer.status].label for answer in answers)
    worst = next((answer for answer in answers if answer.status != "passed"), answers[0] if answers else None)
    if worst is None:
        return status_cell("missing")
    text = listed(f"{count} {label}" for label, count in found.most_common())
    word = STATUSES[worst.status]
    url = page_url("result", worst.result) if worst.result else ""
    return Cell(text, text, url, "", word.tone, word.mark)


def _point(found: Rate) -> Point:
    if found.share is None:
        text = f"{found.count} of {found.of} so far"
        return Point(None, text, found.worst, found.best)
    if found.interval is None:
        return Point(found.share, rate(found.count, found.of))
    return Point(found.share, rate(found.count, found.of), found.interval.low, found.interval.high)
