"""What command-line agents print about themselves, a JSON object a line, as transcript and usage. A parser an agent.

A stream is the agent's word: what has another form than expected is passed over and counted, and never stops a session.
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
OF_THE_MODEL = ("text", "reasoning", "tool_call")
MAX_ODD = 20  # lines that are no event, in the transcript


class EventStream(ABC):
    """Grows line by line; `failure` is what the agent itself says went wrong."""

    def __init__(self, hidden: Mapping[str, str] | None = None) -> None:
        """`hidden`: values of secrets by name, which no transcript may hold."""
        longest_first = sorted((hidden or {}).items(), key=lambda item: -len(item[1]))
        self._hidden = {value: name for name, value in longest_first if value}
        self.entries: list[TranscriptEntry] = []
        self.failure: str | None = None
        self.model: str | None = None
        self.turns = self.tool_calls = 0
        self.began = False  # did anything come that was an event?
        self.answered = False  # was any of it the model's?
        self.unknown: Counter[str] = Counter()
        self._odd = 0

    def feed(self, line: str) -> None:
        """One line as it came."""
        if not line.strip():
            return
        known = len(self.entries)
        try:
            event = json.loads(line)
            if not isinstance(event, dict) or not isinstance(event.get("type"), str):
                raise ValueError("no event")
            if not self.read(event):
                self.unknown[event["type"]] += 1
            self.began = True
        except (ValueError, RecursionError):
            self._odd += 1
            if self._odd <= MAX_ODD:
                self.add("error", line)
        self.answered |= any(entry.kind in OF_THE_MODEL for entry in self.entries[known:])

    @abstractmethod
    def read(self, event: dict[str, Any]) -> bool:
        """Take what is known of an event; False if it is of no known kind."""

    @property
    @abstractmethod
    def usage(self) -> Usage: ...

    def add(self, kind: Kind, text: object, tool: str | None = None, *, failed: bool = False) -> None:
        plain = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False, sort_keys=True)
        if kind == "tool_call":
            self.tool_calls += 1
        if len(self.entries) < MAX_ENTRIES and (plain.strip() or kind != "text"):
            tool = reported.name(self.veiled(tool)) if tool else None
            self.entries.append(TranscriptEntry(kind, shortened(self.veiled(plain)), tool, failed or kind == "error"))

    def veiled(self, text: str) -> str:
        """With the names of secrets in the place of their values."""
        for value, name in self._hidden.items():
            text = text.replace(value, f"[{name}]")
        return text


def mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def parts(content: object) -> Iterator[dict[str, Any]]:
    """The parts of a message, of which a plain text is one."""
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict):
            yield part


def text_of(content: object) -> str:
    return "\n".join(part["text"] for part in parts(content) if isinstance(part.get("text"), str))
