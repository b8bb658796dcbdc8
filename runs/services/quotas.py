"""What one submitter may have here at a time: bytes of uploads that are kept, and submissions that are not decided."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Sum

from evaluator.wording import counted
from runs.errors import QuotaError
from runs.models import Submission

State = Submission.State
OPEN = (State.RECEIVED, State.CHECKING, State.ACCEPTED, State.VERIFYING)


@dataclass(frozen=True, slots=True)
class KeptAndOpen:
    """What a submitter has, beside one upload."""

    kept_bytes: int
    open: int

    @property
    def kept_mb(self) -> int:
        return mb_of(self.kept_bytes)


def mb_of(size_bytes: int) -> int:
    """Return the size in MiB, rounded up."""
    return -(-size_bytes // (1 << 20))


def usage_of(user: User, *, beside: str = "") -> KeptAndOpen:
    """Return what the submitter has, not counting the upload with the digest `beside`."""
    mine = Submission.objects.filter(submitter=user).exclude(digest=beside)
    kept = mine.with_bytes().aggregate(total=Sum("size_bytes", default=0))["total"]
    return KeptAndOpen(kept, mine.filter(state__in=OPEN).count())


def refuse_beyond_quota(*, user: User, digest: str, size_bytes: int) -> None:
    """Refuse an upload that would be beyond the submitter's quota; the same bytes are never counted twice.

    Raises:
        QuotaError: with everything that is beyond it.
    """
    used, most_mb, most_open = usage_of(user, beside=digest), settings.QUOTA_MB, settings.QUOTA_OPEN
    problems = []
    if used.open >= most_open:
        problems.append(f"you have {counted(used.open, 'open submission')}, and may have {most_open} at a time")
    if used.kept_bytes + size_bytes > most_mb << 20:
        with_it = mb_of(used.kept_bytes + size_bytes)
        problems.append(f"your uploads would take {with_it} MB with this one, and may take {most_mb} MB")
    if problems:
        raise QuotaError("; ".join(problems))
