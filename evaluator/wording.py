"""Small pieces of English for texts: counts with nouns, ratios, and labels of fields."""

from __future__ import annotations


def counted(count: int, noun: str, nouns: str = "") -> str:
    """A count and its noun: "1 run", "2 runs". `nouns` is the plural where it is not the noun with an s."""
    return f"{count} {noun if count == 1 else nouns or noun + 's'}"


def ratio_text(ratio: float) -> str:
    """A ratio with one digit behind the point, and from 10,000 on with two digits and an exponent."""
    return f"{ratio:.1f}" if abs(ratio) < 1e4 else f"{ratio:.1e}"


def field_label(name: str) -> str:
    """A field's name as people read it: "output tokens" for output_tokens, "cost in USD" for cost_usd."""
    return name.replace("_", " ").replace(" usd", " in USD")
