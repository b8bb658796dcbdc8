"""The web server's processes: slow clients occupy no thread and lose their connection, and all others are served."""

from __future__ import annotations

import errno
import hashlib
import http.client
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

import pytest
from django.conf import settings

from arena_site import outgoing
from arena_site.outgoing import Outgoing
from arena_site.web_process import MOST_GATHERED_BYTES
from runs import disk
from tests.servers import free_port

ROOT = Path(__file__).parents[2]
DEADLINE_S = 30.0
SLOW = {  # what a client sends before it falls silent
    "nothing": b"",
    "half a head": b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ",
    "half a body": b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\na=",
    "half a body, after asking": b"POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n",
    "half a chunk": b"POST /digest HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n",
    "half a large body": b"POST /digest HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\na",
    "lines alone": b"\r\n\r\n",
    "a request, and half of the next": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET ",
    "a request, and reads nothing": b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a request for a file, and reads nothing": b"GET /large-file?{file} HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a request, and never closes": b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n",
}


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with impatient_site() as number:
        yield number


@contextmanager
def impatient_site() -> Iterator[int]:
    """Run tests/arena_site/impatient.py, and yield its port."""
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "--config", "python:tests.arena_site.impatient"]
    with running([*command, "--bind", f"127.0.0.1:{port}"], port):
        yield port


@contextmanager
def running(command: list[str], port: int) -> Iterator[None]:
    """Run a server that listens on the port."""
    process = subprocess.Popen(command, cwd=ROOT)
    try:
        until = monotonic() + DEADLINE_S
        while process.poll() is None and monotonic() < until:
            try:
                connected(port).close()
                break
            except OSError:
                sleep(0.02)
        yield
    finally:
        process.terminate()
        process.wait(DEADLINE_S)


def connected(port: int, sent: bytes = b"") -> socket.socket:
    client = socket.create_connection(("127.0.0.1", port), DEADLINE_S)
    client.sendall(sent)
    return client


def asked(port: int, address: str = "/", body: bytes | None = None) -> bytes:
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE_S)
    client.request("POST" if body else "GET", address, body)
    try:
        return client.getresponse().read()
    finally:
        client.close()


def is_closed(client: socket.socket) -> bool:
    client.setblocking(False)
    try:
        return client.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def everything_of(client: socket.socket) -> bytes:
    """Read until the server closes the connection."""
    found = bytearray()
    try:
        while data := client.recv(1 << 20):
            found += data
    except ConnectionResetError:
        pass
    return bytes(found)


def test_two_hundred_slow_clients_stop_nobody_and_are_closed_in_time(port: int, tmp_path: Path) -> None:
    with ExitStack() as stack:
        clients = dict[str, list[socket.socket]]()
        for name, sent in SLOW.items():
            sent = sent.replace(b"{file}", bytes(tmp_path / "file"))
            number = 3 if "large" in name else 20
            clients[name] = [stack.enter_context(connected(port, sent)) for _ in range(number)]
        for address, expected in [("/healthz", b"alive"), ("/", b"a page")] * 5:
            begin = monotonic()
            assert asked(port, address) == expected
            assert monotonic() - begin < 5
        for each in clients.values():
            everything_of(each[-1])


def test_a_client_that_sends_a_byte_now_and_then_is_closed_all_the_same(port: int) -> None:
    with connected(port, b"GET / HTTP/1.1\r\nX: ") as client:
        until = monotonic() + DEADLINE_S
        while monotonic() < until:
            try:
                client.send(b"a")
            except OSError:
                return
            sleep(0.05)
        pytest.fail("it is still connected")


def test_while_all_threads_are_busy_the_probe_is_answered(port: int, tmp_path: Path) -> None:
    request = f"GET /wait?{tmp_path} HTTP/1.0\r\n\r\n".encode()
    with ExitStack() as stack:
        busy = [stack.enter_context(connected(port, request)) for _ in range(3)]
        while len(list(tmp_path.iterdir())) < 2:
            sleep(0.01)
        assert asked(port, "/healthz") == b"alive"
        (tmp_path / "go").touch()
        assert all(everything_of(client).endswith(b"waited") for client in busy)


@pytest.mark.parametrize("address", ["/large", "/large-file?{file}"])
def test_a_large_response_arrives_whole_however_it_is_read(port: int, address: str, tmp_path: Path) -> None:
    address = address.replace("{file}", str(tmp_path / "file"))
    with connected(port, f"GET {address} HTTP/1.0\r\n\r\n".encode()) as client:
        assert asked(port) == b"a page"
        content = everything_of(client).partition(b"\r\n\r\n")[2]
    assert (len(content), content) == (8 << 20, asked(port, "/large"))


def test_a_response_that_nobody_reads_is_not_made_without_end(port: int) -> None:
    with connected(port, b"GET /endless HTTP/1.0\r\n\r\n") as unread, connected(port) as other:
        other.sendall(b"GET /endless HTTP/1.0\r\n\r\n")
        assert asked(port) == b"a page"  # one of two threads is free again
        assert len(everything_of(unread)) < 32 << 20


@pytest.fixture
def unread() -> Iterator[Outgoing]:
    """A response whose client reads nothing, with half a MB on disk."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        response = Outgoing(ours)
        while response.is_sent:
            response.sendall(bytes(512 << 10))
        yield response
        response.clear()


def test_what_is_kept_lies_beside_the_state_and_not_in_tmp(unread: Outgoing) -> None:
    kept = {os.readlink(link) for link in Path("/proc/self/fd").iterdir() if link.exists() or link.is_symlink()}
    assert any(name.startswith(str(settings.FILE_UPLOAD_TEMP_DIR)) for name in kept)


def test_of_one_response_only_so_much_is_kept(unread: Outgoing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outgoing, "MOST_KEPT_OF_ONE_BYTES", 3 << 20)
    unread.sendall(bytes(2 << 20))
    with pytest.raises(OSError, match="not read 3 MB of a response; 3 MB may wait") as refused:
        unread.sendall(bytes(1 << 20))
    assert (refused.value.errno, unread.kept_bytes, unread.fileno()) == (errno.EFBIG, 0, -1)


def test_the_disks_reserve_is_left_to_others_than_unread_responses(
    unread: Outgoing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk, "free_bytes", lambda: disk.reserve_bytes() - 1)
    unread.sendall(bytes(1 << 10))  # a page may still wait for its client
    with pytest.raises(disk.NoRoom):
        unread.sendall(bytes(1 << 20))
    assert (unread.kept_bytes, unread.fileno()) == (0, -1)


@pytest.mark.parametrize("size", [1, 100_000, 2 << 20, (2 << 20) + 1, 20 << 20])
def test_a_body_arrives_whole(port: int, size: int) -> None:
    body = bytes(range(256)) * (size // 256 + 1)
    assert asked(port, "/digest", body[:size]) == f"{hashlib.sha256(body[:size]).hexdigest()} 0".encode()


@pytest.mark.parametrize("size", [100_000, 3 << 20])
def test_a_client_that_waits_for_consent_gets_it(port: int, size: int) -> None:
    head = f"POST /digest HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: {size}"
    with connected(port, head.encode() + b"\r\n\r\n") as client:
        assert client.recv(1000).startswith(b"HTTP/1.1 100 Continue")
        client.sendall(b"a" * size)
        assert everything_of(client).endswith(f"{hashlib.sha256(b'a' * size).hexdigest()} 0".encode())


def test_a_view_that_refuses_a_large_body_answers_before_it_arrives(port: int) -> None:
    head = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n"
    with connected(port, head) as client:
        assert b"Connection: close" in everything_of(client)


def test_a_large_body_that_comes_too_slowly_or_ends_early_is_an_error_of_its_client(port: int) -> None:
    head = b"POST /digest HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n"
    with connected(port, head) as client:
        client.shutdown(socket.SHUT_WR)
        assert b"ended early" in everything_of(client)
    with connected(port, head) as client:
        assert b"timed out" in everything_of(client)


def test_large_responses_of_one_connection_arrive_whole(port: int) -> None:
    request = b"GET /large HTTP/1.1\r\nHost: h\r\n\r\n"
    with connected(port, request * 2 + request.replace(b"/1.1", b"/1.0")) as client:
        sleep(0.1)
        content = everything_of(client)
    assert content.count(asked(port, "/large")) == 3


def test_requests_that_have_not_arrived_hold_little_memory_together(port: int) -> None:
    head = b"POST /digest HTTP/1.1\r\nHost: h\r\nContent-Length: 2000000\r\n\r\n"
    with ExitStack() as stack:
        clients = [stack.enter_context(connected(port)) for _ in range(40)]
        for client in clients:
            with suppress(OSError):
                client.sendall(head + b"a" * 1_990_000)
        assert asked(port) == b"a page"
        until = monotonic() + DEADLINE_S
        while sum(map(is_closed, clients)) < 40 - MOST_GATHERED_BYTES // 1_990_000:
            assert monotonic() < until
            sleep(0.02)


def test_of_more_large_uploads_than_may_wait_the_newest_are_refused(port: int, tmp_path: Path) -> None:
    head = f"POST /wait?{tmp_path} HTTP/1.1\r\nHost: h\r\nContent-Length: 100000000\r\n\r\n".encode()
    with ExitStack() as stack:
        waiting = [stack.enter_context(connected(port, head)) for _ in range(16)]
        while len(list(tmp_path.iterdir())) < 2:
            sleep(0.01)
        with connected(port, head) as late:
            assert everything_of(late).startswith(b"HTTP/1.1 503")
        assert asked(port) == b"a page"
        (tmp_path / "go").touch()
        assert all(b"waited" in everything_of(client) for client in waiting)


def test_requests_of_one_connection_are_answered_in_order(port: int) -> None:
    requests = b"".join(b"GET /%b HTTP/1.1\r\nHost: h\r\n\r\n" % name for name in (b"", b"healthz", b""))
    last = b"POST /digest HTTP/1.0\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"
    with connected(port, requests + last[:-2]) as client:
        sleep(0.05)
        client.sendall(last[-2:])
        bodies = [answer.partition(b"\r\n\r\n")[2] for answer in everything_of(client).split(b" 200 OK")[1:]]
    digest = hashlib.sha256(b"abc").hexdigest()
    assert [body.split(b"HTTP")[0] for body in bodies] == [b"a page", b"alive", b"a page", f"{digest} 0".encode()]


@pytest.mark.parametrize(
    "sent",
    [
        *(b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\nX: " + b"a" * 100_000, b"\x16\x03\x01" + b"\0" * 100_000),
        b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nContent-Length: 50\r\n\r\nabcde",
    ],
)
def test_what_is_no_request_is_refused_at_once(port: int, sent: bytes) -> None:
    with connected(port, sent) as client:
        assert everything_of(client).startswith(b"HTTP/1.1 4")


def test_beside_more_idle_connections_than_there_may_be_a_newcomer_is_served(port: int) -> None:
    with ExitStack() as stack:
        for _ in range(450):
            stack.enter_context(connected(port))
        assert asked(port) == b"a page"
