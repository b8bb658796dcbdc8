"""The only network access of an agent's sandbox: an HTTP proxy on a Unix socket that connects to allowed hosts only.

It accepts CONNECT to port 443, and never to an address of this host or of a private network, whatever a name resolves
to. The traffic is encrypted end to end; the proxy records which hosts were requested.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from evaluator.agents.connections import connect
from evaluator.errors import HostError
from evaluator.inside import arena

PORT = 443
MAX_HEAD_BYTES = 16 << 10
TALK_S, CONNECT_S = 30.0, 20.0
MAX_AT_ONCE = 128  # connections; more have to wait, so that an agent cannot use up this process's file descriptors


class Proxy:
    """`asked` has every requested host once, in order, and whether it was allowed."""

    def __init__(self, hosts: Iterable[str], sockets: Path) -> None:
        self._hosts = frozenset(host.lower() for host in hosts)
        self.asked: dict[str, bool] = {}
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        path = sockets / Path(arena.NETWORK).name
        self._listener.bind(str(path))
        path.chmod(0o666)
        self._listener.listen(64)
        self._room, self._over = threading.Semaphore(MAX_AT_ONCE), threading.Event()
        self._fault: HostError | None = None
        threading.Thread(target=self._serve, name="agent's network", daemon=True).start()

    def __enter__(self) -> Proxy:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        if self._fault is not None and error is None:
            raise self._fault

    def _serve(self) -> None:
        while True:
            self._room.acquire()
            try:
                client, _ = self._listener.accept()
            except OSError as error:
                return self._fail(error)
            try:
                threading.Thread(target=self._handle, args=(client,), daemon=True).start()
            except RuntimeError as error:  # no thread is left
                self._fail(error)
                return client.close()

    def _fail(self, error: Exception) -> None:
        if not self._over.is_set():
            self._fault = HostError(f"the agent's network failed: {error}")
            self._listener.close()  # otherwise clients would wait for a reply that never comes

    def _handle(self, client: socket.socket) -> None:
        try:
            self._talk(client)
        finally:
            self._room.release()

    def _talk(self, client: socket.socket) -> None:
        with client, suppress(OSError):
            client.settimeout(TALK_S)
            host, port = target_of(_head(client))
            allowed = port == PORT and host in self._hosts
            self.asked.setdefault(host or "(an unreadable request)", allowed)
            if not allowed:
                client.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
                return
            try:
                out = connect(host, port, CONNECT_S)
            except OSError:
                client.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
                return
            client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            out.settimeout(None)
            client.settimeout(None)
            arena.relay(client, out)


def target_of(head: bytes) -> tuple[str, int]:
    """Host and port of `CONNECT host:port HTTP/1.1`, or ("", 0) for any other request."""
    words = head.split(b"\r\n", 1)[0].decode("ascii", "replace").split()
    if len(words) != 3 or words[0] != "CONNECT":
        return "", 0
    host, _, port = words[1].rpartition(":")
    return (host.lower().rstrip("."), int(port)) if port.isdigit() and len(port) <= 5 else ("", 0)


def _head(client: socket.socket) -> bytes:
    """The request up to its empty line, read byte by byte: nothing after it may be consumed."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        piece = client.recv(1)
        if not piece or len(head) > MAX_HEAD_BYTES:
            return b""
        head += piece
    return head
