"""Upload handlers: one writes a file in chunks and stops at a maximum size; the other, of most views, takes no file.

A view takes files after it has decided that the sender may send them: until then nothing of the body is read.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler, StopUpload, TemporaryFileUploadHandler
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_protect

from runs import disk

MOST_BYTES = 128 << 20  # of one bundle, packed; evaluator/bundles/archives/limits.py refuses more
FORM_BYTES = 1 << 20  # allowance for the other fields and the multipart boundaries


View = Callable[..., HttpResponse]


def takes_files(view: View) -> View:
    """Let a view read files. It stands below the decorators that decide who may send them.

    Django looks for a form's CSRF token before it calls a view, and for that reads all of the body. Here it does so
    after the decorators.
    """
    protected = csrf_protect(view)

    @wraps(view)
    def reading(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        take_files(request)
        return protected(request, *args, **kwargs)

    reading.csrf_exempt = True  # type: ignore[attr-defined]
    return reading


def take_files(request: HttpRequest) -> None:
    """Let the files of this request be read, which a view calls that knows its user by a token."""
    request.upload_handlers = [BoundedUploadHandler(request)]


class NoFiles(FileUploadHandler):
    """Reads no file, and nothing at all of a body that is larger than any form without one."""

    def handle_raw_input(
        self, input_data: Any, META: dict[str, Any], content_length: int, boundary: str, encoding: str | None = None
    ) -> None:
        """
        Raises:
            RequestDataTooBig: the body is too large.
        """
        if content_length > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            raise RequestDataTooBig("this address takes no files")

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        raise StopUpload(connection_reset=True)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        return None

    def file_complete(self, file_size: int) -> None:
        return None


class BoundedUploadHandler(TemporaryFileUploadHandler):
    """Drops a file that is too large and sets `request.META["ARENA_TOO_LARGE"]`, so that the form can say so."""

    def handle_raw_input(
        self, input_data: Any, META: dict[str, Any], content_length: int, boundary: str, encoding: str | None = None
    ) -> None:
        """Refuse a body far beyond the limit, or without room on the disk, before a byte of it is read.

        Raises:
            NoRoom: there is no room for it.
        """
        self._meta = META
        if content_length > MOST_BYTES + FORM_BYTES:
            META["ARENA_TOO_LARGE"] = True
            return
        if shutil.disk_usage(settings.FILE_UPLOAD_TEMP_DIR).free < content_length:
            raise disk.NoRoom("the folder of temporary files has no room for this upload")
        disk.refuse_without_room(2 * content_length)  # it is stored under a temporary name, then under its own

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        if self._meta.get("ARENA_TOO_LARGE"):
            raise StopUpload(connection_reset=True)
        super().new_file(*args, **kwargs)
        self._received = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self._received += len(raw_data)
        if self._received > MOST_BYTES:
            self._meta["ARENA_TOO_LARGE"] = True
            self.file.close()
            raise StopUpload(connection_reset=True)
        disk.refuse_without_room()
        super().receive_data_chunk(raw_data, start)
