"""The agent's session on a result's page: what it used, and each version that it had checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluator.records.sessions import IterationRecord, SessionRecord
from leaderboard import strategies
from leaderboard.diffs import Diff, parsed, sides
from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE, moment, printable, seconds, significant
from leaderboard.pages.base import page_url
from leaderboard.pages.session_cells import (
    COST_SOURCES,
    COUNTS,
    checks_text,
    count_text,
    ending_cell,
    seconds_cell,
    usd,
)
from leaderboard.queries import sessions
from leaderboard.queries.sessions import SessionRow
from leaderboard.strategies import STRATEGIES, UNCHANGED
from leaderboard.tables import Cell, Field, Table, fields, hidden, table
from leaderboard.words import STATUSES, Word, status_cell

MOST_DIFFS = 40  # versions whose changes the page shows; the rest are in the session's JSON


@dataclass(frozen=True, slots=True)
class Version:
    """A distinct version that was checked.

    Its changes are against the one before, or where the record names what its author was shown, against the first of
    `parents`; without one, against the baseline.
    """

    number: int
    at_s: float
    seconds: float
    candidate_digest: str
    status: str
    message: str | None
    speedup: float | None  # geometric mean over cases on t_dev
    added: int
    removed: int
    labels: tuple[str, ...]
    parents: tuple[int, ...] | None  # versions that its author was shown, the best first; None: it was the one before
    diff: Diff | None = field(metadata=SCREEN)

    @property
    def path(self) -> str:
        return f"version {self.number}"

    @property
    def word(self) -> Word:
        return STATUSES[self.status]

    @property
    def speed(self) -> str:
        return "" if self.speedup is None else f"{significant(self.speedup, 4)}×"

    @property
    def caption(self) -> str:
        if self.parents:
            return f"compared with version {self.parents[0]}"
        is_first = self.number == 1 or self.parents == ()
        return "compared with the baseline" if is_first else "compared with the previous version"


@dataclass(frozen=True, slots=True)
class SessionSection:
    """An agent's session; None stands for what was not reported."""

    agent: str
    evaluator: str
    model: str | None  # as the agent's own stream names it
    architecture: str
    ended: str | None  # None while it runs, and where its worker was lost
    message: str | None
    seconds: float | None
    turns: int | None
    input_tokens: int | None
    cached_input_tokens: int | None
    output_tokens: int | None
    tool_calls: int | None
    cost_usd: float | None
    cost_source: str | None
    no_cost_because: str | None
    checks: int
    failed_builds: int
    versions: tuple[Version, ...]
    tail: str  # of the transcript, at most 8000 characters
    session_digest: str | None
    prompt_digest: str | None
    is_running: bool
    state: Cell = field(metadata=SCREEN)
    facts: tuple[tuple[str, str, str], ...] = field(metadata=SCREEN)


def section(row: SessionRow | None) -> SessionSection | None:
    """Return what the page shows of the session; None where there is none that anybody may see."""
    if row is None:
        return None
    stored = sessions.session_record(row.digest)
    same = ("agent", "evaluator", "architecture", "seconds", *COUNTS, "cost_usd", "checks", "failed_builds", "tail")
    return SessionSection(
        **{name: getattr(row, name) for name in same},
        model=row.model or None,
        ended=row.ended or None,
        message=row.message or None,
        cost_source=row.cost_source or None,
        no_cost_because=row.no_cost_because or None,
        versions=tuple(version_of(one) for one in stored.iterations) if stored else (),
        session_digest=row.digest or None,
        prompt_digest=row.prompt_digest or None,
        is_running=row.is_running,
        state=ending_cell(row),
        facts=_facts(row, stored),
    )


def versions_table(found: SessionSection, places: Mapping[int, str]) -> Table:
    """Make the table of versions; `places` has the addresses of the steps in which they were checked, by number."""
    columns: tuple[Field[Version], ...] = fields(
        Field(
            "number",
            "Version",
            lambda one: Cell(str(one.number), one.number, places.get(one.number, "")),
            is_number=True,
        ),
        Field("status", "Status", lambda one: status_cell(one.status)),
        Field("message", "What happened", lambda one: Cell(one.message or NONE, one.message)),
        Field(
            "speedup",
            "Speedup",
            lambda one: Cell(one.speed or NONE, one.speedup),
            is_number=True,
        ),
        Field("changes", "Lines", lambda one: Cell(f"+{one.added} −{one.removed}")),
        Field(
            "parents", "Written after", _parents_cell, on_page=any(one.parents is not None for one in found.versions)
        ),
        Field("labels", "Strategies", _labels_cell),
        Field("at_s", "Checked after", lambda one: seconds_cell(one.at_s), is_number=True),
        Field("seconds", "Check time", lambda one: seconds_cell(one.seconds), is_number=True),
        hidden("added", lambda one: one.added),
        hidden("removed", lambda one: one.removed),
        hidden("candidate_digest", lambda one: one.candidate_digest),
    )
    caption = "Each distinct version that the agent had checked, on the seen cases"
    empty = (
        "Versions are listed once the session has ended." if found.is_running else "The agent had no version checked."
    )
    return table("versions", caption, columns, found.versions, empty)


def labels_of(diff: Diff) -> tuple[str, ...]:
    """Return the strategies that the new side of a diff uses and the old one does not, as far as the diff shows."""
    if diff.is_empty:
        return (UNCHANGED,)
    old, new = sides(diff)
    path = "kernel.py" if "tl." in new or "def " in new else "kernel.hip"
    return tuple(sorted(strategies.labels({path: new}, {path: old})))


def version_of(one: IterationRecord) -> Version:
    diff = parsed(one.diff)
    return Version(
        number=one.number,
        at_s=one.at_s,
        seconds=one.seconds,
        candidate_digest=one.digest,
        status=one.status.value,
        message=one.message,
        speedup=one.speedup,
        added=diff.added,
        removed=diff.removed,
        labels=labels_of(diff),
        parents=one.parents,
        diff=diff if one.number <= MOST_DIFFS and not diff.is_empty else None,
    )


def _facts(row: SessionRow, stored: SessionRecord | None) -> tuple[tuple[str, str, str], ...]:
    """Return (term, text, address) of each fact."""
    cost = f"{usd(row.cost_usd)}, {COST_SOURCES[row.cost_source]}" if row.cost_usd is not None else None
    where = f"in attempt {row.attempt_number} here" if row.attempt_number else "elsewhere: imported with its bundle"
    facts = [
        ("Started", f"{moment(row.started_at)}, {where}", ""),
        ("Wall time", seconds(row.seconds) if row.seconds is not None else NONE, ""),
        ("Model", printable(row.model) or "not reported", ""),
        ("Agent version", f"evaluator {row.evaluator}", ""),
        ("Target", row.architecture, ""),
        *((label, count_text(getattr(row, name)), "") for name, label in COUNTS.items()),
        ("Cost", cost or f"unknown: {row.no_cost_because or 'the session has not ended'}", ""),
        ("Versions checked", checks_text(row), ""),
    ]
    if row.abandoned:
        facts.append(("Lost sessions", f"{row.abandoned} before this one, usage unknown", ""))
    if row.prompt_digest:
        facts.append(("Prompt", "the exact text", page_url("session_prompt", row.result_id)))
    if stored is not None:
        facts.append(("Transcript", "the full text", page_url("session_transcript", row.result_id)))
        facts.append(("Session", "as JSON", page_url("session", row.result_id)))
    return tuple(facts)


def _parents_cell(one: Version) -> Cell:
    """The versions that its author was shown."""
    if one.parents is None:
        return Cell(NONE)
    numbers = ", ".join(map(str, one.parents))
    return Cell(numbers or "the baseline", numbers)


def _labels_cell(one: Version) -> Cell:
    names = [STRATEGIES[slug].name if slug in STRATEGIES else "unchanged" for slug in one.labels]
    return Cell(", ".join(names) or "none detected", " ".join(one.labels))
