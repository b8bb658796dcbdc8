"""An upload handler that writes to a file in chunks and stops at a maximum size."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadhandler import StopUpload, TemporaryFileUploadHandler

MOST_BYTES = 128 << 20  # of one bundle, packed; evaluator/bundles/archives/limits.py refuses more
FORM_BYTES = 1 << 20  # allowance for the other fields and the multipart boundaries


class BoundedUploadHandler(TemporaryFileUploadHandler):
    """Drops a file that is too large and sets `request.META["ARENA_TOO_LARGE"]`, so that the form can say so."""

    def handle_raw_input(
        self, input_data: Any, META: dict[str, Any], content_length: int, boundary: str, encoding: str | None = None
    ) -> None:
        """Refuse a body far beyond the limit before a byte of it is read."""
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
