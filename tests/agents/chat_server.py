"""A local OpenAI-compatible server with a script: each request gets the next line of it.

`python -m tests.agents.chat_server` serves RECORDED on its own, over and over, to try `evaluator run` by hand.
"""

from __future__ import annotations

import itertools
import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import sleep
from typing import Any

Reply = Callable[[BaseHTTPRequestHandler], None]
RECORDED = Path(__file__).parent / "streams" / "chat_answers.jsonl"  # answers about softmax, written by hand: no model


class Server(ThreadingHTTPServer):
    """`requests`: what was asked, body and headers, in order."""

    daemon_threads = True

    def __init__(self, script: Iterator[Reply]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script, self.requests = script, list[tuple[dict[str, Any], dict[str, str]]]()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


@contextmanager
def serving(*script: Reply, again: bool = False) -> Iterator[Server]:
    with Server(itertools.cycle(script) if again else iter(script)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def recorded() -> list[Reply]:
    """The recorded answers, in order; they name `recorded-answers-no-model` as their model."""
    return [raw(line.encode()) for line in RECORDED.read_text().splitlines()]


def whole(text: str, *, finish: str = "stop", usage: dict[str, Any] | None = None) -> Reply:
    message = {"role": "assistant", "content": text}
    body = {"model": "m-1", "choices": [{"message": message, "finish_reason": finish}], "usage": usage}
    return raw(json.dumps(body).encode())


def raw(body: bytes, kind: str = "application/json", status: int = 200, **headers: str) -> Reply:
    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return reply


def error(status: int, message: str = "no", **headers: str) -> Reply:
    return raw(json.dumps({"error": {"message": message}}).encode(), status=status, **headers)


def stream(*events: dict[str, Any] | str) -> Reply:
    """Server-sent events; the connection ends after the last, whatever it is."""
    lines = [f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n" for event in events]
    return raw(b": hello\n\n" + "".join(lines).encode(), "text/event-stream; charset=utf-8")


def pieces(text: str, size: int = 7) -> list[dict[str, Any]]:
    cut = [text[begin : begin + size] for begin in range(0, len(text), size)]
    return [{"model": "m-1", "choices": [{"delta": {"content": piece}, "finish_reason": None}]} for piece in cut]


def end(finish: str = "stop", **usage: int) -> list[dict[str, Any] | str]:
    last = {"choices": [{"delta": {}, "finish_reason": finish}]}
    return [last, {"choices": [], "usage": usage or None}, "[DONE]"]


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    """No word at all."""
    handler.close_connection = True


def short(handler: BaseHTTPRequestHandler) -> None:
    """Fewer bytes than were announced."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.close_connection = True


def dripping(before: bytes, drop: bytes = b"x", every_s: float = 0.05) -> Reply:
    """What is said first, then a drop at a time for as long as somebody listens."""

    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.close_connection = True
        with suppress(OSError):
            handler.wfile.write(before)
            while True:
                handler.wfile.write(drop)
                sleep(every_s)

    return reply


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((body, dict(self.headers)))
        next(self.server.script)(self)

    def log_message(self, *args: object) -> None:
        pass


if __name__ == "__main__":
    with serving(*recorded(), again=True) as forever:
        sys.stdout.write(f"{forever.base_url} gives recorded answers, until Ctrl-C\n")
        sys.stdout.flush()
        threading.Event().wait()
