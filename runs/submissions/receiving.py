"""Receives a submitted form, for the page and the API. The bytes are stored unread."""

from __future__ import annotations

import hashlib
from typing import Any

from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import HttpRequest

from evaluator.wording import field_label
from runs import archive
from runs.errors import RunError
from runs.models import Submission
from runs.services import corrections, submissions
from runs.submissions.forms import SubmitForm

QUOTA_HINT = "Wait for a decision, or take down what is not needed."


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
    digest, size = sha256.hexdigest(), file.size
    submissions.refuse_unwanted(digest=digest, size_bytes=size, user=user, idempotency_key=key)
    upload = submissions.Upload(
        digest=digest,
        size_bytes=size,
        file_name=file.name,
        declared=form.declared(),
        licence=form.cleaned_data["licence"],
        wants_mail=form.cleaned_data["mail"],
        idempotency_key=key,
    )
    try:
        submission, is_new = _stored(upload, file, user)
    except RunError:
        submissions.remove_refused(digest=digest)
        raise
    said = {} if is_new or submission.submitter_id != user.pk else corrections.differences(submission, upload)
    if said:
        if submission.outcome == Submission.Outcome.TAKEN_DOWN:
            raise SaidOtherwise(
                f"you submitted this file before, as {submission}, which was taken down: "
                "its file is not kept again, and nothing can be added to it"
            )
        told = "; ".join(f"{field_label(name)}: {value}" for name, value in said.items())
        raise SaidOtherwise(
            f"you submitted this file before, as {submission}, which keeps what you said of it ({told}): "
            "add what is missing on its page, or take it down"
        )
    return submission, is_new


def _stored(upload: submissions.Upload, file: UploadedFile[Any], user: User) -> tuple[Submission, bool]:
    """Store the bytes, then the row; the bytes once more if another upload of them was refused meanwhile."""
    while True:
        archive.put_upload(file.chunks(archive.CHUNK_BYTES))
        with transaction.atomic():
            archive.hold_removals()
            if archive.has(upload.digest, archive.UPLOADS):
                return submissions.receive(upload=upload, actor=user)


def is_too_large(request: HttpRequest) -> bool:
    """Return whether the upload handler dropped a file. Known only after the request's body was read."""
    return bool(request.META.get("ARENA_TOO_LARGE"))
