"""Sends a row's message again when it must have been lost: to a worker that is free, and more and more rarely.

However long a row waits and however many sweepers run, few of its messages are in the broker: each further one waits
twice as long, and workers drop messages of more than an hour (runs/job_messages.py). One that a worker took and could
not use, since its host is disabled, is in the broker no more: the next one follows soon, until the right worker has it.
"""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from runs import job_messages
from runs.models import Attempt, Host, Submission

FIRST_S, LONGEST_S = 3.0, 120.0  # a message that a free worker has not taken after FIRST_S counts as lost


def free_workers() -> QuerySet[Host]:
    """Return hosts whose worker is alive and runs no attempt. It may be checking a submission."""
    alive_since = Now() - timedelta(seconds=3 * settings.HEARTBEAT_S)
    alive = Host.objects.filter(is_enabled=True, quarantined_at__isnull=True, seen_at__gte=alive_since)
    return alive.exclude(attempts__status=Attempt.Status.RUNNING)


def send_check(submission: Submission) -> None:
    """Send the message that a submission waits for its check, in the caller's transaction; a free worker takes it."""
    Submission.objects.filter(pk=submission.pk).update(message_sent_at=Now(), messages_resent=0)
    job_messages.send_check_on_commit(submission_id=submission.pk)


def taken_in_vain(waiting: QuerySet[Attempt] | QuerySet[Submission]) -> None:
    """Note that a worker took a message of these rows, which wait all the same: the next one need not be rarer."""
    waiting.update(messages_resent=0)


def may_send_again(row: Attempt | Submission) -> bool:
    """Return whether the row's last message is lost, and note that it is sent again: only one caller gets True."""
    wait_s = min(LONGEST_S, FIRST_S * 2 ** min(row.messages_resent, 10))
    same = type(row).objects.filter(pk=row.pk, messages_resent=row.messages_resent)
    lost = same.exclude(message_sent_at__gt=Now() - timedelta(seconds=wait_s))
    return bool(lost.update(message_sent_at=Now(), messages_resent=F("messages_resent") + 1))
