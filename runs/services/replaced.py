"""Sessions that ended without a candidate, and that a rerun has another one held in place of.

What such a session was stays in the trail's entry of the rerun, and its text in the archive. What it cost is spent.
"""

from __future__ import annotations

import re
from datetime import date

from django.db.models import QuerySet

from runs import agents
from runs.models import AgentSession, AuditEntry, Result, Run
from runs.querysets import today

UNWRITTEN = {"candidate_files": {}, "candidate_problems": [], "candidate_digest": ""}
UNKNOWN = "unknown"
_BEFORE = re.compile(r"in place of its session of ([0-9-]{10}): \w+, (\S+) USD, ([0-9]+) lost before it, [0-9a-f]{64}")


def replace_session(result: Result) -> str:
    """Let its agent work again, where the session there was ended without a candidate; the line for the trail.

    Empty, and nothing changes: it has a candidate, it comes from outside, or somebody may have seen that it has none.
    """
    session = AgentSession.objects.filter(result=result).exclude(ended="").first()
    if session is None or result.candidate_files or result.run.state != Run.State.DRAFT:
        return ""
    if result.run.is_from_outside or not agents.works_in_sessions(result.run.configuration):
        return ""
    session.delete()
    Result.objects.filter(pk=result.pk).update(**UNWRITTEN)
    result.refresh_from_db(fields=list(UNWRITTEN))
    return _line(session)


def spent_on_replaced(entries: QuerySet[AuditEntry], task_usd: float, *, day: date | None = None) -> float:
    """US dollars, of one day alone where it is given: what they said, the estimate for what nobody knows."""
    spent = 0.0
    for detail in entries.filter(action=AuditEntry.Action.RERUN).exclude(detail="").values_list("detail", flat=True):
        found = _BEFORE.fullmatch(detail)
        if found and day in (None, date.fromisoformat(found[1])):
            said = task_usd if found[2] == UNKNOWN else float(found[2])
            spent += said + int(found[3]) * task_usd
    return spent


def replaced_today() -> QuerySet[AuditEntry]:
    """Entries of reruns that may be of a session of today."""
    return AuditEntry.objects.filter(action=AuditEntry.Action.RERUN, at__gte=today()).exclude(detail="")


def _line(session: AgentSession) -> str:
    cost = UNKNOWN if session.cost_usd is None else repr(session.cost_usd)
    parts = (session.ended, f"{cost} USD", f"{session.abandoned} lost before it", session.digest)
    return f"in place of its session of {session.started_at:%Y-%m-%d}: {', '.join(parts)}"
