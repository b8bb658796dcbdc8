"""The counter of changes to what is public."""

from __future__ import annotations

from django.db.models import Subquery

from runs.models import AuditEntry, Revision


def revision() -> str:
    """Another text after each change: an entry of the trail comes with its change, the counter right after it."""
    newest = AuditEntry.objects.order_by("-id").values("id")[:1]
    found = Revision.objects.values_list("number", Subquery(newest)).first() or (0, 0)
    return "-".join(str(part or 0) for part in found)
