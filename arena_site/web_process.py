"""A web process: gunicorn's threads behind a loop that waits for clients, so that a slow one occupies no thread.

gunicorn gives a thread to a connection whose request has only begun to arrive. So as many clients as there are threads
stop the site if they send or read a byte a second. Here a thread gets a request once all of it has arrived, and leaves
to the loop what the client does not read at once. /healthz has a thread of its own.

A body of more than GATHERED_BYTES is the exception: the view reads it, after it has decided that the sender may submit.
Such requests have other threads than pages, and their clients less patience.

waitress waits for clients in the same way, but a view sees an upload only after all of it was stored; gevent would give
each connection a database connection of its own.
"""

from __future__ import annotations

import contextlib
import re
import socket
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from selectors import EVENT_READ, EVENT_WRITE
from time import monotonic
from typing import Any

from gunicorn import http
from gunicorn.http.unreader import SocketUnreader
from gunicorn.workers.gthread import TConn, ThreadWorker

from arena_site.outgoing import STEP_BYTES, Outgoing

GATHERED_BYTES = 2 << 20  # of a body: what a form without files may have (DATA_UPLOAD_MAX_MEMORY_SIZE)
MOST_HEAD_BYTES = 64 << 10
MOST_GATHERED_BYTES = 64 << 20  # of all requests that have not arrived whole
REFUSAL = b"HTTP/1.1 %b\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
TOO_LONG, BUSY = (
    REFUSAL % b"431 Request Header Fields Too Large",
    REFUSAL % b"503 Service Unavailable\r\nRetry-After: 60",
)
GRACE_S, LEAST_BYTES_A_SECOND = 10.0, 4 << 10  # of a client that occupies no thread
UPLOAD_BYTES_A_SECOND = 64 << 10  # of one that does: 128 MiB within 34 minutes
UPLOAD_THREADS, MOST_UPLOADS = 2, 16  # those that wait for a thread included
LINGER_S = 2.0  # from the end of a response until its connection is closed
WAITING_SHARE = 0.8  # of worker_connections: beyond it the client that has been waited for longest loses its own
LOOK_S = 1.0  # between two looks for slow clients
MOST_KEPT_BYTES = 1 << 30  # of all responses on disk that clients have not read yet

_BODY_LENGTH = re.compile(rb"^content-length:(.*)$", re.IGNORECASE | re.MULTILINE)
_NUMBER = re.compile(rb"[ \t]*\d{1,15}[ \t]*")
_IN_CHUNKS = re.compile(rb"^transfer-encoding:", re.IGNORECASE | re.MULTILINE)
_ASKS_TO_SEND = re.compile(rb"^expect:[ \t]*100-continue[ \t]*$", re.IGNORECASE | re.MULTILINE)
_PROBE = re.compile(rb"(GET|HEAD) /healthz[ ?]")


class Incoming(SocketUnreader):  # type: ignore[misc]
    """A request as it arrives: gathered by the loop, then read by gunicorn's parser in a thread.

    The thread never waits, except for the rest of a large body. What this misunderstands of a head costs at most the
    request: gunicorn's parser decides what it says, and sees no byte more than has arrived.
    """

    def __init__(self, sock: socket.socket) -> None:
        super().__init__(sock)
        self.begin()

    def begin(self) -> bool:
        """Begin a request with what came after the previous one; return whether that is anything."""
        self._gathered = bytearray(self.take_buffered())
        self._size: int | None = None  # of head and body, once the head has arrived
        self._given_at = 0.0
        self.left = 0  # bytes of a large body that a thread waits for
        self.is_last = self.is_probe = False
        return bool(self._gathered)

    def gather(self) -> int:
        """Take what has arrived, and return how many bytes that is.

        Raises:
            BlockingIOError: nothing has arrived.
            OSError: the client has gone.
        """
        data = self.sock.recv(STEP_BYTES)
        if not data:
            raise ConnectionAbortedError
        self._gathered += data
        return len(data)

    def is_ready(self) -> bool:
        """Return whether all of it is here, or its head and the first bytes of a large body."""
        if self._size is None:
            end = self._gathered.find(b"\r\n\r\n")
            if end < 0:
                return False
            self._size = self._size_after(end)
        return self.left > 0 or len(self._gathered) >= self._size

    @property
    def gathered_bytes(self) -> int:
        return len(self._gathered)

    @property
    def is_too_long(self) -> bool:
        """Whether its head does not end."""
        return self._size is None and len(self._gathered) > MOST_HEAD_BYTES

    def give(self) -> None:
        """Let gunicorn's parser read what was gathered."""
        self.buf.write(self._gathered)
        self._gathered.clear()
        self._given_at = monotonic()

    def chunk(self, size_hint: int | None = None) -> bytes:
        """Return more of a large body; nothing where the request has ended.

        Raises:
            OSError: the client has gone, or is too slow.
        """
        if not self.left:
            return b""
        self.sock.settimeout(GRACE_S)
        data: bytes = self.sock.recv(min(self.left, STEP_BYTES))
        self.sock.settimeout(None)
        self.left -= len(data)
        arrived = self._size - self.left if self._size else 0
        if not data or monotonic() > self._given_at + GRACE_S + arrived / UPLOAD_BYTES_A_SECOND:
            raise ConnectionAbortedError("the request's body ended early or came too slowly")
        return data

    def _size_after(self, end: int) -> int:
        """Return how many bytes head and body have together, where `end` is that of the head."""
        head = bytes(self._gathered[:end]).replace(b"\r", b"")
        named = _BODY_LENGTH.findall(head)
        is_clear = len(named) <= 1 and all(map(_NUMBER.fullmatch, named))  # else gunicorn refuses it
        length = int(named[0]) if named and is_clear else 0
        missing = end + len(b"\r\n\r\n") + length - len(self._gathered)
        self.is_probe = _PROBE.match(head) is not None
        if length > GATHERED_BYTES:
            self.left = max(missing, 0)
        elif missing > 0 and _ASKS_TO_SEND.search(head):
            self.sock.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        self.is_last = self.left > 0 or not is_clear or _IN_CHUNKS.search(head) is not None
        return missing + len(self._gathered)


class Client(TConn):  # type: ignore[misc]
    """A connection, with the request that arrives on it and the response that leaves."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.parser: Any = None
        self.initialized = True  # gunicorn is not to wait for data
        self.stays = False  # for another request
        self.uploads = False
        self.incoming, self.outgoing = Incoming(self.sock), Outgoing(self.sock)

    def init(self) -> None:
        """Let the parser read what was gathered, in place of the socket; called in the thread, for each request."""
        if self.parser is None:
            self.parser = http.get_parser(self.cfg, self.sock, self.client)
            self.parser.unreader = self.incoming
        self.incoming.give()

    def close(self, graceful: bool = False) -> None:
        self.outgoing.clear()
        super().close()


@dataclass(slots=True)
class Wait:
    """What the loop does when a client sends or reads more, until when it waits, and how many bytes have moved."""

    step: Callable[[Client], None]
    until: float
    moved: int = 0

    def is_over(self, now: float) -> bool:
        return now > self.until + self.moved / LEAST_BYTES_A_SECOND


class WebProcess(ThreadWorker):  # type: ignore[misc]
    """The loop. Either a thread has a connection, or the loop waits for its client."""

    def init_process(self) -> None:
        self._waits: dict[Client, Wait] = {}  # the longest one first
        self._looked_at, self._uploads = 0.0, 0
        self._probe_threads, self._upload_threads = ThreadPoolExecutor(1), ThreadPoolExecutor(UPLOAD_THREADS)
        super().init_process()

    def accept(self, listener: socket.socket) -> None:
        try:
            sock, address = listener.accept()
        except OSError:  # the client has gone, or another process was faster
            return
        self.nr_conns += 1
        self.enqueue_req(Client(self.cfg, sock, address, listener.getsockname()))

    def enqueue_req(self, client: Client) -> None:
        """Wait for the client's next request."""
        has_begun = client.incoming.begin()
        self._wait(client, EVENT_READ, self._receive, GRACE_S)
        if has_begun:
            self._step(client)

    def handle_request(self, req: Any, client: Client) -> bool:
        if client.incoming.is_last:
            req.force_close()
        sock, client.sock = client.sock, client.outgoing
        try:
            return bool(super().handle_request(req, client))
        finally:
            client.sock = sock

    def finish_request(self, client: Client, done: Future[bool]) -> None:
        """Send what the client has not read of the response that a thread has made."""
        client.stays = not done.cancelled() and done.exception() is None and done.result() is True
        self._uploads -= client.uploads
        if client.sock.fileno() < 0:  # closed in the thread, after an error
            self._end(client)
            return
        client.sock.setblocking(False)
        self._respond(client)

    def murder_pending(self) -> None:
        """Close connections whose clients are too slow, and idle ones when the process ends.

        gunicorn calls this after every event; a look a second is enough.
        """
        now = monotonic()
        if self.alive and now < self._looked_at + LOOK_S:
            return
        self._looked_at = now
        for client, wait in list(self._waits.items()):
            is_idle = wait.moved == 0 and wait.step != self._send
            if wait.is_over(now) or (is_idle and not self.alive):
                self._end(client)
        self._close_largest(lambda client: client.outgoing.kept_bytes, MOST_KEPT_BYTES)

    def _close_largest(self, size_of: Callable[[Client], int], most: int) -> None:
        while sum(map(size_of, self._waits)) > most:
            self._end(max(self._waits, key=size_of))

    def _wait(self, client: Client, event: int, step: Callable[[Client], None], seconds: float) -> None:
        if len(self._waits) >= WAITING_SHARE * self.worker_connections:
            self._end(next(iter(self._waits)))
        self._waits[client] = Wait(step, monotonic() + seconds)
        self.poller.register(client.sock, event, lambda _: self._step(client))

    def _step(self, client: Client) -> None:
        try:
            if wait := self._waits.get(client):
                wait.step(client)
        except BlockingIOError:
            pass
        except OSError:  # the client has gone
            self._end(client)

    def _receive(self, client: Client) -> None:
        request = client.incoming
        if not request.is_ready():
            self._waits[client].moved += request.gather()
        if request.is_ready():
            self._stop_waiting(client)
            self._give(client)
        elif request.is_too_long:
            self._stop_waiting(client)
            self._refuse(client, TOO_LONG)
        elif request.gathered_bytes > MOST_HEAD_BYTES:
            self._close_largest(lambda other: other.incoming.gathered_bytes, MOST_GATHERED_BYTES)

    def _give(self, client: Client) -> None:
        """Give the request to a thread."""
        client.uploads = client.incoming.left > 0
        if client.uploads and self._uploads == MOST_UPLOADS:
            client.uploads = False
            self._refuse(client, BUSY)
            return
        self._uploads += client.uploads
        threads = self._upload_threads if client.uploads else self.tpool
        given = (self._probe_threads if client.incoming.is_probe else threads).submit(self.handle, client)
        given.add_done_callback(lambda done: self.method_queue.defer(self.finish_request, client, done))

    def _refuse(self, client: Client, refusal: bytes) -> None:
        client.stays = False
        client.outgoing.sendall(refusal)
        self._respond(client)

    def _respond(self, client: Client) -> None:
        if client.outgoing.is_sent:
            self._go_on(client)
        else:
            self._wait(client, EVENT_WRITE, self._send, GRACE_S)

    def _send(self, client: Client) -> None:
        self._waits[client].moved += client.outgoing.send_more()
        if client.outgoing.is_sent:
            self._stop_waiting(client)
            self._go_on(client)

    def _go_on(self, client: Client) -> None:
        """Wait for the next request, or close the connection."""
        client.outgoing.clear()
        if client.stays:
            self.enqueue_req(client)
            return
        # Not at once: where a client has sent more than was read, the kernel would take the response back.
        self._wait(client, EVENT_READ, self._discard, LINGER_S)
        with contextlib.suppress(OSError):
            client.sock.shutdown(socket.SHUT_WR)

    def _discard(self, client: Client) -> None:
        if not client.sock.recv(STEP_BYTES):
            self._end(client)

    def _stop_waiting(self, client: Client) -> None:
        del self._waits[client]
        self.poller.unregister(client.sock)

    def _end(self, client: Client) -> None:
        if client in self._waits:
            self._stop_waiting(client)
        self.nr_conns -= 1
        client.close()
