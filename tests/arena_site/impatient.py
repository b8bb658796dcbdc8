"""gunicorn's settings and a small site for test_web_process.py: two threads, and little patience with slow clients."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from itertools import repeat
from pathlib import Path
from time import sleep
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

from arena_site import outgoing, web_process

LARGE = os.urandom(1 << 20) * 8  # more than two sockets hold
web_process.GRACE_S, web_process.LOOK_S, web_process.LINGER_S = 1.0, 0.05, 0.2
outgoing.MOST_KEPT_OF_ONE_BYTES = 16 << 20

wsgi_app = "tests.arena_site.impatient"
worker_class = "arena_site.web_process.WebProcess"
threads = 2
worker_connections = 400
graceful_timeout = 1
control_socket_disable = True


def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    answer: Callable[[WSGIEnvironment], Any] = PAGES.get(environ["PATH_INFO"], lambda _: b"a page")
    try:
        body = answer(environ)
    except OSError as error:
        body = str(error).encode()
    length = [("Content-Length", str(len(body)))] if isinstance(body, bytes) else []
    start_response("200 OK", length)
    return [body] if isinstance(body, bytes) else body


def digest_of_body(environ: WSGIEnvironment) -> bytes:
    left, digest = int(environ["CONTENT_LENGTH"]), hashlib.sha256()
    while left and (data := environ["wsgi.input"].read(min(left, 1 << 16))):
        left -= len(data)
        digest.update(data)
    return f"{digest.hexdigest()} {left}".encode()


def wait(environ: WSGIEnvironment) -> bytes:
    folder = Path(environ["QUERY_STRING"])
    (folder / os.urandom(4).hex()).touch()
    while not (folder / "go").exists():
        sleep(0.01)
    return b"waited"


def large_file(environ: WSGIEnvironment) -> Any:
    path = Path(environ["QUERY_STRING"])
    path.write_bytes(LARGE)
    return environ["wsgi.file_wrapper"](path.open("rb"), 1 << 16)


PAGES = {
    "/healthz": lambda _: b"alive",
    "/large": lambda _: LARGE,
    "/large-file": large_file,
    "/endless": lambda _: repeat(LARGE[: 1 << 20]),
    "/digest": digest_of_body,
    "/wait": wait,
}
