"""Uploads go to a file in pieces, and stop at a size: the body of a request is never held in memory."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadhandler import StopUpload, TemporaryFileUploadHandler

MOST_BYTES = 128 << 20  # of one bundle as it lies on disk; evaluator/bundles/archives/limits.py refuses more
FORM_BYTES = 1 << 20  # what the other fields and the borders between them may add


class BoundedUploadHandler(TemporaryFileUploadHandler):
    """A file that is too long is dropped, and `request.META["ARENA_TOO_LARGE"]` says so; the form then tells why."""

    def handle_raw_input(
        self, input_data: Any, META: dict[str, Any], content_length: int, boundary: str, encoding: str | None = None
    ) -> None:
        """Before a byte is read: a body far beyond the limit is not even drained."""
        self._meta = META
        if content_length > MOST_BYTES + FORM_BYTES:
            META["ARENA_TOO_LARGE"] = True

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
        super().receive_data_chunk(raw_data, start)
