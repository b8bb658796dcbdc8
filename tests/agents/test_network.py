"""The network of a sandboxed agent: nothing, or allowed hosts through the proxy, which records requests."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import suppress

import pytest

from evaluator.agents import proxy
from evaluator.errors import HostError
from tests.agents.contexts import raised, texts


def test_without_a_network_nothing_is_reached(play):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        targets = [("127.0.0.1", listener.getsockname()[1]), ("1.1.1.1", 443), ("127.0.0.1", 3128)]
        work = play("look()", variables={"TRY": json.dumps(targets)})
    seen = json.loads(texts(work)[1])
    assert seen["reach"] == []
    assert not {"HTTPS_PROXY", "https_proxy"} & set(seen["environment"])


def test_only_named_hosts_are_reached_and_each_request_is_recorded(play, monkeypatch):
    near, far = socket.socketpair()
    monkeypatch.setattr(proxy, "connect", lambda host, port, timeout_s: near)
    threading.Thread(target=lambda: far.sendall(far.recv(100).upper()), daemon=True).start()
    script = """
for target in ('evil.example:443', 'api.example:80', '127.0.0.1:443'):
    say(asked_of_proxy(target))
with socket.create_connection(('127.0.0.1', 3128)) as c:
    c.sendall(b'CONNECT API.example:443 HTTP/1.1\\r\\n\\r\\n'); say(c.recv(100).decode())
    c.sendall(b'hello'); say(c.recv(5).decode())
say(os.environ['HTTPS_PROXY'])
"""
    work = play(script, network=["api.example"])
    said = texts(work)[1:]
    assert said[:3] == ["HTTP/1.1 403 Forbidden"] * 3
    assert said[3].startswith("HTTP/1.1 200")
    assert said[4:6] == ["HELLO", "http://127.0.0.1:3128"]
    assert "network: evil.example was refused" in texts(work, "error")


def test_an_agent_has_only_so_many_connections_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(proxy, "MAX_AT_ONCE", 2)
    with proxy.Proxy(["api.example"], tmp_path):
        clients = [socket.socket(socket.AF_UNIX) for _ in range(3)]
        for client in clients:
            client.connect(str(tmp_path / "network"))
            client.settimeout(0.5)
        clients[2].sendall(b"CONNECT evil.example:443 HTTP/1.1\r\n\r\n")
        with pytest.raises(TimeoutError):
            clients[2].recv(100)
        clients[0].close()
        clients[2].settimeout(30)
        assert clients[2].recv(100).startswith(b"HTTP/1.1 403")
        for client in clients:
            client.close()


def test_a_network_that_breaks_is_a_fault_of_ours_and_shut(tmp_path, monkeypatch):
    network = proxy.Proxy([], tmp_path)
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(30)
        with monkeypatch.context() as patched:
            patched.setattr(threading.Thread, "start", lambda self: raised(RuntimeError("no thread is left")))
            client.connect(str(tmp_path / "network"))
            assert client.recv(1) == b""
    with pytest.raises(HostError, match="network failed: no thread is left"), network:
        pass


def test_a_network_that_cannot_be_asked_is_a_fault_of_ours(tmp_path, monkeypatch):
    monkeypatch.setattr(socket.socket, "accept", lambda self: raised(OSError(24, "Too many open files")))
    with pytest.raises(HostError, match="Too many open files"), proxy.Proxy([], tmp_path):
        await_refusal(tmp_path / "network")


def await_refusal(path):
    """A door that stays open lets a connection wait: the next read of it would."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(30)
        with suppress(ConnectionError):
            client.connect(str(path))
            assert client.recv(1) == b""


@pytest.mark.parametrize(
    ("head", "target"),
    [
        (b"CONNECT a.b:443 HTTP/1.1\r\n\r\n", ("a.b", 443)),
        (b"CONNECT A.b.:443 HTTP/1.1\r\n\r\n", ("a.b", 443)),
        (b"GET http://a.b/ HTTP/1.1\r\n\r\n", ("", 0)),
        (b"CONNECT a.b:x HTTP/1.1\r\n\r\n", ("", 0)),
        (b"CONNECT a.b HTTP/1.1\r\n\r\n", ("", 0)),
        (b"", ("", 0)),
    ],
)
def test_a_request_names_one_target_or_none(head, target):
    assert proxy.target_of(head) == target
