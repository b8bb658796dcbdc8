"""Runs Cursor's agent as `cursor-agent -p --output-format stream-json`. Only some versions of it report tokens."""

from __future__ import annotations

from typing import Any

from evaluator.agents import reported
from evaluator.agents.command_line import run_command_agent
from evaluator.agents.events import EventStream, mapping, text_of
from evaluator.agents.interface import AgentSettings, SessionContext, SessionOutcome
from evaluator.records.sessions import Usage

SUFFIX = "ToolCall"


def launch(context: SessionContext) -> SessionOutcome:
    return run_command_agent(context, command, CursorStream)


def command(program: str, settings: AgentSettings, prompt: str) -> tuple[list[str], str]:
    """The command and its standard input. `--force` runs commands without asking: the sandbox confines it."""
    model = ["--model", settings.text("model")] if settings.text("model") else []
    return [program, "-p", "--force", "--output-format", "stream-json", *model, prompt], ""


class CursorStream(EventStream):
    """Parser of its events. Each message of the assistant is a turn; pieces of reasoning are joined."""

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
        """Add a tool call when it starts and its result when it is done; the event's one key names the tool."""
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
