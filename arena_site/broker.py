"""kombu's filesystem broker with atomic writes, for many readers at once.

kombu's own writes a message under its final name, so it may be read while it is incomplete. It also moves messages to
the system's temporary folder, and a malformed message ends the worker.
"""

from __future__ import annotations

import logging
import uuid
from pathlib import Path
from queue import Empty
from time import time_ns
from typing import Any

from kombu.transport import filesystem
from kombu.utils.json import dumps, loads

log = logging.getLogger(__name__)


class FilesystemChannel(filesystem.Channel):
    """A channel that writes and takes messages atomically."""

    def _put(self, queue: Any, payload: Any, **options: Any) -> None:  # type: ignore[override]
        """Write a message under a temporary name, then rename it."""
        whole = Path(self.data_folder_out, f"{time_ns()}_{uuid.uuid4()}.{queue}.msg")
        part = whole.with_suffix(".part")
        part.write_text(dumps(payload), encoding="utf-8")  # type: ignore[no-untyped-call]
        part.rename(whole)

    def _get(self, queue: Any, timeout: Any = None) -> dict[str, Any]:
        """Take the oldest readable message. Malformed ones are deleted; their work is still queued in the database."""
        for path in sorted(Path(self.data_folder_in).glob(f"*.{queue}.msg")):
            taken = Path(self.processed_folder, path.name)
            try:
                path.rename(taken)
            except OSError:  # another worker was faster
                continue
            try:
                return _message_in(taken)
            except (OSError, ValueError) as error:
                log.warning("%s is not a message: %s", path.name, error)
            finally:
                taken.unlink(missing_ok=True)
        raise Empty


class Transport(filesystem.Transport):
    Channel = FilesystemChannel  # the name that kombu looks for


def _message_in(path: Path) -> dict[str, Any]:
    """Read a message.

    Raises:
        ValueError: the file is not a message.
    """
    payload = loads(path.read_text(encoding="utf-8"))  # type: ignore[no-untyped-call]
    properties = payload.get("properties") if isinstance(payload, dict) else None
    if not isinstance(properties, dict) or not {"delivery_tag", "delivery_info"} <= properties.keys():
        raise ValueError("it has no message properties")
    return dict(payload)
