"""A task's description as paragraphs with plain and code spans. Of its Markdown, emphasis is shown as plain text."""

from __future__ import annotations

import re
from typing import NamedTuple

_EMPHASIS = re.compile(r"\*(\w(?:[^*]*\w)?)\*")


class Span(NamedTuple):
    text: str
    is_code: bool


def paragraphs(text: str) -> tuple[tuple[Span, ...], ...]:
    """Split a description at blank lines, and each paragraph into spans."""
    blocks = [" ".join(block.split()) for block in text.replace("\r\n", "\n").split("\n\n") if block.strip()]
    return tuple(spans(block) for block in blocks)


def first_sentence(text: str) -> str:
    """Return the first sentence of a description as plain text."""
    head = "".join(span.text for paragraph in paragraphs(text)[:1] for span in paragraph)
    end = re.search(r"(?<=\S)\. ", head)  # not the dot of a product, which has spaces on both sides
    return head[: end.start() + 1] if end else head


def spans(block: str) -> tuple[Span, ...]:
    """Split a text at backticks into plain and code spans. With an unclosed backtick all of it is plain."""
    parts = block.split("`")
    if len(parts) % 2 == 0:
        return (Span(block, False),)
    return tuple(
        Span(part if index % 2 else _EMPHASIS.sub(r"\1", part), index % 2 == 1)
        for index, part in enumerate(parts)
        if part
    )
