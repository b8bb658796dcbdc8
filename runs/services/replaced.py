"""Sessions that ended without a candidate, which a rerun replaces by a new one.

The rerun's entry in the audit log records the old session's end, cost and digest, and its record stays in the archive.
Its cost still counts as spent.
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
_DETAIL = re.compile(r"in place of its session of ([0-9-]{10}): \w+, (\S+) USD, ([0-9]+) lost before it, [0-9a-f]{64}")


def replace_session(result: Result) -> str:
    """Remove a session that ended without a candidate, so that the agent works again; return the audit log's detail.

    Return an empty text, and change nothing, if the result has a candidate, comes from outside or was public.
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
    """Return what replaced sessions cost in US dollars, on one day if it is given.

    A session that reported no cost, or was lost, counts with the estimate `task_usd`.
    """
    spent = 0.0
    for detail in entries.filter(action=AuditEntry.Action.RERUN).exclude(detail="").values_list("detail", flat=True):
        found = _DETAIL.fullmatch(detail)
        if found and day in (None, date.fromisoformat(found[1])):
            cost_usd = task_usd if found[2] == UNKNOWN else float(found[2])
            spent += cost_usd + int(found[3]) * task_usd
    return spent


def replaced_today() -> QuerySet[AuditEntry]:
    """Return today's audit entries of reruns that replaced a session."""
    return AuditEntry.objects.filter(action=AuditEntry.Action.RERUN, at__gte=today()).exclude(detail="")


def _line(session: AgentSession) -> str:
    cost = UNKNOWN if session.cost_usd is None else repr(session.cost_usd)
    parts = (session.ended, f"{cost} USD", f"{session.abandoned} lost before it", session.digest)
    return f"in place of its session of {session.started_at:%Y-%m-%d}: {', '.join(parts)}"
