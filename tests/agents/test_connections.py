"""Where a connection may lead: the address that is connected to decides, not the name and not an earlier look-up."""

from __future__ import annotations

import socket
from dataclasses import replace
from time import monotonic

import pytest

from evaluator.addresses import AllowedEndpoint, origin_of
from evaluator.agents import connections
from evaluator.agents.catalog import read_agent
from evaluator.agents.completions import Endpoint, RequestRefused, complete
from evaluator.agents.ledger import endpoint_of
from tests.agents.chat_server import raw, serving, whole

LOOPBACK = ("127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "::127.0.0.1")
PRIVATE = ("10.1.2.3", "172.16.0.1", "192.168.0.1", "100.64.0.1", "fd00::1", "::ffff:10.0.0.1", "64:ff9b::a00:1")
NEVER = (
    *("169.254.169.254", "::ffff:169.254.169.254", "fe80::1", "fe80::1%eth0", "0.0.0.0", "::", "224.0.0.1", "ff02::1"),
    "64:ff9b::a9fe:a9fe",
)


@pytest.mark.parametrize("address", [*LOOPBACK, *PRIVATE, *NEVER, "fec0::1"])
def test_an_inward_address_is_not_connected_to(address: str) -> None:
    assert not connections.may_connect(address, inward=False)


@pytest.mark.parametrize("address", ["1.1.1.1", "2606:4700:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"])
def test_a_public_address_is_connected_to(address: str) -> None:
    assert connections.may_connect(address, inward=False)


def test_where_the_operator_says_inward_private_addresses_count_too_and_link_local_ones_never() -> None:
    assert all(connections.may_connect(address, inward=True) for address in ("127.0.0.1", "::1", *PRIVATE))
    assert not any(connections.may_connect(address, inward=True) for address in NEVER)


@pytest.fixture
def resolves(monkeypatch: pytest.MonkeyPatch):
    """Let api.example have these addresses, in turn; returns how often it was looked up."""
    asked, look_up = list[str](), socket.getaddrinfo

    def answers(*addresses: str):
        def resolve(host, port, *rest, **more):
            if host != "api.example":
                return look_up(host, port, *rest, **more)
            asked.append(host)
            return look_up(addresses[min(len(asked), len(addresses)) - 1], port, *rest, **more)

        monkeypatch.setattr(socket, "getaddrinfo", resolve)
        return asked

    return answers


def ask(server, allowed: AllowedEndpoint | None, scheme: str = "http"):
    address = f"{scheme}://api.example:{server.server_address[1]}/v1"
    return complete(
        Endpoint(address, "m", key="key", retries=3, allowed=allowed),
        [{"role": "user", "content": "hello"}],
        monotonic() + 60,
        lambda text: None,
    )


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_name_that_resolves_inward_is_refused_at_once_and_gets_no_byte(resolves, scheme: str) -> None:
    asked = resolves("127.0.0.1")
    with serving(whole("fine")) as server:
        with pytest.raises(RequestRefused, match=r"api\.example has no public address"):
            ask(server, AllowedEndpoint("http://api.example:1"), scheme)
        assert not server.requests
        assert len(asked) == 1
        assert ask(server, AllowedEndpoint("http://api.example:1", is_inward=True)).text == "fine"


def test_a_name_that_turns_inward_after_a_look_up_is_checked_again(resolves) -> None:
    """A name whose first answer is public and whose second is not, as in a rebinding."""
    resolves("1.1.1.1", "127.0.0.1")
    assert socket.getaddrinfo("api.example", 80)[0][4][0] == "1.1.1.1"
    with serving(whole("fine")) as server, pytest.raises(RequestRefused, match="no public address"):
        ask(server, AllowedEndpoint("http://api.example:1"))


def test_a_redirection_inward_is_not_followed(resolves) -> None:
    resolves("127.0.0.1")
    with serving(whole("secret")) as inner:
        moved = raw(b"", status=307, Location=f"{inner.base_url}/chat/completions")
        with serving(moved) as server, pytest.raises(RequestRefused, match="307"):
            ask(server, AllowedEndpoint("http://api.example:1", is_inward=True))
        assert not inner.requests


def test_no_proxy_of_the_environment_stands_between_the_check_and_the_server(resolves, monkeypatch) -> None:
    resolves("127.0.0.1")
    with serving(whole("by a proxy")) as proxy, serving(whole("fine")) as server:
        monkeypatch.setenv("http_proxy", proxy.base_url)
        assert ask(server, AllowedEndpoint("http://api.example:1", is_inward=True)).text == "fine"
        assert ask(server, None).text == "by a proxy", "whoever types a command has an environment of their own"


@pytest.mark.parametrize(
    ("bound", "key"), [(("OTHER_KEY",), "other"), (("ARENA_CHAT_KEY", "OTHER_KEY"), "first"), ((), "")]
)
def test_only_a_key_that_is_bound_to_the_server_is_sent(monkeypatch, bound: tuple[str, ...], key: str) -> None:
    monkeypatch.setenv("ARENA_CHAT_KEY", "first")
    monkeypatch.setenv("OTHER_KEY", "other")
    asked = {"base_url": "https://api.example/v1", "model": "m", "secrets": ["ARENA_CHAT_KEY", "OTHER_KEY"]}
    settings = read_agent("chat_loop", asked).settings
    allowed = AllowedEndpoint("https://api.example:443", bound)
    assert endpoint_of(replace(settings, endpoint=allowed)).key == key
    assert endpoint_of(settings).key == "first"


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("HTTPS://API.Example./v1", "https://api.example:443"),
        ("http://[::1]:8080/v1/", "http://[::1]:8080"),
        ("http://api.example:80", "http://api.example:80"),
    ],
)
def test_an_origin_has_one_spelling(address: str, origin: str) -> None:
    assert origin_of(address) == origin
