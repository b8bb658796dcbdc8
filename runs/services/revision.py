"""A counter of changes to public rows, from which ETags of pages are made.

Signals of saved and deleted rows increase it, so no writer can forget to. Live rows (attempts, heartbeats of hosts) are
not counted: pages that show them get ETags from their bytes.
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
    """Increase the counter once after the commit. Within the transaction, the row's lock could cause deadlocks."""
    waiting = transaction.get_connection().run_on_commit
    if not waiting or waiting[-1][1] is not _bump:
        transaction.on_commit(_bump)


def _bump() -> None:
    if not Revision.objects.filter(pk=1).update(number=F("number") + 1):
        Revision.objects.get_or_create(pk=1, defaults={"number": 1})
