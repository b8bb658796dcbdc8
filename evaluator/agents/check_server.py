"""Answers `arena check`: takes a workspace through a socket, has it judged outside the sandbox, says what was found.

What arrives is the agent's word, and judged as such: whatever it holds, it is a candidate, right or wrong.
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

from evaluator.agents.interface import Desk
from evaluator.errors import EvaluatorError, HostError
from evaluator.inside import arena
from evaluator.records.reasons import Status
from evaluator.tasks.candidate import MAX_BYTES, Candidate, compared

MAX_MESSAGE_BYTES = 64 << 20
TALK_S = 30.0  # to hand in a workspace
HOST_FAILED = "the host failed; nothing can be checked in this session any more\n"


class CheckServer:
    """One check at a time, in a thread of its own; what goes wrong with us is raised when it closes."""

    def __init__(self, desk: Desk, sockets: Path) -> None:
        self._desk = desk
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
        """Waits for a check that is at work."""
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
                    self._listener.close()  # else whoever asks waits for an answer that nobody gives
                return
            with connection:
                self._serve_one(connection)

    def _serve_one(self, connection: socket.socket) -> None:
        """An agent that sends nothing whole, or does not wait for the answer, has its own reasons."""
        connection.settimeout(TALK_S)
        try:
            message = arena.receive(connection, MAX_MESSAGE_BYTES)
        except OSError:
            return
        answer = self._answer(message)
        with suppress(OSError):
            arena.send(connection, json.dumps(answer).encode())

    def _answer(self, message: bytes) -> dict[str, object]:
        if self._fault is not None:
            return {"code": 2, "text": HOST_FAILED}
        if self._over.is_set() or self._desk.left_s <= 0:
            return {"code": 2, "text": "the session's time is over\n"}
        try:
            candidate = candidate_of(message, self._desk)
            if candidate is None:
                return {"code": 2, "text": "that is no workspace\n"}
            checked = self._desk.check(candidate)
        except Exception as error:  # a border: whatever breaks in a check is ours, and the thread goes on
            self._fail(error)
            return {"code": 2, "text": HOST_FAILED}
        right = checked.record.status is Status.PASSED
        return {"code": 0 if right else 1, "text": f"version {checked.number}\n{checked.text}"}

    def _fail(self, error: Exception) -> None:
        if isinstance(error, EvaluatorError):
            self._fault = error
            return
        self._fault = HostError(f"`arena check` failed: {type(error).__name__}: {error}")
        self._fault.__cause__ = error


def candidate_of(message: bytes, desk: Desk) -> Candidate | None:
    """A workspace as it was sent; None if it is none."""
    try:
        raw = json.loads(message)
        pairs = raw.items() if isinstance(raw, dict) else None
        files = {
            str(name): None if data is None else base64.b64decode(data, validate=True) for name, data in pairs or ()
        }
    except (ValueError, TypeError, RecursionError, binascii.Error):
        return None
    if pairs is None:
        return None
    bounded = {name: data if data is None or len(data) <= MAX_BYTES else None for name, data in files.items()}
    return compared(bounded, desk.task, label=desk.agent, ignore_extra=True)
