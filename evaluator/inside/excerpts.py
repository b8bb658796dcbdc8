"""Shorten texts that people read: logs keep their beginning and their end, with a line on what is missing."""

from __future__ import annotations

LEFT_OUT = "characters left out"
MAX_SENTENCE = 600  # of the class of an exception and the line of its text that helps


def excerpt(text: str, most: int) -> str:
    """Return the text; of one longer than `most` characters its beginning and end, and between them what is missing."""
    if len(text) <= most:
        return text
    half = max(most - len(_gap(len(text))), 0) // 2
    return f"{text[:half]}{_gap(len(text) - 2 * half)}{text[len(text) - half :]}"


def cut(text: str, most: int) -> str:
    """Return the text; of one longer than `most` characters its beginning, with an ellipsis."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def first_line(text: str) -> str:
    """Return the first line that is not blank, stripped; empty if there is none."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def _gap(count: int) -> str:
    return f"\n… {count} {LEFT_OUT} …\n"
