"""A task's description as paragraphs with plain and code spans, the only Markdown that descriptions use."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    text: str
    is_code: bool


def paragraphs(text: str) -> tuple[tuple[Span, ...], ...]:
    """Split a description at blank lines, and each paragraph into spans."""
    blocks = [" ".join(block.split()) for block in text.replace("\r\n", "\n").split("\n\n") if block.strip()]
    return tuple(spans(block) for block in blocks)


def first_sentence(text: str) -> str:
    """Return the first sentence of a description without backticks."""
    blocks = [block for block in text.split("\n\n") if block.strip()]
    head = " ".join(blocks[0].replace("`", "").split()) if blocks else ""
    end = head.find(". ")
    return head if end < 0 else head[: end + 1]


def spans(block: str) -> tuple[Span, ...]:
    """Split a text at backticks into plain and code spans. With an unclosed backtick all of it is plain."""
    parts = block.split("`")
    if len(parts) % 2 == 0:
        return (Span(block, False),)
    return tuple(Span(part, index % 2 == 1) for index, part in enumerate(parts) if part)
