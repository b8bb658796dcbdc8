"""The tables of a generalization page about single answers: each task's quadrant, and what was broken."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from leaderboard.formatting import NONE, listed, times
from leaderboard.pages.base import entry_name, page_url, task_url
from leaderboard.pages.generalization.facts import Regression, UnseenAnswer, UnseenEntry
from leaderboard.queries.boards import TaskRow
from leaderboard.tables import Cell, Column, RowGroup, Table
from leaderboard.words import CONFIG_CATEGORIES, QUADRANTS

MOST_REGRESSIONS = 50  # on the page; all of them are in CSV and JSON


def answers_table(entries: Sequence[UnseenEntry], tasks: Sequence[TaskRow], answers: Sequence[UnseenAnswer]) -> Table:
    """Tasks down, entries across."""
    cells: dict[tuple[str, str], list[UnseenAnswer]] = defaultdict(list)
    for answer in answers:
        cells[answer.task, answer.configuration].append(answer)
    columns = (Column("task", "Task"), *(Column(entry.configuration, entry.name) for entry in entries))
    rows = tuple(
        (
            Cell(task.name, task.path, task_url(task.path), task.category),
            *(_answer_cell(cells[task.path, entry.configuration]) for entry in entries),
        )
        for task in tasks
    )
    caption = "Each task's quadrant, and its speedup on seen → unseen cases where it counts"
    return Table("answers", caption, columns, (RowGroup(rows if entries else ()),), "No answers yet.")


def regressions_table(found: Sequence[Regression]) -> Table:
    columns = (
        Column("task", "Task"),
        Column("entry", "Entry"),
        Column("configuration", "Configuration", on_page=False),
        Column("category", "Changed"),
        Column("case", "Case", is_code=True),
        Column("reason", "Reason", on_page=False),
        Column("message", "What went wrong"),
        Column("result", "Result", is_number=True),
    )
    caption = "Regressions: unseen cases on which the baseline is right and the candidate is not"
    rows = tuple(_regression_cells(one) for one in found)
    empty = "None: no candidate is wrong on an unseen case that its baseline gets right."
    return Table("regressions", caption, columns, (RowGroup(rows),), empty)


def _answer_cell(answers: Sequence[UnseenAnswer]) -> Cell:
    names = [answer.paper or "evaluation_error" for answer in answers]
    worst = next((name for name in ("opt_regression", "evaluation_error") if name in names), names[0] if names else "")
    if not worst:
        return Cell(NONE)
    word = QUADRANTS[worst]
    counted = Counter(names).most_common()
    text = word.label if len(names) == 1 else listed(f"{count} {QUADRANTS[name].label}" for name, count in counted)
    told = next(answer for answer, name in zip(answers, names, strict=True) if name == worst)
    return Cell(text, text, page_url("result", told.result), _answer_note(answers), word.tone, word.mark)


def _answer_note(answers: Sequence[UnseenAnswer]) -> str:
    """The means that the drawing has as a small mark; else why it does not count."""
    pairs = [(one.seen, one.unseen) for one in answers if one.paper == "both_pass" and one.seen and one.unseen]
    if pairs:
        seen, unseen = (sum(side) / len(side) for side in zip(*pairs, strict=True))
        return f"{times(math.log(seen))} → {times(math.log(unseen))}"
    return next((one.obstacle for one in answers if one.obstacle), "")


def _regression_cells(one: Regression) -> tuple[Cell, ...]:
    name, who = one.task.rpartition("/")[2], entry_name(one.agent, one.model)
    return (
        Cell(name, one.task, task_url(one.task), one.task.partition("/")[0]),
        Cell(who, who),
        Cell(one.configuration, one.configuration),
        Cell(CONFIG_CATEGORIES[one.category], one.category),
        Cell(one.case.replace(",", ", "), one.case),
        Cell(one.reason, one.reason),
        Cell(one.message or NONE, one.message, note=one.reason.replace("_", " ")),
        Cell(str(one.result), one.result, page_url("result", one.result)),
    )
