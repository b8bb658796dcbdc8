"""One HTTP request with a hard deadline, however slowly its response arrives."""

from __future__ import annotations

import http.client
import socket
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from time import monotonic
from typing import Any

from evaluator.addresses import AllowedEndpoint
from evaluator.agents.connections import connect

SILENCE_S = 300.0  # between two pieces of a response; a reasoning model may be silent for minutes


class Stop:
    """Ends requests from another thread: the connections of those under way are shut down."""

    def __init__(self) -> None:
        self._event, self._lock = threading.Event(), threading.Lock()
        self._shuts = set[Callable[[], None]]()

    @property
    def is_set(self) -> bool:
        return self._event.is_set()

    def set(self) -> None:
        with self._lock:
            self._event.set()
            shuts = tuple(self._shuts)
        for shut in shuts:
            shut()

    def wait(self, seconds: float) -> None:
        """Sleep, but only until it is set."""
        self._event.wait(seconds)

    @contextmanager
    def shutting(self, shut: Callable[[], None]) -> Iterator[None]:
        """Call `shut` when it is set within the block, or at once if it is set already."""
        with self._lock:
            self._shuts.add(shut)
        try:
            if self.is_set:
                shut()
            yield
        finally:
            with self._lock:
                self._shuts.discard(shut)


@contextmanager
def response_to(
    request: urllib.request.Request,
    deadline: float,
    allowed: AllowedEndpoint | None = None,
    stop: Stop | None = None,
) -> Iterator[http.client.HTTPResponse]:
    """The response, whatever its status. Its connection is shut down at the deadline, and when `stop` is set.

    The deadline is on the clock of `monotonic`. `allowed` decides about the address when it is connected to, so then
    no proxy of the environment is used.

    Raises:
        URLError: as OSError; its reason is InwardAddress where `allowed` forbids the host's addresses.
        OSError, http.client.HTTPException, ValueError: there is no response, or it cannot be read.
    """
    left_s, connections = deadline - monotonic(), _Connections(allowed)
    clock = threading.Timer(min(max(left_s, 0.0), threading.TIMEOUT_MAX), connections.shut)
    clock.daemon = True
    clock.start()
    try:
        proxies = [] if allowed is None else [urllib.request.ProxyHandler({})]
        opener = urllib.request.build_opener(_EveryStatus, connections, *proxies)
        with (
            stop.shutting(connections.shut) if stop else nullcontext(),
            opener.open(request, timeout=min(SILENCE_S, max(left_s, 0.001))) as response,
        ):
            yield response
    finally:
        clock.cancel()


class _EveryStatus(urllib.request.HTTPErrorProcessor):
    """Returns errors and redirections as responses: following a redirection would send the key to another host."""

    def http_response(self, request: Any, response: Any) -> Any:
        return response

    https_response = http_response


class _Connections(urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
    """Remembers the socket, which the connection forgets once the head of a response is read."""

    def __init__(self, allowed: AllowedEndpoint | None) -> None:
        super().__init__()
        self._allowed = allowed
        self._connection: http.client.HTTPConnection | None = None
        self._socket: socket.socket | None = None
        self._is_over = False

    def shut(self) -> None:
        """Shut down the current connection, and any that is made later, after a slow name look-up."""
        self._is_over = True
        made = self._connection
        for one in (self._socket, made.sock if made else None):
            if one is not None:
                with suppress(OSError):
                    socket.socket.shutdown(one, socket.SHUT_RDWR)  # also under TLS, without its closing handshake

    def do_open(self, http_class: Any, req: urllib.request.Request, **http_conn_args: Any) -> Any:
        def made(host: str, **fields: Any) -> http.client.HTTPConnection:
            connection: http.client.HTTPConnection = http_class(host, **fields)
            if self._allowed is not None:
                connection._create_connection = self._checked  # type: ignore[attr-defined]
            connect = connection.connect

            def connected() -> None:
                connect()
                self._socket = connection.sock
                if self._is_over:
                    raise TimeoutError("connected after the deadline")

            connection.connect = connected  # type: ignore[method-assign]
            self._connection = connection
            return connection

        return super().do_open(made, req, **http_conn_args)

    def _checked(self, address: tuple[str, int], timeout: float | None = None, *rest: object) -> socket.socket:
        assert self._allowed is not None
        return connect(*address, timeout, inward=self._allowed.is_inward)
