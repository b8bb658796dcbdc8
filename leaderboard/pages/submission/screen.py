"""Tables of one submission: timeline, claims, totals, verifications, measured tasks and decisions."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.formatting import NONE, rate, sentence, significant
from leaderboard.pages.base import count_cell, moment_cell, page_url
from leaderboard.pages.submission.facts import BundleTotal, VerifiedSide, VerifiedTask
from leaderboard.queries.submissions import ClaimRow, ReviewRow, SubmissionAuditRow, VerificationRow
from leaderboard.tables import Cell, Field, RowGroup, Table, grouped, table, text_field
from leaderboard.words import AUDIT_ACTIONS, REVIEWS, STATUSES, TASK_VERDICTS, VERDICTS, status_cell, word_cell


def timeline_table(entries: Sequence[SubmissionAuditRow]) -> Table:
    columns: tuple[Field[SubmissionAuditRow], ...] = (
        Field("at", "When", lambda one: moment_cell(one.at)),
        Field("action", "Event", lambda one: Cell(AUDIT_ACTIONS[one.action], one.action)),
        Field("actor", "By", lambda one: Cell(one.actor or NONE, one.actor or None)),
        Field("reason", "Note", lambda one: Cell(sentence(one.reason) or NONE, one.reason or None)),
    )
    return table("timeline", "Timeline, oldest first", columns, entries, "Nothing has happened yet.")


def claims_table(claims: Sequence[ClaimRow], count: int) -> Table:
    columns: tuple[Field[ClaimRow], ...] = (
        text_field("task", "Task", lambda one: one.task),
        Field("attempt", "Attempt", lambda one: Cell(one.attempt or NONE, one.attempt)),
        Field("status", "Status", lambda one: status_cell(one.status)),
        Field("claimed_speedup", "Claimed", lambda one: _speedup_cell(one.claimed_speedup), is_number=True),
        Field("recomputed_speedup", "From times", lambda one: _speedup_cell(one.recomputed_speedup), is_number=True),
        Field("cases", "Cases", lambda one: count_cell(one.cases), is_number=True),
        Field("message", "Message of the bundle", lambda one: Cell(one.message or NONE, one.message)),
    )
    groups = (
        RowGroup(tuple(one for one in claims if one.is_known)),
        RowGroup(
            tuple(one for one in claims if not one.is_known),
            "In quarantine",
            "in no suite of this site: stored, but counted nowhere",
        ),
    )
    shown = f": the first {len(claims)} of {count}" if count > len(claims) else ""
    return grouped("claims", f"Claims of the bundle, task by task{shown}", columns, groups, "The bundle has no claims.")


def totals_table(totals: Sequence[BundleTotal]) -> Table:
    columns: tuple[Field[BundleTotal], ...] = (
        text_field("name", "Total", lambda one: one.name, is_code=True),
        Field("claimed", "Claimed", lambda one: _total_cell(one.claimed), is_number=True),
        Field("recomputed", "From its rows", lambda one: _total_cell(one.recomputed), is_number=True),
    )
    caption = "Totals of the bundle, as claimed and recomputed from its own rows"
    return table("totals", caption, columns, totals, "The bundle claims no totals.")


def verifications_table(rows: Sequence[VerificationRow]) -> Table:
    columns: tuple[Field[VerificationRow], ...] = (
        Field(
            "run",
            "Measured by",
            lambda row: Cell(f"Run {row.measured_run}", row.measured_run, page_url("run", row.measured_run)),
        ),
        Field("verdict", "Verdict", _verdict_cell),
        Field(
            "reproduced",
            "Reproduced or faster",
            lambda row: Cell(rate(row.reproduced, row.compared) if row.compared else NONE, row.reproduced),
        ),
        Field(
            "sample", "Tasks drawn", lambda row: count_cell(row.sample) if row.sample else Cell("all"), is_number=True
        ),
        text_field("device_class", "Device class", lambda row: row.device, is_code=True),
        Field("closed_at", "Ended", lambda row: moment_cell(row.closed_at)),
    )
    empty = "Its candidates have not been evaluated again, so its numbers are as claimed."
    return table("verifications", "Evaluated again on our hosts", columns, rows, empty)


def measured_table(tasks: Sequence[VerifiedTask]) -> Table:
    columns: tuple[Field[VerifiedTask], ...] = (
        Field(
            "task",
            "Task",
            lambda one: Cell(one.task.rpartition("/")[2], one.task, page_url("result", one.claimed.result)),
        ),
        Field("outcome", "Outcome", lambda one: word_cell(TASK_VERDICTS[one.outcome], one.outcome)),
        Field("because", "Reason", lambda one: Cell(sentence(one.because), one.because)),
        Field("claimed", "Claimed", lambda one: _side_cell(one.claimed), is_number=True),
        Field("measured", "Measured", lambda one: _side_cell(one.measured), is_number=True),
    )
    caption = "Claimed and measured speedups, each with its interval"
    return table("measured", caption, columns, tasks, "No verification has ended yet.")


def decisions_table(decided: Sequence[ReviewRow]) -> Table:
    columns: tuple[Field[ReviewRow], ...] = (
        Field("kind", "Question", lambda one: Cell(REVIEWS[one.kind], one.kind)),
        text_field("detail", "Details", lambda one: one.detail),
        Field("decided_at", "Decided", lambda one: moment_cell(one.closed_at)),
        text_field("decision", "Decision", lambda one: one.decision),
    )
    return table("decisions", "Decisions of maintainers", columns, decided, "No decisions yet.")


def _speedup_cell(value: float | None) -> Cell:
    return Cell(NONE if value is None else f"{significant(value, 4)}×", value)


def _total_cell(value: float | str | None) -> Cell:
    if isinstance(value, float):
        return Cell(significant(value, 4), value)
    return Cell(NONE if value is None else str(value), value)


def _verdict_cell(row: VerificationRow) -> Cell:
    if not row.verdict:
        return Cell("running", None, tone="open", mark="▸")
    return word_cell(VERDICTS[row.verdict], row.verdict)


def _side_cell(side: VerifiedSide) -> Cell:
    if side.speedup is None:
        label = STATUSES[side.status].label
        return Cell(f"{significant(side.paper_speedup, 4)}×" if side.paper_speedup else label, side.paper_speedup)
    low, high = (NONE if end is None else significant(end, 4) for end in (side.low, side.high))
    text = f"{significant(side.speedup, 4)}×"
    return Cell(text, side.speedup, page_url("result", side.result), note=f"{low} to {high}")
