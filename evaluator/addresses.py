"""Addresses that people give: of a site, of a model's endpoint. They are public, so they hold no key."""

from __future__ import annotations

from urllib.parse import urlsplit

from evaluator.errors import UsageError

PRIVATE = "@?#"  # what begins or ends where keys stand: a user, a query, a fragment


def check_address(name: str, text: str, example: str) -> None:
    """`name` is what was asked for, for the message.

    Raises:
        UsageError: it is no http or https address of a host, its port is none, or it says more than host and path.
    """
    if any(mark in text for mark in PRIVATE):
        said = "seen an address with a user, a query or a fragment, and it is public"
        raise UsageError(f"{name}: {said}; expected one as {example}")
    try:
        parts = urlsplit(text)
        host = (parts.hostname or "").encode("idna")
        good = parts.scheme in ("http", "https") and bool(host) and parts.port != 0
    except ValueError:  # a port that is no number, half an IPv6 address, a name with an empty part
        good = False
    if not good or not text.isascii() or not text.isprintable() or " " in text:
        raise UsageError(f"{name}: seen {text!r}; expected an address as {example}")
