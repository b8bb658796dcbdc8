"""Removes uploads that nobody needs: those of submissions rejected long ago, and those that no submission names."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from runs import archive
from runs.models import Submission
from runs.references import who_names

GRACE_S = 86_400.0  # a younger file may belong to an upload whose row is not stored yet


def remove_expired() -> tuple[int, int]:
    """Return for how many submissions the bytes have expired, and how many files were removed."""
    before = timezone.now() - timedelta(days=settings.REJECTED_DAYS)
    rejected = Submission.objects.with_bytes().filter(state=Submission.State.REJECTED, received_at__lt=before)
    expired = rejected.update(bytes_removed_at=timezone.now())
    named = {digest for digest, _ in who_names(store=archive.UPLOADS)}
    unnamed = [path for digest, path in archive.files_of(archive.UPLOADS) if digest not in named]
    parts = list(Path(settings.ARCHIVE_FOLDER).rglob("*.part"))  # of processes that were killed
    return expired, sum(_removed(path) for path in (*unnamed, *parts))


def _removed(path: Path) -> bool:
    """Remove a file that is older than the grace; return whether it was."""
    try:
        if time.time() - path.stat().st_mtime < GRACE_S:
            return False
        path.unlink()
    except FileNotFoundError:  # another process has removed it
        return False
    return True
