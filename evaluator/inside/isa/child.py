"""A forked process in which a compiler may die, and its result.

It uses no device, so it may be forked from a process that has one.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import select
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from typing import Any, NoReturn

from evaluator.inside.excerpts import excerpt
from evaluator.inside.isa.targets import NOT_IN_TIME

MAX_TEXT, MAX_PRINTED = 4000, 1 << 20


class Child:
    """A forked process that sends one JSON object."""

    def __init__(self, job: Callable[[], dict[str, Any]], limit_s: float) -> None:
        self._begin, self._limit_s, self.seconds = time.monotonic(), limit_s, 0.0
        self._output, name = tempfile.mkstemp()
        os.unlink(name)
        self._fd, writable = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of 3.12, on forks beside threads
            self._pid = os.fork()
        if self._pid == 0:
            _run(job, writable, self._output, limit_s)
        os.close(writable)

    def result(self) -> dict[str, Any]:
        """Wait for the result; it has `error`, with what the child printed, if it failed, died or ran out of time."""
        try:
            text = _read(self._fd, self._begin + self._limit_s)
        finally:
            status = self._end()
        self.seconds = time.monotonic() - self._begin
        printed = excerpt(os.pread(self._output, MAX_PRINTED, 0).decode(errors="replace").strip(), MAX_TEXT)
        os.close(self._output)
        if text is None:
            return {"error": f"{NOT_IN_TIME} {self._limit_s:g} s"}
        result = json.loads(text) if text else {"error": f"the compiler {_ending(status)}"}
        return {**result, "error": _last_words(result["error"], printed)} if "error" in result else dict(result)

    def _end(self) -> int:
        os.close(self._fd)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)  # it has replied, has died, or is too late
        return os.waitpid(self._pid, 0)[1]


def _read(fd: int, deadline: float) -> bytes | None:
    """Read until the other end is closed; None if that does not happen in time."""
    data = b""
    while select.select([fd], [], [], max(0.0, deadline - time.monotonic()))[0]:
        piece = os.read(fd, 1 << 16)
        if not piece:
            return data
        data += piece
    return None


def _run(job: Callable[[], dict[str, Any]], fd: int, output: int, limit_s: float) -> NoReturn:
    try:
        gc.disable()  # a collection would copy the parent's pages
        os.dup2(output, 1)
        os.dup2(output, 2)
        sys.stdout = sys.stderr = os.fdopen(output, "w", buffering=1)
        seconds = int(limit_s) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))  # in case the parent dies
        _write(fd, json.dumps(job()).encode())
    finally:
        os._exit(0)


def _write(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


def _ending(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"was ended by signal {os.WTERMSIG(status)}"
    return f"ended with exit status {os.WEXITSTATUS(status)}"


def _last_words(error: str, printed: str) -> str:
    return excerpt(f"{error}\n{printed}", MAX_TEXT) if printed else error
