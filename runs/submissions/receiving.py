"""Receives a submitted form, for the page and the API. The bytes are stored unread."""

from __future__ import annotations

import hashlib

from django.contrib.auth.models import User
from django.http import HttpRequest

from evaluator.wording import field_label
from runs import archive
from runs.errors import RunError
from runs.models import Submission
from runs.services import corrections, submissions
from runs.submissions.forms import SubmitForm


class SaidOtherwise(RunError):
    """The same bytes came again with other facts or another licence."""


def receive(form: SubmitForm, user: User, key: str = "") -> tuple[Submission, bool]:
    """Store the upload; return the submission and whether this call queued a check.

    Raises:
        SaidOtherwise: its submitter declared something else of these bytes before.
        RunError: the idempotency key was used for other bytes.
        QuotaError: the submitter may have no more submissions or bytes.
        NoRoom: the disk is nearly full.
    """
    file = form.cleaned_data["bundle"]
    sha256 = hashlib.sha256()
    for chunk in file.chunks(archive.CHUNK_BYTES):
        sha256.update(chunk)
    submissions.refuse_unwanted(digest=sha256.hexdigest(), size_bytes=file.size, user=user)
    digest, size = archive.put_upload(file.chunks(archive.CHUNK_BYTES))
    upload = submissions.Upload(
        digest=digest,
        size_bytes=size,
        file_name=file.name,
        declared=form.declared(),
        licence=form.cleaned_data["licence"],
        wants_mail=form.cleaned_data["mail"],
        idempotency_key=key,
    )
    submission, is_new = submissions.receive(upload=upload, actor=user)
    said = {} if is_new or submission.submitter_id != user.pk else corrections.differences(submission, upload)
    if said:
        told = "; ".join(f"{field_label(name)}: {value}" for name, value in said.items())
        raise SaidOtherwise(
            f"you submitted this file before, as {submission}, which keeps what you said of it ({told}): "
            "add what is missing on its page, or take it down"
        )
    return submission, is_new


def is_too_large(request: HttpRequest) -> bool:
    """Return whether the upload handler dropped a file. Known only after the request's body was read."""
    return bool(request.META.get("ARENA_TOO_LARGE"))
