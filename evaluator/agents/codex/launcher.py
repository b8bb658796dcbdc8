"""Runs Codex as `codex exec --json`. It reports no cost, and its turns are the conversation's, not the model's."""

from __future__ import annotations

from typing import Any

from evaluator.agents import reported
from evaluator.agents.command_line import run_command_agent
from evaluator.agents.events import EventStream, mapping
from evaluator.agents.interface import AgentSettings, SessionContext, SessionOutcome
from evaluator.inside import arena
from evaluator.records.sessions import Usage

TOOLS = {"command_execution": "shell", "file_change": "edit", "mcp_tool_call": "mcp", "web_search": "search"}


def launch(context: SessionContext) -> SessionOutcome:
    return run_command_agent(context, command, CodexStream)


def command(program: str, settings: AgentSettings, prompt: str) -> tuple[list[str], str]:
    """The command and its standard input. Its own sandbox is off: it does not start inside ours, which confines it."""
    model = ["--model", settings.text("model")] if settings.text("model") else []
    effort = settings.text("effort")
    model += ["-c", f'model_reasoning_effort="{effort}"'] if effort else []
    options = ["--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-C", arena.WORKSPACE]
    return [program, "exec", *options, *model, "-"], prompt


class CodexStream(EventStream):
    def __init__(self, hidden: dict[str, str] | None = None) -> None:
        super().__init__(hidden)
        self._used: list[dict[str, Any]] = []

    def read(self, event: dict[str, Any]) -> bool:
        match event["type"]:
            case "thread.started" | "item.started" | "item.updated":
                pass  # item.completed repeats all of it
            case "turn.started":
                self.turns += 1
            case "turn.completed":
                self._used.append(mapping(event.get("usage")))
            case "turn.failed":
                self.failure = str(mapping(event.get("error")).get("message") or "the turn failed")
                self.add("error", self.failure)
            case "error":
                self.add("error", str(event.get("message")))
            case "item.completed":
                return self._item(mapping(event.get("item")))
            case _:
                return False
        return True

    @property
    def usage(self) -> Usage:
        names = ("input_tokens", "cached_input_tokens", "output_tokens")
        asked, cached, written = (reported.total(*(one.get(name) for one in self._used)) for name in names)
        return Usage(
            turns=self.turns,
            input_tokens=asked,
            cached_input_tokens=reported.part(cached, asked),
            output_tokens=written,
            tool_calls=self.tool_calls,
            model=self.model,
        )

    def _item(self, item: dict[str, Any]) -> bool:
        kind = str(item.get("type") or item.get("item_type"))  # an older name
        failed = item.get("status") == "failed"
        match kind:
            case "agent_message" | "assistant_message":
                self.add("text", str(item.get("text", "")))
            case "reasoning":
                self.add("reasoning", str(item.get("text", "")))
            case "command_execution":
                self.add("tool_call", str(item.get("command", "")), TOOLS[kind])
                failed = failed or item.get("exit_code") not in (0, None)
                self.add("tool_result", str(item.get("aggregated_output", "")), TOOLS[kind], failed=failed)
            case "file_change" | "mcp_tool_call" | "web_search":
                shown = {name: value for name, value in item.items() if name not in ("id", "type", "status")}
                self.add("tool_call", shown, TOOLS[kind], failed=failed)
            case "todo_list":
                self.add("reasoning", item.get("items", []))
            case "error":
                self.add("error", str(item.get("message", "")))
            case _:
                return False
        return True
