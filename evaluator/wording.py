"""A count before its noun, for every text that has one: 1 run, 2 runs. A column's name as people read it."""

from __future__ import annotations


def counted(count: int, noun: str, nouns: str = "") -> str:
    """`nouns` where more than one is not the noun and an s."""
    return f"{count} {noun if count == 1 else nouns or noun + 's'}"


def spelled(name: str) -> str:
    """Of a fact about a submission: output_tokens, cost_usd."""
    return name.replace("_", " ").replace(" usd", " in USD")
