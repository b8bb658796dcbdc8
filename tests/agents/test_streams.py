"""Event streams of three command-line agents, in the documented shapes, as transcript and usage."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluator.agents.catalog import read_agent
from evaluator.agents.claude_code.launcher import ClaudeStream
from evaluator.agents.claude_code.launcher import command as claude_command
from evaluator.agents.codex.launcher import CodexStream
from evaluator.agents.codex.launcher import command as codex_command
from evaluator.agents.cursor.launcher import CursorStream
from evaluator.agents.cursor.launcher import command as cursor_command
from evaluator.records.sessions import MAX_ENTRIES, MAX_TEXT, Usage

STREAMS = Path(__file__).parent / "streams"
ALL = {"claude_code": ClaudeStream, "codex": CodexStream, "cursor": CursorStream}


def heard(name, lines=None, hidden=None):
    stream = ALL[name](hidden or {})
    for line in lines or (STREAMS / f"{name}.jsonl").read_text().splitlines():
        stream.feed(line if isinstance(line, str) else json.dumps(line))
    return stream


def kinds(stream):
    return [(entry.kind, entry.tool, entry.failed) for entry in stream.entries]


def test_claudes_stream_is_understood():
    stream = heard("claude_code")
    assert stream.usage == Usage(3, 15 + 2100 + 2000, 2000, 65, 0.0421, 2, "claude-x-1")
    assert kinds(stream) == [
        ("reasoning", None, False),
        ("text", None, False),
        ("tool_call", "Bash", False),
        ("tool_result", None, False),
        ("tool_call", "Bash", False),
        ("tool_result", None, True),
    ]
    assert stream.entries[4].text == '{"command": "arena check"}'
    assert stream.entries[5].text == "status: wrong_output"
    assert stream.failure is None


def test_a_claude_that_was_cut_counts_each_message_once():
    lines = (STREAMS / "claude_code.jsonl").read_text().splitlines()[:-1]
    assert heard("claude_code", lines).usage == Usage(2, 2010 + 2105, 2000, 65, None, 2, "claude-x-1")


def test_codexs_stream_is_understood():
    stream = heard("codex")
    assert stream.usage == Usage(1, 24763, 24448, 122, None, 3, None)
    assert kinds(stream) == [
        ("reasoning", None, False),
        ("tool_call", "shell", False),
        ("tool_result", "shell", False),
        ("tool_call", "edit", False),
        ("tool_call", "shell", False),
        ("tool_result", "shell", True),
        ("reasoning", None, False),
        ("text", None, False),
    ]


def test_cursors_stream_is_understood():
    stream = heard("cursor")
    assert stream.usage == Usage(2, None, None, None, None, 2, "Composer X")
    assert kinds(stream) == [
        ("reasoning", None, False),
        ("text", None, False),
        ("tool_call", "read", False),
        ("tool_result", "read", False),
        ("tool_call", "shell", False),
        ("tool_result", "shell", True),
        ("text", None, False),
    ]
    assert stream.entries[0].text == "Three sweeps."


def test_a_cursor_that_names_its_tokens_is_believed():
    used = {"inputTokens": 10, "outputTokens": 5, "cacheReadTokens": 30, "cacheWriteTokens": 2}
    usage = heard("cursor", [{"type": "result", "subtype": "success", "is_error": False, "usage": used}]).usage
    assert (usage.input_tokens, usage.cached_input_tokens, usage.output_tokens) == (42, 30, 5)


@pytest.mark.parametrize(
    ("name", "line", "failure"),
    [
        ("claude_code", {"type": "result", "subtype": "error_max_turns", "is_error": False}, "error_max_turns"),
        ("claude_code", {"type": "result", "subtype": "success", "is_error": True, "result": "No credit"}, "No credit"),
        ("codex", {"type": "turn.failed", "error": {"message": "No credit"}}, "No credit"),
        ("cursor", {"type": "result", "subtype": "error", "is_error": True, "result": "No credit"}, "No credit"),
    ],
)
def test_an_agent_that_says_it_failed_has(name, line, failure):
    stream = heard(name, [line])
    assert stream.failure == failure
    assert stream.entries[-1].failed


@pytest.mark.parametrize("name", ALL)
def test_nothing_that_is_printed_stops_a_session(name):
    odd = ["", "Warning: old", "[]", "3", '{"type": 3}', '{"no": "type"}', "{" * 100_000, "[" * 100_000]
    kinds = "assistant", "user", "result", "item.completed", "tool_call", "turn.completed", "turn.failed", "new"
    values = None, 3, "text", [], [3], {}, {"content": 3}, {"content": [{"type": "text"}]}, {"type": "reasoning"}
    fields = "message", "item", "tool_call", "usage", "error"
    shapes = [{"type": kind, **dict.fromkeys(fields, value)} for kind in kinds for value in values]
    stream = heard(name, [*odd, *shapes])
    assert stream.began
    assert stream.unknown["new"]
    assert stream.usage.tool_calls is not None


@pytest.mark.parametrize("name", ALL)
def test_counts_that_cannot_be_are_not_believed(name):
    usage = {"input_tokens": -1, "output_tokens": True, "inputTokens": 1.5, "outputTokens": "9"}
    event = {"subtype": "success", "usage": usage, "total_cost_usd": float("inf"), "num_turns": -3}
    used = heard(name, [{"type": kind, **event} for kind in ("result", "turn.completed")]).usage
    assert (used.input_tokens, used.output_tokens, used.cost_usd) == (None, None, None)


@pytest.mark.parametrize("huge", [99999999999999999999, 2**53 + 1])
@pytest.mark.parametrize("name", ALL)
def test_counts_that_nothing_can_hold_are_not_believed(name, huge):
    usage = {"input_tokens": huge, "output_tokens": huge, "inputTokens": huge, "outputTokens": huge}
    event = {"subtype": "success", "usage": usage, "num_turns": huge}
    used = heard(name, [{"type": kind, **event} for kind in ("result", "turn.completed")]).usage
    assert (used.turns, used.input_tokens, used.output_tokens) == (0, None, None)


def test_turns_are_as_many_as_a_column_holds():
    assert heard("claude_code", [{"type": "result", "subtype": "success", "num_turns": 2**31}]).usage.turns == 0


def test_sums_that_nothing_can_hold_are_not_believed():
    lines = [{"type": "turn.completed", "usage": {"input_tokens": 2**53, "output_tokens": 3}}] * 2
    used = heard("codex", lines).usage
    assert (used.input_tokens, used.output_tokens) == (None, 6)


def test_no_more_tokens_are_cached_than_were_asked():
    lines = [{"type": "turn.completed", "usage": {"input_tokens": 5, "cached_input_tokens": 7, "output_tokens": 3}}]
    assert heard("codex", lines).usage.cached_input_tokens == 5


@pytest.mark.parametrize("name", ["claude_code", "cursor"])
def test_a_models_name_is_plain_text(name):
    assert heard(name, [{"type": "system", "model": "\ud800m\0"}]).model == "\\ud800m\\x00"


def test_a_tools_name_is_plain_text_without_a_secret():
    part = {"type": "tool_use", "name": "\ud800 sk-1234", "input": {}}
    line = {"type": "assistant", "message": {"id": "1", "content": [part]}}
    assert heard("claude_code", [line], {"KEY": "sk-1234"}).entries[0].tool == "\\ud800 [KEY]"


def test_an_event_too_deep_to_be_written_is_passed_over():
    """There are depths that are read and cannot be written again."""
    for depth in range(800, 1000):
        deep = "[" * depth + "]" * depth
        heard("codex", [f'{{"type": "item.completed", "item": {{"type": "file_change", "changes": {deep}}}}}'])


def test_a_secret_is_in_no_transcript():
    line = {"type": "assistant", "message": {"id": "1", "content": "the key is sk-1234, is it?"}}
    stream = heard("claude_code", [line, "sk-1234"], {"ANTHROPIC_API_KEY": "sk-1234", "UNSET": ""})
    assert [entry.text for entry in stream.entries] == ["the key is [ANTHROPIC_API_KEY], is it?", "[ANTHROPIC_API_KEY]"]


def test_a_transcript_has_an_end():
    line = {"type": "item.completed", "item": {"type": "agent_message", "text": "x" * (MAX_TEXT * 2)}}
    stream = heard("codex", [line] * (MAX_ENTRIES + 5))
    assert len(stream.entries) == MAX_ENTRIES
    assert len(stream.entries[0].text) < MAX_TEXT + 100


@pytest.mark.parametrize(
    ("name", "command", "words", "told"),
    [
        ("claude_code", claude_command, ["--output-format", "stream-json", "--model", "m-1"], "Do it."),
        ("codex", codex_command, ["exec", "--json", "--model", "m-1", "-"], "Do it."),
        ("cursor", cursor_command, ["--force", "--output-format", "stream-json", "--model", "m-1", "Do it."], ""),
    ],
)
def test_a_program_is_asked_for_events_of_the_model_that_was_set(name, command, words, told):
    asked, given = command("/usr/bin/it", read_agent(name, {"model": "m-1"}).settings, "Do it.")
    assert asked[0] == "/usr/bin/it"
    assert [word for word in asked if word in words] == words
    assert given == told
    without, _ = command("/usr/bin/it", read_agent(name).settings, "Do it.")
    assert "--model" not in without
