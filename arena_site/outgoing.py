"""A response as a web process sends it: what the client does not read at once waits on disk, within limits."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import tempfile
from collections import deque
from dataclasses import dataclass
from typing import IO, Any

from django.conf import settings

from runs import disk

STEP_BYTES = 1 << 20  # at once, so that no client keeps the loop from others
MOST_KEPT_OF_ONE_BYTES = 512 << 20  # of one response, which a thread makes without waiting for its client


@dataclass(slots=True)
class Piece:
    """Bytes of an open file that are still to be sent."""

    file: IO[bytes]
    begin: int
    end: int


class Outgoing:
    """A response as gunicorn writes it, in place of the socket: sent at once as far as the client reads, else kept.

    What is kept is in a file on the state folder's disk. Of a file that the site sends, only the place is. A response
    of which the client leaves too much, or more than a little where the disk's reserve is reached, ends.
    """

    def __init__(self, sock: socket.socket) -> None:
        self.kept_bytes = 0
        self._sock = sock
        self._pieces = deque[Piece]()
        self._growing: Piece | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)

    @property
    def is_sent(self) -> bool:
        return not self._pieces

    def sendall(self, data: bytes) -> None:
        if not self._pieces:
            with contextlib.suppress(BlockingIOError):
                data = data[self._sock.send(data, socket.MSG_DONTWAIT) :]
        if data:
            try:
                self._keep(data)
            except OSError:
                self.clear()
                self._sock.close()
                raise

    def sendfile(self, file: IO[bytes], offset: int, count: int) -> None:
        again = os.fdopen(os.dup(file.fileno()), "rb")  # gunicorn closes the file when it has all of the response
        self._pieces.append(Piece(again, offset, offset + count))
        self._growing = None

    def send_more(self) -> int:
        """Send more of what is kept, and return how many bytes that is.

        Raises:
            BlockingIOError: the client reads nothing now.
            OSError: the client has gone.
        """
        piece = self._pieces[0]
        size = min(piece.end - piece.begin, STEP_BYTES)
        sent = os.sendfile(self._sock.fileno(), piece.file.fileno(), piece.begin, size)
        if sent == 0:
            raise ConnectionAbortedError("the file has become shorter")
        piece.begin += sent
        if piece.begin == piece.end:
            self._pieces.popleft().file.close()
        return sent

    def clear(self) -> None:
        """Forget what is kept, before the next response and at the end."""
        while self._pieces:
            self._pieces.pop().file.close()
        self._growing, self.kept_bytes = None, 0

    def _keep(self, data: bytes) -> None:
        """
        Raises:
            OSError: the client has left too much of the response, or there is no room for more of it.
        """
        kept = self.kept_bytes + len(data)
        if kept > MOST_KEPT_OF_ONE_BYTES:
            most = MOST_KEPT_OF_ONE_BYTES >> 20
            raise OSError(errno.EFBIG, f"the client has not read {kept >> 20} MB of a response; {most} MB may wait")
        if kept > STEP_BYTES:  # what has begun may use the reserve, as long as it is little
            disk.refuse_without_room(len(data))
        if self._growing is None:
            file = tempfile.TemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR)  # noqa: SIM115 (closed when all is sent)
            self._growing = Piece(file, 0, 0)
            self._pieces.append(self._growing)
        self._growing.file.write(data)
        self._growing.file.flush()
        self._growing.end += len(data)
        self.kept_bytes += len(data)
