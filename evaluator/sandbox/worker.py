"""The judge's handle of a worker process: commands with deadlines, a shared mailbox, captured output."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from types import TracebackType
from typing import Protocol

from evaluator.errors import SandboxError
from evaluator.inside.channel import BadFrame, ChannelClosed, SharedMemory, sealed_memory
from evaluator.inside.excerpts import MAX_SENTENCE, cut, excerpt
from evaluator.inside.limits import Limits
from evaluator.sandbox.conversation import Conversation, DeadlinePassed, FloodSeen, ProcessOutput
from evaluator.sandbox.faults import (
    BadReply,
    Ended,
    LimitExceeded,
    OutputFlood,
    WorkerDied,
    WorkerError,
    WorkerFault,
    WorkerTimeout,
)

HELLO_TIMEOUT_S = 60.0
EXIT_GRACE_S = 1.0  # from closing its files to its end
MAX_DETAIL, MAX_PRINTED = 4000, 1000  # characters of a traceback, of what was printed in a message


class WorkerHost(Protocol):
    """The interface of a worker's sandbox."""

    limits: Limits

    @property
    def expired(self) -> bool: ...
    @property
    def exceeded(self) -> str | None: ...
    def start_worker(self, fds: Sequence[int], mailbox_bytes: int, environment: Mapping[str, str]) -> None: ...
    def end_worker(self, grace_s: float) -> Ended: ...
    def freeze_worker(self) -> None: ...
    def thaw_worker(self) -> None: ...


class Worker:
    """A worker, started by Sandbox.spawn. Any WorkerError other than WorkerFault ends it."""

    def __init__(self, sandbox: WorkerHost, mailbox_bytes: int, environment: Mapping[str, str]) -> None:
        self._sandbox = sandbox
        self._ended: Ended | None = None
        memory = sealed_memory(mailbox_bytes)
        self.mailbox = SharedMemory(memory, mailbox_bytes)
        commands, replies, output = os.pipe(), os.pipe(), os.pipe()
        self._output = ProcessOutput(output[0], sandbox.limits.output_bytes)
        self._channel = Conversation(replies[0], commands[1], self._output)
        inside = [commands[0], replies[1], memory, output[1]]
        try:
            sandbox.start_worker(inside, mailbox_bytes, environment)
        except BaseException:
            self._release()
            raise
        finally:
            for fd in inside:
                os.close(fd)
        self._await_hello()

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def call(self, op: str, *, timeout_s: float, **fields: object) -> dict[str, object]:
        """Send one command and return its reply; raises WorkerError."""
        if self._ended is not None:
            raise SandboxError(f"{op}: the worker has already ended ({self._ended})")
        token = secrets.token_hex(8)
        reply = self._exchange(op, {"op": op, "token": token, **fields}, timeout_s)
        if reply.pop("token", None) != token:
            raise self._broken(BadReply, op, "a reply that does not belong to the command")
        if "fault" in reply:
            raise self._fault(op, reply["fault"])
        return reply

    def put(self, path: str, data: bytes, *, timeout_s: float = 30) -> None:
        """Write a file to the worker's folder, through the mailbox."""
        deadline, step = monotonic() + timeout_s, self.mailbox.size
        for begin in range(0, max(len(data), 1), step):
            chunk = data[begin : begin + step]
            self.mailbox.view(0, len(chunk))[:] = chunk
            left = deadline - monotonic()
            self.call("put", path=path, offset=0, size=len(chunk), append=begin > 0, timeout_s=left)

    def freeze(self) -> None:
        """Stop it and all its children; send no command before `thaw`.

        Raises:
            SandboxError: some of its processes do not stop.
        """
        self._sandbox.freeze_worker()

    def thaw(self) -> None:
        self._sandbox.thaw_worker()

    def output(self) -> str:
        """Return the beginning and the end of its output so far."""
        self._output.drain()
        return self._output.text

    def close(self) -> Ended:
        """Kill the worker and all processes it left; return how it ended."""
        return self._end(grace_s=0.0)

    def _exchange(self, op: str, message: dict[str, object], timeout_s: float) -> dict[str, object]:
        self._channel.deadline = monotonic() + timeout_s
        try:
            self._channel.send(message)
            return self._channel.receive()
        except DeadlinePassed:
            raise self._broken(WorkerTimeout, op, f"no reply within {timeout_s:.3g} s") from None
        except FloodSeen:
            raise self._broken(
                OutputFlood, op, f"printed more than {self._sandbox.limits.output_bytes:,} bytes"
            ) from None
        except BadFrame as error:
            raise self._broken(BadReply, op, f"a reply that violates the protocol: {error}") from error
        except ChannelClosed:
            raise self._died(op) from None

    def _broken(self, fault: Callable[[str, str, str], WorkerError], op: str, detail: str) -> WorkerError:
        self.close()
        return fault(op, detail, self._output.text)

    def _died(self, op: str) -> WorkerError:
        if self._sandbox.expired:
            return self._broken(WorkerTimeout, op, f"the sandbox's time was over, {self._sandbox.limits.wall_s:g} s")
        if self._sandbox.exceeded is not None:
            return self._broken(LimitExceeded, op, self._sandbox.exceeded)
        ended = self._end(EXIT_GRACE_S)
        return WorkerDied(op, ended, self._output.text)

    def _fault(self, op: str, fault: object) -> WorkerError:
        """Make the exception of a fault; its fields are untrusted, so they become text of limited length."""
        if not isinstance(fault, dict):
            return self._broken(BadReply, op, "a fault without fields")
        kind, sentence = str(fault.get("kind"))[:200], cut(str(fault.get("sentence", "")), MAX_SENTENCE)
        return WorkerFault(op, kind, excerpt(str(fault.get("text")), MAX_DETAIL), self.output(), sentence)

    def _end(self, grace_s: float) -> Ended:
        if self._ended is None:
            self._ended = self._sandbox.end_worker(grace_s)
            self._release()
        return self._ended

    def _release(self) -> None:
        self._output.drain()
        self._output.close()
        self._channel.close()

    def _await_hello(self) -> None:
        """Wait for the worker's first message. No candidate is loaded yet, so any failure is the host's."""
        self._channel.deadline = monotonic() + HELLO_TIMEOUT_S
        try:
            self._channel.receive()
        except (DeadlinePassed, FloodSeen, BadFrame, ChannelClosed) as error:
            ended = self.close()
            raise SandboxError(
                f"a worker did not start ({type(error).__name__}, {ended}): {excerpt(self._output.text, MAX_PRINTED)}"
            ) from error
