"""Receives a submitted form, for the page and the API. The bytes are stored unread."""

from __future__ import annotations

import hashlib

from django.contrib.auth.models import User
from django.http import HttpRequest

from runs import archive
from runs.models import Submission
from runs.services import submissions
from runs.submissions.forms import SubmitForm


def receive(form: SubmitForm, user: User, key: str = "") -> tuple[Submission, bool]:
    """Store the upload; return the submission and whether this call queued a check.

    Raises:
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
    return submissions.receive(upload=upload, actor=user)


def is_too_large(request: HttpRequest) -> bool:
    """Return whether the upload handler dropped a file. Known only after the request's body was read."""
    return bool(request.META.get("ARENA_TOO_LARGE"))
