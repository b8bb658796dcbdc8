"""kombu's filesystem broker with atomic writes, for many readers at once.

kombu's own writes a message under its final name, so it may be read while it is incomplete. It also moves messages to
the system's temporary folder, and a malformed message ends the worker. Here a file has the job's name and arguments
alone; the rest of a message, which Celery trusts, is made when it is taken. How old it is stands in its name: one that
nobody wants any more is deleted instead, at the latest by the night's work (operations/schedule.py).
"""

from __future__ import annotations

import json
import logging
import re
import uuid
from pathlib import Path
from queue import Empty
from time import time_ns
from typing import Any

from celery import current_app
from kombu.serialization import dumps
from kombu.transport import filesystem
from kombu.utils.json import loads

from runs.job_messages import CHECK, EVALUATE, HINT_S

MOST_BYTES = 4096  # of a file; one of ours has 60
_SENT_NS = re.compile(r"(\d+)_")
log = logging.getLogger(__name__)


class FilesystemChannel(filesystem.Channel):
    """A channel that writes and takes messages atomically."""

    def _put(self, queue: Any, payload: Any, **options: Any) -> None:  # type: ignore[override]
        """Write a message under a temporary name, then rename it."""
        whole = Path(self.data_folder_out, f"{time_ns()}_{uuid.uuid4()}.{queue}.msg")
        part = whole.with_suffix(".part")
        body = self.decode_body(payload["body"], payload["properties"]["body_encoding"])  # type: ignore[no-untyped-call]
        said = {"task": payload["headers"]["task"], "args": loads(body)[0]}  # type: ignore[no-untyped-call]
        part.write_text(json.dumps(said), encoding="ascii")
        part.rename(whole)

    def _get(self, queue: Any, timeout: Any = None) -> dict[str, Any]:
        """Take the oldest readable message. Malformed ones and those older than HINT_S are deleted.

        Their work is still queued in the database.
        """
        for path in sorted(Path(self.data_folder_in).glob(f"*.{queue}.msg")):
            if not path.is_file() or path.is_symlink():
                continue  # whatever it is, nobody sent it
            taken = Path(self.processed_folder, path.name)
            try:
                path.rename(taken)
            except OSError:  # another worker was faster
                continue
            try:
                if _is_late(path):
                    continue
                task, arguments = _said_in(taken)
                return self._message(queue, task, arguments)
            except (OSError, ValueError, RecursionError) as error:
                log.warning("%s is not a message: %s", path.name, error)
            finally:
                taken.unlink(missing_ok=True)
        raise Empty

    def _message(self, queue: str, task: str, arguments: list[int]) -> dict[str, Any]:
        made = current_app.amqp.as_task_v2(str(uuid.uuid4()), task, arguments)
        kind, encoding, body = dumps(made.body, "json")  # type: ignore[no-untyped-call]
        message: dict[str, Any] = self.prepare_message(body, None, kind, encoding, made.headers, made.properties)  # type: ignore[no-untyped-call]
        self._inplace_augment_message(message, "", queue)  # type: ignore[no-untyped-call]
        return message


class Transport(filesystem.Transport):
    Channel = FilesystemChannel  # the name that kombu looks for


def _is_late(path: Path) -> bool:
    sent = _SENT_NS.match(path.name)
    return sent is not None and time_ns() - int(sent[1]) > HINT_S * 10**9


def _said_in(path: Path) -> tuple[str, list[int]]:
    """Return the name of a job and its only argument, the id of a row.

    Raises:
        ValueError, RecursionError: the file is not a message.
    """
    with path.open("rb") as file:
        said = json.loads(file.read(MOST_BYTES))
    if not isinstance(said, dict) or said.keys() != {"task", "args"}:
        raise ValueError("seen something else than a task and its args")
    task, arguments = said["task"], said["args"]
    if task not in (EVALUATE, CHECK):
        raise ValueError("seen a task that is no job of ours")
    if not isinstance(arguments, list) or [type(one) for one in arguments] != [int]:
        raise ValueError("seen args that are not the id of a row")
    return task, arguments
