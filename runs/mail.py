"""Mails submitters who asked for it about their submission. A mail server that fails stops nothing else."""

from __future__ import annotations

import functools
import logging
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction

from runs.models import Submission

log = logging.getLogger(__name__)


def on_commit(submission: Submission, sentence: str) -> None:
    """Send one plain mail after the commit, if the submitter asked for mail and has an address."""
    address = submission.submitter.email if submission.submitter else ""
    if submission.wants_mail and address:
        subject = f"ArenaBoard: submission {submission.pk} is {submission.get_state_display()}"
        text = f"{sentence}\n\n{settings.SITE_URL}/submission/{submission.pk}/mine/\n"
        transaction.on_commit(functools.partial(_send, subject, text, address))


def _send(subject: str, text: str, address: str) -> None:
    try:
        send_mail(subject, text, None, [address])
    except (SMTPException, OSError) as error:
        log.warning("mail could not be sent: %s", error)
