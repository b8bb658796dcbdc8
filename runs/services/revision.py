"""How often anything that is public may have changed: what a page was made of is told by one number.

Rows are watched where they are saved and removed, so that no writer can forget to say so. Live rows (attempts, a host's
signs of life) are not among them: the pages that show those are compared by their bytes.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.signals import post_delete, post_save

from runs.models import (
    Agent,
    AuditEntry,
    Calibration,
    Configuration,
    DeviceClass,
    Host,
    ModelVersion,
    PublishedTable,
    Result,
    ResultAudit,
    Review,
    Revision,
    Round,
    Run,
    Submission,
    Suite,
    Task,
    Verification,
)

WATCHED = (
    *(Agent, ModelVersion, Configuration, DeviceClass, Host, Calibration, Task, Suite, PublishedTable),
    *(Round, Run, Result, AuditEntry, Submission, Verification, ResultAudit, Review),
)


def watch() -> None:
    for model in WATCHED:
        for signal in (post_save, post_delete):
            signal.connect(public_changed, sender=model, dispatch_uid="revision")


def public_changed(**about: Any) -> None:
    """After the commit, once: a lock on the one row within it would make writers wait for each other, or dead-lock."""
    waiting = transaction.get_connection().run_on_commit
    if not waiting or waiting[-1][1] is not _bump:
        transaction.on_commit(_bump)


def _bump() -> None:
    if not Revision.objects.filter(pk=1).update(number=F("number") + 1):
        Revision.objects.get_or_create(pk=1, defaults={"number": 1})
