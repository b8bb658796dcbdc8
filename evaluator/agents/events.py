"""Parses the event streams of command-line agents, one JSON object a line, into transcript and usage.

Each agent has its own parser. Streams are untrusted: an unexpected line is counted and skipped, and never stops a
session.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from evaluator.agents import reported
from evaluator.records.sessions import MAX_ENTRIES, TranscriptEntry, Usage, shortened

Kind = Literal["text", "reasoning", "tool_call", "tool_result", "error"]
MODEL_KINDS = ("text", "reasoning", "tool_call")
MAX_MALFORMED = 20  # lines that are not events, in the transcript


class EventStream(ABC):
    """A parser that is fed line by line; `failure` is what the agent itself reports as its error."""

    def __init__(self, hidden: Mapping[str, str] | None = None) -> None:
        """`hidden` has the values of secrets by name; the transcript gets the names in their place."""
        longest_first = sorted((hidden or {}).items(), key=lambda item: -len(item[1]))
        self._hidden = {value: name for name, value in longest_first if value}
        self.entries: list[TranscriptEntry] = []
        self.failure: str | None = None
        self.model: str | None = None
        self.turns = self.tool_calls = 0
        self.began = False  # was there any event?
        self.answered = False  # was there one from the model?
        self.unknown: Counter[str] = Counter()
        self._malformed = 0

    def feed(self, line: str) -> None:
        """Parse one line of the stream."""
        if not line.strip():
            return
        known = len(self.entries)
        try:
            event = json.loads(line)
            if not isinstance(event, dict) or not isinstance(event.get("type"), str):
                raise ValueError("not an event")
            if not self.read(event):
                self.unknown[event["type"]] += 1
            self.began = True
        except (ValueError, RecursionError):
            self._malformed += 1
            if self._malformed <= MAX_MALFORMED:
                self.add("error", line)
        self.answered |= any(entry.kind in MODEL_KINDS for entry in self.entries[known:])

    @abstractmethod
    def read(self, event: dict[str, Any]) -> bool:
        """Process one event; returns False if its kind is unknown."""

    @property
    @abstractmethod
    def usage(self) -> Usage: ...

    def add(self, kind: Kind, text: object, tool: str | None = None, *, failed: bool = False) -> None:
        plain = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False, sort_keys=True)
        if kind == "tool_call":
            self.tool_calls += 1
        if len(self.entries) < MAX_ENTRIES and (plain.strip() or kind != "text"):
            tool = reported.name(self.masked(tool)) if tool else None
            self.entries.append(TranscriptEntry(kind, shortened(self.masked(plain)), tool, failed or kind == "error"))

    def masked(self, text: str) -> str:
        """The text with the names of secrets in place of their values."""
        for value, name in self._hidden.items():
            text = text.replace(value, f"[{name}]")
        return text


def mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def parts(content: object) -> Iterator[dict[str, Any]]:
    """The parts of a message's content; plain text is one part."""
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict):
            yield part


def text_of(content: object) -> str:
    return "\n".join(part["text"] for part in parts(content) if isinstance(part.get("text"), str))
