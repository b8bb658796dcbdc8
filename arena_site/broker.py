"""kombu's broker of files, made safe for readers that look at any moment: a message is there whole or not at all.

kombu writes a message under the name that readers look for, so one may be read while it is empty; it moves what it
takes through the system's temporary folder; and what it cannot read ends the worker.
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
    def _put(self, queue: Any, payload: Any, **options: Any) -> None:  # type: ignore[override]
        """Under a name that no reader looks for, then at once under its own."""
        whole = Path(self.data_folder_out, f"{time_ns()}_{uuid.uuid4()}.{queue}.msg")
        part = whole.with_suffix(".part")
        part.write_text(dumps(payload), encoding="utf-8")  # type: ignore[no-untyped-call]
        part.rename(whole)

    def _get(self, queue: Any, timeout: Any = None) -> dict[str, Any]:
        """The oldest message that can be read; what cannot is removed, for its row waits in the queue of record."""
        for path in sorted(Path(self.data_folder_in).glob(f"*.{queue}.msg")):
            taken = Path(self.processed_folder, path.name)
            try:
                path.rename(taken)
            except OSError:  # another worker was faster
                continue
            try:
                return _message_in(taken)
            except (OSError, ValueError) as error:
                log.warning("%s is no message: %s", path.name, error)
            finally:
                taken.unlink(missing_ok=True)
        raise Empty


class Transport(filesystem.Transport):
    Channel = FilesystemChannel  # the name that kombu looks for


def _message_in(path: Path) -> dict[str, Any]:
    """
    Raises:
        ValueError: the file holds something else.
    """
    payload = loads(path.read_text(encoding="utf-8"))  # type: ignore[no-untyped-call]
    properties = payload.get("properties") if isinstance(payload, dict) else None
    if not isinstance(properties, dict) or not {"delivery_tag", "delivery_info"} <= properties.keys():
        raise ValueError("it has no properties of a message")
    return dict(payload)
