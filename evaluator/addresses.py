"""Addresses that people give: of a site, of a model's endpoint."""

from __future__ import annotations

from urllib.parse import urlsplit

from evaluator.errors import UsageError


def check_address(name: str, text: str, example: str) -> None:
    """`name` is what was asked for, for the message.

    Raises:
        UsageError: it is no http or https address of a host, or its port is none.
    """
    try:
        parts = urlsplit(text)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, or half an IPv6 address
        good = False
    if not good or not text.isprintable() or " " in text:
        raise UsageError(f"{name}: seen {text!r}; expected an address as {example}")
