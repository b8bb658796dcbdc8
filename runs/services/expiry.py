"""Removes files that nobody needs: uploads of submissions rejected long ago, and what no row names.

A transaction that is taken back leaves its files in the archive, and a correction those of the claims it replaces.
"""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.db.models import OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from evaluator.state import UNFINISHED_S
from evaluator.wording import counted
from runs import archive
from runs.errors import RunError
from runs.models import AuditEntry, Submission
from runs.references import who_names

AT_ONCE = 500  # files for which one transaction keeps all others from writing


def remove_expired() -> tuple[int, int]:
    """Return for how many submissions the bytes have expired, and how many files were removed.

    Raises:
        RunError: more than half of the archive is named by no row: it may be another database's. All of it stays.
    """
    before = timezone.now() - timedelta(days=settings.REJECTED_DAYS)
    entries = AuditEntry.objects.filter(submission=OuterRef("pk"), action=AuditEntry.Action.REJECT).order_by("-at")
    rejected_at = Coalesce(Subquery(entries.values("at")[:1]), "received_at")
    rejected = Submission.objects.with_bytes().filter(state=Submission.State.REJECTED).alias(rejected_at=rejected_at)
    expired = rejected.filter(rejected_at__lt=before).update(bytes_removed_at=timezone.now())
    return expired, sum(_remove_unnamed(store) for store in (archive.UPLOADS, archive.ARCHIVE))


def _remove_unnamed(store: str) -> int:
    """Remove the old files that no row names; return how many."""
    files, named = dict(archive.files_of(store)), {digest for digest, _ in who_names(store=store)}
    unnamed = [digest for digest, path in files.items() if digest not in named and _is_old(path)]
    if store == archive.ARCHIVE and 2 * len(unnamed) > len(files):
        seen = f"no row names {len(unnamed)} of {counted(len(files), 'file')}"
        raise RunError(f"{archive.folder_of(store)}: {seen}, so none is removed; is DATABASE_URL right?")
    batches = (unnamed[start : start + AT_ONCE] for start in range(0, len(unnamed), AT_ONCE))
    return sum(_removed({digest: files[digest] for digest in batch}, store) for batch in batches)


@transaction.atomic
def _removed(files: dict[str, Path], store: str) -> int:
    """Remove those of the files that no row names yet, and that did not come again; return how many."""
    archive.hold_writers()
    named = {digest for digest, _ in who_names(files.keys(), store)}
    gone = [digest for digest, path in files.items() if digest not in named and _is_old(path)]
    for digest in gone:
        archive.remove(digest, store)
    return len(gone)


def _is_old(path: Path) -> bool:
    """Return whether the row of a file, if it has one, must be stored by now."""
    try:
        return time.time() - path.stat().st_mtime >= UNFINISHED_S
    except FileNotFoundError:  # another process has removed it
        return False
