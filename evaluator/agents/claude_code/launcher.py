"""Runs Claude Code as `claude -p --output-format stream-json`."""

from __future__ import annotations

from typing import Any

from evaluator.agents import reported
from evaluator.agents.command_line import run_command_agent
from evaluator.agents.events import EventStream, mapping, parts, text_of
from evaluator.agents.interface import AgentSettings, SessionContext, SessionOutcome
from evaluator.records.sessions import LARGEST, Usage

INPUT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def launch(context: SessionContext) -> SessionOutcome:
    return run_command_agent(context, command, ClaudeStream)


def command(program: str, settings: AgentSettings, prompt: str) -> tuple[list[str], str]:
    """The command and its standard input. Its permission prompts are off: the sandbox confines it."""
    model = ["--model", settings.text("model")] if settings.text("model") else []
    options = ["--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions"]
    return [program, "-p", *options, *model], prompt


class ClaudeStream(EventStream):
    """Parser of its events. The last one has the totals; a session that was cut off adds up its messages' counts."""

    _result: dict[str, Any] | None = None

    def __init__(self, hidden: dict[str, str] | None = None) -> None:
        super().__init__(hidden)
        self._messages: dict[str, dict[str, Any]] = {}  # usage by message: an event a part, with the same usage

    def read(self, event: dict[str, Any]) -> bool:
        match event["type"]:
            case "system":
                self.model = reported.name(event.get("model")) or self.model
            case "assistant":
                self._assistant(mapping(event.get("message")))
            case "user":
                self._user(mapping(event.get("message")))
            case "result":
                self._end(event)
            case _:
                return False
        return True

    @property
    def usage(self) -> Usage:
        result = self._result
        used = [mapping(result.get("usage"))] if result else list(self._messages.values())
        turns = reported.count(result.get("num_turns"), LARGEST["turns"]) if result else None
        return Usage(
            turns=len(self._messages) if turns is None else turns,
            input_tokens=reported.total(*(one.get(name) for one in used for name in INPUT)),
            cached_input_tokens=reported.total(*(one.get("cache_read_input_tokens") for one in used)),
            output_tokens=reported.total(*(one.get("output_tokens") for one in used)),
            cost_usd=reported.amount(result.get("total_cost_usd")) if result else None,
            tool_calls=self.tool_calls,
            model=self.model,
        )

    def _assistant(self, message: dict[str, Any]) -> None:
        self._messages[str(message.get("id", len(self._messages)))] = mapping(message.get("usage"))
        for part in parts(message.get("content")):
            match part:
                case {"type": "text", "text": str() as text}:
                    self.add("text", text)
                case {"type": "thinking", "thinking": str() as text}:
                    self.add("reasoning", text)
                case {"type": "tool_use", "name": str() as name}:
                    self.add("tool_call", part.get("input", {}), name)

    def _user(self, message: dict[str, Any]) -> None:
        for part in parts(message.get("content")):
            if part.get("type") == "tool_result":
                self.add("tool_result", text_of(part.get("content")), failed=part.get("is_error") is True)

    def _end(self, event: dict[str, Any]) -> None:
        self._result = event
        if event.get("is_error") is True or event.get("subtype") != "success":
            self.failure = str(event.get("result") or event.get("subtype"))
            self.add("error", self.failure)
