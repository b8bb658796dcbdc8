"""Addresses of sites and of model endpoints. They are shown in public, so they must not contain a key."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from evaluator.errors import UsageError

PRIVATE = "@?#"  # mark a user, a query or a fragment, which may contain keys
PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class AllowedEndpoint:
    """A server that agents may send requests to, and the names of the secrets that they may send along."""

    origin: str  # as `origin_of` spells it
    secrets: tuple[str, ...] = ()
    is_inward: bool = False  # it may have an address of this machine or of a private network


def origin_of(address: str) -> str:
    """Scheme, host and port of an http or https address that was checked, in one spelling of each."""
    parts = urlsplit(address)
    host = (parts.hostname or "").rstrip(".")  # in lower case
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}:{parts.port or PORTS[parts.scheme]}"


def check_address(name: str, text: str, example: str) -> None:
    """Accept an http or https address with a host, an optional port and a path.

    `name` and `example` are for the message.

    Raises:
        UsageError: it is malformed, or has a user, a query or a fragment.
    """
    if any(mark in text for mark in PRIVATE):
        seen = "seen an address with a user, a query or a fragment, which would be public"
        raise UsageError(f"{name}: {seen}; expected one like {example}")
    try:
        parts = urlsplit(text)
        host = (parts.hostname or "").encode("idna")
        good = parts.scheme in ("http", "https") and bool(host) and parts.port != 0
    except ValueError:  # a port that is not a number, half an IPv6 address, a name with an empty part
        good = False
    if not good or not text.isascii() or not text.isprintable() or " " in text:
        raise UsageError(f"{name}: seen {text!r}; expected an address like {example}")
