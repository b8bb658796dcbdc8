"""The judge's connection to a zygote: requests with file descriptors, and replies. A zygote is trusted."""

from __future__ import annotations

import json
import socket
import tempfile
from collections.abc import Sequence
from typing import cast

from evaluator.errors import SandboxError
from evaluator.inside.channel import MAX_DATAGRAM_BYTES
from evaluator.inside.excerpts import excerpt

START_TIMEOUT_S, REQUEST_TIMEOUT_S = 120.0, 60.0
MAX_LOG = 2000


class Control:
    """`inside` is the zygote's end of the socket, `log` its standard error; both are passed to its process."""

    def __init__(self) -> None:
        self._socket, self.inside = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.log = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the control)

    def await_ready(self) -> dict[str, object]:
        """Wait until the zygote is ready; return its first message."""
        return self._receive("start", START_TIMEOUT_S)

    def request(self, op: str, fds: Sequence[int] = (), **fields: object) -> dict[str, object]:
        data = json.dumps({op: fields}).encode()
        if len(data) > MAX_DATAGRAM_BYTES:
            raise ValueError(f"{op} has {len(data)} bytes; at most {MAX_DATAGRAM_BYTES} can be sent")
        try:
            socket.send_fds(self._socket, [data], list(fds))
        except OSError as error:
            raise SandboxError(f"the sandbox does not accept {op}: {error}; {self._output()}") from error
        return self._receive(op, REQUEST_TIMEOUT_S)

    def close(self) -> None:
        """Close the connection; the zygote then ends."""
        self._socket.close()
        self.log.close()

    def _receive(self, op: str, timeout_s: float) -> dict[str, object]:
        self._socket.settimeout(timeout_s)
        try:
            data = self._socket.recv(MAX_DATAGRAM_BYTES)
        except OSError as error:
            raise SandboxError(f"the sandbox does not reply to {op}: {error}; {self._output()}") from error
        if not data:
            raise SandboxError(f"the sandbox has ended ({op}); {self._output()}")
        return cast("dict[str, object]", json.loads(data))

    def _output(self) -> str:
        if self.log.closed:
            return "it was closed"
        self.log.seek(0)
        return "it printed: " + (excerpt(self.log.read().decode(errors="replace").strip(), MAX_LOG) or "nothing")
