"""Cursor's agent, by `cursor-agent -p --output-format stream-json`. Tokens only where a version of it names them."""

from __future__ import annotations

from typing import Any

from evaluator.agents import reported
from evaluator.agents.command_line import work_by_command
from evaluator.agents.events import EventStream, mapping, text_of
from evaluator.agents.interface import AgentSettings, Desk, Work
from evaluator.records.sessions import Usage

SUFFIX = "ToolCall"


def launch(desk: Desk) -> Work:
    return work_by_command(desk, command, CursorStream)


def command(program: str, settings: AgentSettings, prompt: str) -> tuple[list[str], str]:
    """`--force` lets it run commands without asking: the sandbox is what confines it."""
    model = ["--model", settings.text("model")] if settings.text("model") else []
    return [program, "-p", "--force", "--output-format", "stream-json", *model, prompt], ""


class CursorStream(EventStream):
    """A message of the assistant is a turn. Thinking comes in pieces, which are put together."""

    def __init__(self, hidden: dict[str, str] | None = None) -> None:
        super().__init__(hidden)
        self._thought, self._used = "", dict[str, Any]()

    def read(self, event: dict[str, Any]) -> bool:
        match event:
            case {"type": "system"}:
                self.model = reported.name(event.get("model")) or self.model
            case {"type": "user"}:
                pass  # the prompt, repeated
            case {"type": "thinking", "subtype": "delta"}:
                self._thought += str(event.get("text", ""))
            case {"type": "thinking"}:
                self.add("reasoning", self._thought)
                self._thought = ""
            case {"type": "assistant"}:
                self.turns += 1
                self.add("text", text_of(mapping(event.get("message")).get("content")))
            case {"type": "tool_call"}:
                self._tool(event)
            case {"type": "result"}:
                self._end(event)
            case _:
                return False
        return True

    @property
    def usage(self) -> Usage:
        cached = self._used.get("cacheReadTokens")
        return Usage(
            turns=self.turns,
            input_tokens=reported.total(self._used.get("inputTokens"), cached, self._used.get("cacheWriteTokens")),
            cached_input_tokens=reported.count(cached),
            output_tokens=reported.count(self._used.get("outputTokens")),
            tool_calls=self.tool_calls,
            model=self.model,
        )

    def _tool(self, event: dict[str, Any]) -> None:
        """One key names the tool; the call is told when it starts, its result when it is done."""
        for key, raw in mapping(event.get("tool_call")).items():
            call = mapping(raw)
            name = str(call.get("name", key)) if key == "function" else key.removesuffix(SUFFIX)
            if event.get("subtype") == "started":
                self.add("tool_call", call.get("args", call.get("arguments", {})), name)
            elif "result" in call or event.get("subtype") == "completed":
                result = mapping(call.get("result"))
                self.add("tool_result", result.get("success", result), name, failed="success" not in result)
            break

    def _end(self, event: dict[str, Any]) -> None:
        self._used = mapping(event.get("usage"))
        if event.get("is_error") is True or event.get("subtype") != "success":
            self.failure = str(event.get("result") or event.get("subtype"))
            self.add("error", self.failure)
