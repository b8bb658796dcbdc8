"""Leaderboards as text: compilation and correctness by category and entry, one line per result, and unseen cases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evaluator.inside.excerpts import cut
from evaluator.records.record import Record
from evaluator.tasks.spec import CATEGORIES
from evaluator.unseen.cases import CONFIG_CATEGORIES
from evaluator.unseen.record import QUADRANTS, UnseenCaseRecord, UnseenRecord


def share(count: int, of: int) -> str:
    """A rate as text: "x of n (p %)"."""
    return f"{count} of {of} ({100 * count / of:.0f} %)" if of else "0 of 0"


def board_text(records: dict[str, list[Record]], suite: str) -> str:
    """The leaderboard of records by entry. Seconds are those of the evaluation, not of the kernels."""
    rows = [["category", "entry", "compiled", "correct", "seconds"]]
    for category in [*CATEGORIES, "all"]:
        for entry, found in records.items():
            chosen = [record for record in found if category in (record.task.category, "all")]
            if chosen:
                rows.append(_entry_row(category, entry, chosen))
    results = [["task", "entry", "status", "seconds", "message"]]
    results += [_result_row(entry, record) for entry, found in records.items() for record in found]
    return f"Leaderboard of {suite}\n\n{_table(rows)}\n\nResults\n\n{_table(results)}"


def seconds_text(records: Iterable[Record]) -> str:
    """The seconds of each part of an evaluation, one line per result."""
    parts = ("sandbox", "workers", "build", "first_calls", "compile", "correctness", "performance", "turn", "total")
    rows = [["task", "entry", *parts]]
    for record in records:
        seconds = [f"{record.seconds[part]:.2f}" if part in record.seconds else "-" for part in parts]
        rows.append([record.task.id, record.candidate.label, *seconds])
    return _table(rows)


def quadrant_counts(record: UnseenRecord) -> str:
    """The number of cases in each quadrant, as one line."""
    return ", ".join(f"{record.count(quadrant)} {quadrant}" for quadrant in QUADRANTS if record.count(quadrant))


def unseen_text(records: Iterable[UnseenRecord]) -> str:
    """Quadrants by config category, and the share of correct cases among those on which the baseline is correct."""
    cases = [case for record in records for case in record.cases]
    rows = [["config category", *QUADRANTS, "correct where the baseline is"]]
    for category in [*CONFIG_CATEGORIES, "all"]:
        rows.append(_category_row(category, [case for case in cases if category in (case.category, "all")]))
    return f"Unseen cases\n\n{_table(rows)}"


def unseen_cases_text(record: UnseenRecord) -> str:
    """One line for each case: its quadrant, and either the messages of both sides or the speedup."""
    rows = [["config category", "case", "quadrant", "message"]]
    for case in record.cases:
        sides = {"baseline": case.baseline, "candidate": case.candidate}
        messages = [f"{name}: {side.message}" for name, side in sides.items() if side.message]
        speedup = f"{case.speedup:.2f} x" if case.speedup else ""
        rows.append([case.category, case.id, case.quadrant, cut("; ".join(messages) or speedup, 120)])
    return _table(rows)


def _category_row(category: str, cases: Sequence[UnseenCaseRecord]) -> list[str]:
    found = [case.quadrant for case in cases]
    correct = found.count("both_pass")
    return [
        category,
        *(str(found.count(quadrant)) for quadrant in QUADRANTS),
        share(correct, correct + found.count("opt_regression")),
    ]


def _entry_row(category: str, entry: str, records: list[Record]) -> list[str]:
    compiled, correct = sum(record.compiled for record in records), sum(record.correct for record in records)
    seconds = sum(record.seconds["total"] for record in records)
    return [category, entry, share(compiled, len(records)), share(correct, len(records)), f"{seconds:.1f}"]


def _result_row(entry: str, record: Record) -> list[str]:
    flags = ", ".join(flag.value for flag in record.flags if flag != "functional")
    text = record.message or (f"passed ({flags})" if flags else "")
    return [record.task.id, entry, record.status.value, f"{record.seconds['total']:.1f}", cut(text, 90)]


def _table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])
