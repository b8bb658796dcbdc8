"""The tables of a board: its entries, with ranks or with the paper's columns, and every result by task."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from leaderboard.formatting import NONE, factor, listed, significant
from leaderboard.pages.base import entry_name, page_url, task_url
from leaderboard.pages.board.board import Board
from leaderboard.pages.board.fields import SORTS, kernelbench_x_fields, paper_fields, rank_fields
from leaderboard.pages.board.query import BoardView
from leaderboard.pages.board.standings import BoardResult, Entry
from leaderboard.queries.boards import TaskRow
from leaderboard.tables import Cell, Field, RowGroup, Table, Value, fields, grouped, hidden, table
from leaderboard.words import STATUSES, TRUST, Word, status_cell
from runs.trust import Trust

GROUPS = (
    ("", "", ""),
    ("Not ranked", "Some of their results are missing or do not count, so their rank is not known.", "unranked"),
    ("Reference lines", "Shown for comparison. Never ranked.", "reference"),
)
ONLY_TODAY = (  # columns whose values on an earlier day are not known
    *("trust", "reproduced_tasks", "verified_tasks", "suspect", "evaluated_from", "evaluated_until"),
    *("sessions", "cost_usd", "cost_usd_of"),
)


def in_order(entries: Sequence[Entry], view: BoardView) -> list[Entry]:
    """Sort entries: ranked ones as the view asks, then unranked ones, then reference lines; ties by name."""
    return sorted(
        entries,
        key=lambda entry: (
            _group(entry),
            *(_order(entry, view.sort) if entry.rank is not None else ()),
            entry_name(entry.agent, entry.model).casefold(),
            entry.configuration,
        ),
    )


def entries_table(board: Board, entries: Sequence[Entry], *, is_sortable: bool = True) -> Table:
    is_paper = board.shows_paper_columns
    has_cost = any(entry.cost_usd for entry in board.standings.entries)  # not if nothing here calls a paid model
    if is_paper and board.is_kernelbench_x:
        columns = kernelbench_x_fields(has_cost=has_cost)
    elif is_paper:
        columns = paper_fields(board.tasks, has_cost=has_cost)
    else:
        columns = rank_fields(has_speed=not board.device.is_functional, has_cost=has_cost)
    if is_sortable:
        columns = tuple(_sortable(field, board.view) for field in columns)
    groups = (
        RowGroup(tuple(entry for entry in entries if _group(entry) == number), *about)
        for number, about in enumerate(GROUPS)
    )
    empty = f"No run under {board.view.asked_protocol} is published here yet. The page Submit says how to add one."
    if board.standings.entries:
        empty = "No entry matches. Remove a filter."
    return grouped("entries", _caption(board, is_paper), columns, groups, empty)


def cited_table(board: Board) -> Table:
    """The ranks as a citation names them: without the columns that only today has, of which none restores a day."""
    shown = [entry for entry in board.standings.entries if board.view.shows(entry)]
    ranks = entries_table(board, in_order(shown, board.view), is_sortable=False)
    kept = tuple(field for field in ranks.fields if field.key not in ONLY_TODAY)
    return replace(ranks, slug="cited", caption="What the digest of the citation is of", fields=kept)


def results_table(board: Board, entries: Sequence[Entry], results: Sequence[BoardResult]) -> Table:
    """Results with one row for each task and one column for each entry."""
    found: dict[tuple[str, str], list[BoardResult]] = defaultdict(list)
    for result in results:
        found[result.task, result.configuration].append(result)
    columns: tuple[Field[TaskRow], ...] = fields(
        Field("task", "Task", lambda task: Cell(task.name, task.path, task_url(task.path), task.category)),
        () if board.device.is_functional else _best_fields(board),
        (_results_field(entry, found) for entry in entries),
    )
    caption = "The published results of each task" + ("" if board.device.is_functional else ", with speedups on t_dev")
    return table("results", caption, columns, board.tasks if entries else (), "No results yet.")


def _best_fields(board: Board) -> tuple[Field[TaskRow], ...]:
    """What the fastest kernel of an entry reaches on each task, whatever filter hides its line."""
    entries = [entry for entry in board.standings.entries if entry.role == "entry"]
    names = {entry.configuration: entry_name(entry.agent, entry.model) for entry in entries}
    timed = [(_log_speedup(one), one) for one in board.standings.results if one.configuration in names]
    known = [(log, one) for log, one in timed if log is not None]
    best = {one.task: (log, one) for log, one in sorted(known, key=lambda pair: pair[0])}
    eligible = dict(zip((task.path for task in board.tasks), board.standings.eligible, strict=True))

    def cell(task: TaskRow) -> Cell:
        if task.path not in best:
            return Cell(NONE, note="counts for correctness only" if eligible[task.path] is False else "")
        log, one = best[task.path]
        return Cell(
            f"{significant(factor(log))}×", factor(log), page_url("result", one.result), names[one.configuration]
        )

    def of_best(read: Callable[[BoardResult], Value]) -> Callable[[TaskRow], Value]:
        return lambda task: read(best[task.path][1]) if task.path in best else None

    return (
        Field("best", "Best kernel", cell, is_number=True, metric="speedup"),
        hidden("best_configuration", of_best(lambda one: one.configuration)),
        hidden("best_result", of_best(lambda one: one.result)),
    )


def _results_field(entry: Entry, found: Mapping[tuple[str, str], Sequence[BoardResult]]) -> Field[TaskRow]:
    return Field(
        entry.configuration,
        entry_name(entry.agent, entry.model),
        lambda task: _results_cell(found.get((task.path, entry.configuration), ())),
    )


def _group(entry: Entry) -> int:
    return 2 if entry.role != "entry" else 0 if entry.rank is not None else 1


def _order(entry: Entry, sort: str) -> tuple[float, ...]:
    """Sort key: as the field says, entries without a number last."""
    if sort == "name":
        return ()
    by_rank = (float(entry.rank or 0), -(entry.compilation.share or 0.0))
    field = SORTS.get(sort)
    if field is None or field.sort is None:
        return by_rank
    value = field.sort(entry)
    ordered = (value or 0.0) * (1 if field.smallest_first else -1)
    return (float(value is None), ordered, *by_rank)


def _caption(board: Board, is_paper: bool) -> str:
    if is_paper and board.is_kernelbench_x:
        return (
            "KernelBench-X's columns, by its formulas and on its clock kbx_do_bench, against PyTorch eager. σr is the "
            "standard deviation between runs, blank for a single run. Entries are not ranked by them."
        )
    if is_paper:
        return (
            "The paper's columns, by its formulas and on its clock for the category. σr is the standard deviation "
            "between runs, blank for a single run. Entries are not ranked by them."
        )
    if board.standings.ranked_by == "usable_speedup":
        return "Entries ranked by usable speedup, with 95 % confidence intervals. Equal values share a rank."
    return "Entries ranked by their rate of correct results. Equal rates share a rank."


def _sortable(field: Field[Entry], view: BoardView) -> Field[Entry]:
    """Add the address that sorts by the field. Sorting by rank is the default and needs no parameter."""
    if field.sort is None and field.key not in ("rank", "name"):
        return field
    wanted = "" if field.key == "rank" else field.key
    is_sorted = wanted == (view.sort if view.sort in (*SORTS, "name") else "")
    direction = "descending" if field.sort and not field.smallest_first else "ascending"
    return replace(field, sort_url=view.query(sort=wanted) or "?", sorted=direction if is_sorted else "")


def _results_cell(results: Sequence[BoardResult]) -> Cell:
    if not results:
        return status_cell("missing")
    worst = next((result for result in results if _word(result) != STATUSES["passed"]), results[0])
    url = page_url("result", worst.result) if worst.result else ""
    word, note = _word(worst), _note(results)
    if len(results) == 1:
        return Cell(word.label, worst.doubt if _is_hacked(worst) else worst.status, url, note, word.tone, word.mark)
    counts = Counter(_word(result).label for result in results)
    text = listed(f"{count} {label}" for label, count in counts.most_common())
    return Cell(text, text, url, note, word.tone, word.mark)


def _word(result: BoardResult) -> Word:
    """The word for how a result counts."""
    return TRUST[Trust.HACKED] if _is_hacked(result) else STATUSES[result.status]


def _is_hacked(result: BoardResult) -> bool:
    return result.doubt == Trust.HACKED


def _note(results: Sequence[BoardResult]) -> str:
    """Speedups, and doubts that leave the status as it is."""
    doubts = dict.fromkeys(TRUST[one.doubt].label for one in results if one.doubt and not _is_hacked(one))
    return ", ".join(filter(None, (_speedups(results), *doubts)))


def _speedups(results: Sequence[BoardResult]) -> str:
    """Speedups of the correct results that count: one value, or a range."""
    logs = [log for log in map(_log_speedup, results) if log is not None]
    if not logs:
        return ""
    low, high = significant(factor(min(logs))), significant(factor(max(logs)))
    return f"{high}×" if low == high else f"{low} to {high}×"


def _log_speedup(result: BoardResult) -> float | None:
    """Of a correct result that counts."""
    return result.log_speedup if result.correct and result.obstacle is None else None
