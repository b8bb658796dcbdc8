"""A count before its noun, for every text that has one: 1 run, 2 runs."""

from __future__ import annotations


def counted(count: int, noun: str, nouns: str = "") -> str:
    """`nouns` where more than one is not the noun and an s."""
    return f"{count} {noun if count == 1 else nouns or noun + 's'}"
