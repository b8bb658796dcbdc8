"""What became of a result's candidate on unseen cases: shown once their round is revealed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE, plural, printable, times
from leaderboard.pages.base import page_url
from leaderboard.queries.generalization import ResultCaseRow
from leaderboard.statistics.task_runs import CaseOutcome, TaskRun
from leaderboard.tables import Cell, Column, Table, table
from leaderboard.words import CONFIG_CATEGORIES, QUADRANTS

STATES = {
    "running": "They are being judged now.",
    "errored": "They could not be judged, through our fault: the entry is incomplete.",
    "refused": "They were not judged: this configuration has had its evaluations of the round.",
}


@dataclass(frozen=True, slots=True)
class UnseenCaseLine:
    """One case. `quadrant` is evaluation_error where a side has no verdict; the ratio is the one on t_dev."""

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
    low: float | None
    high: float | None
    is_eligible: bool
    is_censored: bool
    is_noisy: bool


@dataclass(frozen=True, slots=True)
class UnseenSection:
    """Of one attempt in one round; quadrants by both rules are None without a verdict on every case."""

    round: str
    state: str
    paper: str | None
    strict: str | None
    cases: tuple[UnseenCaseLine, ...]
    url: str  # of its record
    sentence: str = field(metadata=SCREEN)


def section(rows: Sequence[ResultCaseRow], result: int, number: int | None) -> UnseenSection | None:
    """None where the attempt has no round, or one that is still secret."""
    own = [row for row in rows if row.number == number]
    if not own:
        return None
    lines = tuple(_line(row) for row in own if row.case is not None)
    outcomes = tuple(CaseOutcome(line.category, line.baseline_correct, line.correct) for line in lines)
    answer = TaskRun("", 0, True, outcomes)
    paper, strict = answer.paper, answer.strict
    url = page_url("unseen", result, number) if lines else ""
    return UnseenSection(own[0].round, own[0].state, paper, strict, lines, url, _sentence(own[0].state, lines, paper))


def cases_table(found: UnseenSection) -> Table:
    has_ratio = any(line.log_ratio is not None for line in found.cases)
    columns = (
        Column("case", "Case", is_code=True),
        Column("category", "Changed"),
        Column("quadrant", "Quadrant"),
        Column("message", "What went wrong"),
        Column("reason", "Reason", on_page=False),
        Column("ratio", "Ratio", is_number=True, on_page=has_ratio),
        *(Column(name, "", on_page=False) for name in ("baseline_correct", "correct", "low", "high", "is_eligible")),
    )
    caption = f"Unseen cases of round {found.round}: the same for every candidate of this task"
    return table("unseen", caption, columns, [_cells(line) for line in found.cases], "No case was judged.")


def _sentence(state: str, lines: Sequence[UnseenCaseLine], paper: str | None) -> str:
    if not lines:
        return STATES[state]
    right = sum(line.correct is True for line in lines)
    text = f"The candidate is right on {right} of {plural(len(lines), 'unseen case')}. "
    if paper is None:
        return text + QUADRANTS["evaluation_error"].meaning
    return text + f"Quadrant of the answer: {QUADRANTS[paper].label}. {QUADRANTS[paper].meaning}"


def _line(row: ResultCaseRow) -> UnseenCaseLine:
    category = row.category or ""
    quadrant = CaseOutcome(category, row.baseline_correct, row.correct).quadrant
    return UnseenCaseLine(
        id=row.case or "",
        category=category,
        origin=row.origin or "",
        quadrant=quadrant or "evaluation_error",
        baseline_correct=row.baseline_correct,
        correct=row.correct,
        baseline_message=printable(row.baseline_message or ""),
        reason=row.reason or "",
        message=printable(row.message or ""),
        log_ratio=row.log_ratio,
        low=row.log_ratio_low,
        high=row.log_ratio_high,
        is_eligible=bool(row.is_eligible),
        is_censored=bool(row.is_censored),
        is_noisy=bool(row.is_noisy),
    )


def _cells(line: UnseenCaseLine) -> tuple[Cell, ...]:
    word = QUADRANTS[line.quadrant]
    faults = [line.message, f"Baseline: {line.baseline_message}" if line.baseline_message else ""]
    return (
        Cell(line.id.replace(",", ", "), line.id, note="" if line.origin == "generated" else line.origin),
        Cell(CONFIG_CATEGORIES[line.category], line.category),
        Cell(word.label, line.quadrant, tone=word.tone, mark=word.mark),
        Cell(" ".join(filter(None, faults)) or NONE, line.message),
        Cell(line.reason, line.reason),
        _ratio_cell(line),
        *(Cell("", value) for value in (line.baseline_correct, line.correct, line.low, line.high, line.is_eligible)),
    )


def _ratio_cell(line: UnseenCaseLine) -> Cell:
    if line.log_ratio is None:
        return Cell(NONE)
    note = "" if line.is_eligible else "not eligible"
    return Cell(f"{'≥ ' if line.is_censored else ''}{times(line.log_ratio)}", line.log_ratio, note=note)
