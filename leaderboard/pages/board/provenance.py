"""The columns of a board on who an entry is, whether to trust it, when it was measured and what it cost."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from leaderboard.formatting import NONE, day
from leaderboard.pages.base import page_url
from leaderboard.pages.board.standings import Entry
from leaderboard.pages.session_cells import usd
from leaderboard.tables import Cell, Field, hidden
from leaderboard.words import TRUST
from runs.trust import DOUBTS, OF_RUNS, Trust, trust_text


def run_address(entry: Entry) -> str:
    """The facts of its run: evaluation window, exact model and so on; the list of its runs where there are several."""
    if len(entry.runs) > 1:
        return f"{page_url('runs')}?configuration={entry.configuration}"
    return f"{page_url('run', entry.runs[0])}#facts"


def _trust_cell(entry: Entry) -> Cell:
    """The word for its runs; where results are in doubt, their number before it, with a link to the worst."""
    word = trust_text(entry.trust, entry.reproduced_tasks, entry.verified_tasks)
    if not entry.doubts:
        return _badge(entry.trust, word, entry, run_address(entry))
    counts = Counter(one.doubt for one in entry.doubts)
    worst, *others = (f"{counts[one]} {one.label}" for one in DOUBTS if counts[one])
    first = entry.doubts[0]
    return _badge(first.doubt, worst, entry, page_url("result", first.result), ", ".join((*others, word)))


def _badge(trust: str, text: str, entry: Entry, url: str, note: str = "") -> Cell:
    word = TRUST[trust]
    return Cell(text, entry.trust, url, note, word.tone, word.mark)


def _trust_order(entry: Entry) -> float:
    """Reproduced before run here before claimed, and each with fewer results in doubt first."""
    in_doubt = len(entry.doubts) / (entry.of + 1)
    return OF_RUNS.index(Trust(entry.trust)) - in_doubt


def _day_cell(entry: Entry) -> Cell:
    at = entry.published_at
    return Cell(day(at), at.isoformat(), iso=at.isoformat())


def _cost_cell(entry: Entry) -> Cell:
    if entry.cost_usd is None:
        return Cell(NONE)
    some = entry.cost_usd_of < entry.sessions
    note = f"{entry.cost_usd_of} of {entry.sessions} report it" if some else ""
    return Cell(usd(entry.cost_usd), entry.cost_usd, note=note)


def _iso(at: datetime | None) -> str | None:
    return at.isoformat() if at else None


def _in_doubt(doubt: Trust, about: str) -> Field[Entry]:
    return hidden(doubt.value, lambda entry: sum(one.doubt == doubt for one in entry.doubts), about, "integer")


TRUST_FIELD: Field[Entry] = Field(
    "trust",
    "Trust",
    _trust_cell,
    metric="trust",
    sort=_trust_order,
    about="claimed, run_here or reproduced: the least trusted of its runs.",
    type="text",
)
PUBLISHED: Field[Entry] = Field(
    "published_at",
    "Published",
    _day_cell,
    is_number=True,
    sort=lambda entry: entry.published_at.timestamp(),
    about="When its newest run was published, as an ISO 8601 moment.",
    type="text",
)
COST: Field[Entry] = Field(
    "cost_usd",
    "Cost per task",
    _cost_cell,
    is_number=True,
    metric="cost",
    sort=lambda entry: entry.cost_usd,
    smallest_first=True,
    about="US dollars for a task: the mean over the agent's sessions that report a cost.",
)
BEHIND_PROVENANCE: tuple[Field[Entry], ...] = (
    hidden("agent", lambda entry: entry.agent, "Name of the agent.", "text"),
    hidden("model", lambda entry: entry.model, "Name of the model; none for agents without one.", "text"),
    hidden(
        "model_identifier", lambda entry: entry.model_identifier, "The model exactly as passed to its provider.", "text"
    ),
    hidden("reproduced_tasks", lambda entry: entry.reproduced_tasks, "Tasks that were reproduced here.", "integer"),
    hidden("verified_tasks", lambda entry: entry.verified_tasks, "Tasks that were evaluated again here.", "integer"),
    _in_doubt(Trust.HELD, "Results that are held until a reviewer has looked at them."),
    _in_doubt(Trust.SUSPECT, "Results that an audit found suspect."),
    _in_doubt(Trust.HACKED, "Results that an audit found hacked; they count as not correct."),
    hidden(
        "evaluated_from",
        lambda entry: _iso(entry.evaluated_from),
        "Start of its first evaluation, as an ISO 8601 moment.",
        "text",
    ),
    hidden(
        "evaluated_until",
        lambda entry: _iso(entry.evaluated_until),
        "End of its last evaluation, as an ISO 8601 moment.",
        "text",
    ),
    hidden("sessions", lambda entry: entry.sessions, "The agent's sessions.", "integer"),
    hidden("cost_usd_of", lambda entry: entry.cost_usd_of, "Sessions that report a cost.", "integer"),
)
