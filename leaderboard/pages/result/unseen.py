"""A result's candidate on the unseen cases of its round, once the round is revealed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from evaluator.unseen.record import quadrant_of
from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE, plural, printable, times
from leaderboard.pages.base import page_url
from leaderboard.pages.result.cases import case_cell
from leaderboard.queries.generalization import ResultCaseRow
from leaderboard.statistics.task_runs import unseen_cases
from leaderboard.tables import Cell, Field, Table, fields, hidden, table
from leaderboard.words import CONFIG_CATEGORIES, QUADRANTS, word_cell

STATES = {
    "running": "Unseen cases are being evaluated now.",
    "errored": "Unseen cases could not be evaluated, through a fault of ours. The entry is incomplete.",
    "refused": "Unseen cases were not evaluated: this configuration has used up its evaluations in the round.",
}


@dataclass(frozen=True, slots=True)
class UnseenCaseLine:
    """One unseen case. `quadrant` is evaluation_error where a side has no verdict; the log ratio is on t_dev."""

    id: str
    category: str
    origin: str
    quadrant: str
    baseline_correct: bool | None
    correct: bool | None
    baseline_message: str
    reason: str
    message: str
    log_ratio: float | None
    log_ratio_low: float | None
    log_ratio_high: float | None
    is_eligible: bool
    is_censored: bool
    is_noisy: bool


@dataclass(frozen=True, slots=True)
class UnseenSection:
    """One attempt in one round. `paper` and `strict` are quadrants, None unless every case has a verdict."""

    round: str
    state: str
    paper: str | None  # by the paper's rule: a side is correct if it is on all cases
    strict: str | None  # a regression if the candidate alone fails on any case
    cases: tuple[UnseenCaseLine, ...]
    url: str  # of its record
    sentence: str = field(metadata=SCREEN)


def section(rows: Sequence[ResultCaseRow], result: int, number: int | None) -> UnseenSection | None:
    """Return the attempt's outcome on unseen cases; None where it has no round, or the round is still secret."""
    own = [row for row in rows if row.number == number]
    if not own:
        return None
    lines = tuple(_line(row) for row in own if row.case is not None)
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for line in lines:
        counts[line.category][line.quadrant] += 1
    whole = unseen_cases(counts)
    url, state = page_url("unseen", result, number) if lines else "", own[0].state
    sentence = _sentence(state, lines, whole.paper)
    return UnseenSection(own[0].round, state, whole.paper, whole.strict, lines, url, sentence)


def cases_table(found: UnseenSection) -> Table:
    has_ratio = any(line.log_ratio is not None for line in found.cases)
    columns: tuple[Field[UnseenCaseLine], ...] = fields(
        Field(
            "case",
            "Case",
            lambda line: replace(case_cell(line.id), note="" if line.origin == "generated" else line.origin),
            is_code=True,
        ),
        Field("category", "Kind of case", lambda line: Cell(CONFIG_CATEGORIES[line.category], line.category)),
        Field("quadrant", "Quadrant", lambda line: word_cell(QUADRANTS[line.quadrant], line.quadrant)),
        Field("message", "What happened", _message_cell),
        hidden("reason", lambda line: line.reason),
        Field("log_ratio", "Ratio", _ratio_cell, is_number=True, on_page=has_ratio),
        hidden("baseline_correct", lambda line: line.baseline_correct),
        hidden("correct", lambda line: line.correct),
        hidden("log_ratio_low", lambda line: line.log_ratio_low),
        hidden("log_ratio_high", lambda line: line.log_ratio_high),
        hidden("is_eligible", lambda line: line.is_eligible),
    )
    caption = f"Unseen cases of round {found.round}: the same for every candidate of this task"
    return table("unseen", caption, columns, found.cases, "No unseen case was evaluated.")


def _sentence(state: str, lines: Sequence[UnseenCaseLine], paper: str | None) -> str:
    if not lines:
        return STATES[state]
    correct = sum(line.correct is True for line in lines)
    text = f"The candidate is correct on {correct} of {plural(len(lines), 'unseen case')}. "
    if paper is None:
        return text + QUADRANTS["evaluation_error"].meaning
    return text + f"Quadrant: {QUADRANTS[paper].label}. {QUADRANTS[paper].meaning}"


def _line(row: ResultCaseRow) -> UnseenCaseLine:
    return UnseenCaseLine(
        id=row.case or "",
        category=row.category or "",
        origin=row.origin or "",
        quadrant=quadrant_of(row.baseline_correct, row.correct),
        baseline_correct=row.baseline_correct,
        correct=row.correct,
        baseline_message=printable(row.baseline_message or ""),
        reason=row.reason or "",
        message=printable(row.message or ""),
        log_ratio=row.log_ratio,
        log_ratio_low=row.log_ratio_low,
        log_ratio_high=row.log_ratio_high,
        is_eligible=bool(row.is_eligible),
        is_censored=bool(row.is_censored),
        is_noisy=bool(row.is_noisy),
    )


def _message_cell(line: UnseenCaseLine) -> Cell:
    parts = [line.message, f"Baseline: {line.baseline_message}" if line.baseline_message else ""]
    return Cell(" ".join(filter(None, parts)) or NONE, line.message)


def _ratio_cell(line: UnseenCaseLine) -> Cell:
    if line.log_ratio is None:
        return Cell(NONE)
    note = "" if line.is_eligible else "not eligible"
    return Cell(f"{'≥ ' if line.is_censored else ''}{times(line.log_ratio)}", line.log_ratio, note=note)
