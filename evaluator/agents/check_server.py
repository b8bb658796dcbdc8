"""Serves `arena check`: receives a workspace through a socket, evaluates it outside the sandbox, returns the report.

What arrives is untrusted and treated as such: whatever it holds is a candidate, correct or not.
"""

from __future__ import annotations

import base64
import binascii
import json
import socket
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from evaluator.agents.interface import SessionContext
from evaluator.errors import EvaluatorError, HostError
from evaluator.inside import arena
from evaluator.records.reasons import Status
from evaluator.tasks.candidate import Candidate, NotASource, candidate_from_files

MAX_MESSAGE_BYTES = 64 << 20
TALK_S = 30.0  # to send a workspace
HOST_FAILED = "the host failed; nothing can be checked in this session any more\n"


class CheckServer:
    """Runs one check at a time in a thread; a fault of the host is raised when the server closes."""

    def __init__(self, context: SessionContext, sockets: Path) -> None:
        self._context = context
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        path = sockets / Path(arena.CHECK).name
        self._listener.bind(str(path))
        path.chmod(0o666)
        self._listener.listen(8)
        self._over = threading.Event()
        self._fault: EvaluatorError | None = None
        self._thread = threading.Thread(target=self._serve, name="arena check")
        self._thread.start()

    def __enter__(self) -> CheckServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wait for a running check, then close."""
        self._over.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()
        if self._fault is not None and error is None:
            raise self._fault

    def _serve(self) -> None:
        while not self._over.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError as error:
                if not self._over.is_set():
                    self._fail(error)
                    self._listener.close()  # otherwise clients would wait for a reply that never comes
                return
            with connection:
                self._serve_one(connection)

    def _serve_one(self, connection: socket.socket) -> None:
        """Serve one connection; one that breaks off early is ignored."""
        connection.settimeout(TALK_S)
        try:
            message = arena.receive(connection, MAX_MESSAGE_BYTES)
        except OSError:
            return
        reply = self._reply(message)
        with suppress(OSError):
            arena.send(connection, json.dumps(reply).encode())

    def _reply(self, message: bytes) -> dict[str, object]:
        if self._fault is not None:
            return {"code": 2, "text": HOST_FAILED}
        if self._over.is_set() or self._context.left_s <= 0:
            return {"code": 2, "text": "the session has run out of time\n"}
        try:
            candidate = candidate_of(message, self._context)
            if candidate is None:
                return {"code": 2, "text": "that is no workspace\n"}
            checked = self._context.check(candidate)
        except Exception as error:  # whatever breaks in a check is the host's fault, and the thread must go on
            self._fail(error)
            return {"code": 2, "text": HOST_FAILED}
        passed = checked.record.status is Status.PASSED
        return {"code": 0 if passed else 1, "text": f"version {checked.number}\n{checked.text}"}

    def _fail(self, error: Exception) -> None:
        if isinstance(error, EvaluatorError):
            self._fault = error
            return
        self._fault = HostError(f"`arena check` failed: {type(error).__name__}: {error}")
        self._fault.__cause__ = error


def candidate_of(message: bytes, context: SessionContext) -> Candidate | None:
    """The candidate in a message from the sandbox; None if the message is not a workspace."""
    try:
        raw = json.loads(message)
        pairs = raw.items() if isinstance(raw, dict) else None
        files = {
            str(name): NotASource() if data is None else base64.b64decode(data, validate=True)
            for name, data in pairs or ()
        }
    except (ValueError, TypeError, RecursionError, binascii.Error):
        return None
    if pairs is None:
        return None
    return candidate_from_files(files, context.task, label=context.agent, ignore_extra=True)
