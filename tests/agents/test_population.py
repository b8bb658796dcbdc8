"""Generations of candidates from a scripted endpoint: what each is shown, and which one is submitted."""

from __future__ import annotations

import re

import pytest

from evaluator.agents import completions
from evaluator.agents.catalog import read_agent
from evaluator.agents.population.launcher import launch
from evaluator.errors import HostError
from evaluator.records.reasons import Status
from evaluator.records.record import GATE_NAMES, GateOutcome
from evaluator.tasks.reader import load_task
from evaluator.workbench import Workbench
from tests.agents.chat_server import error, serving, whole
from tests.agents.contexts import ScriptedCheck, context_for
from tests.agents.test_chat_loop import ONE_DOLLAR, PRICES, TASK, context_at, judged, sped, version
from tests.agents.test_workbench import Evaluator
from tests.evaluator.test_records import passed, wrong


@pytest.fixture(autouse=True)
def _no_waits(monkeypatch):
    monkeypatch.setattr(completions, "sleep", lambda seconds: None)


def played(*replies, check=None, fields=None, **changes):
    """The outcome of a session, what the server was asked, and the check."""
    check = check or ScriptedCheck()
    with serving(*replies) as server:
        work = launch(context_at(server, check, "population", fields=fields, **changes))
    return work, [body["messages"] for body, _ in server.requests], check


def shown(messages):
    """The numbers of the versions that a request shows, in order."""
    return [int(number) for number in re.findall(r"^## Version (\d+)$", messages[0]["content"], re.MULTILINE)]


def test_each_generation_is_shown_the_best_versions_so_far():
    """Of 1 wrong, 2 at 1.5 times, 3 at 2 times and 4 at 1.1 times, the best two: 2 and 1, later 3 and 2."""
    verdicts = {"bad": wrong(), "slow": sped(1.5), "fast": sped(2.0), "barely": sped(1.1), "e": wrong(), "f": wrong()}
    work, asked, check = played(
        *map(version, verdicts), check=ScriptedCheck(judged(**verdicts)), max_iterations=6, candidates=2, kept=2
    )
    assert [shown(messages) for messages in asked] == [[], [], [2, 1], [2, 1], [3, 2], [3, 2]]
    assert check.parents == [(), (), (2, 1), (2, 1), (3, 2), (3, 2)]
    assert (work.candidate.files, work.ended, work.usage.turns) == ({"softmax.py": b"fast\n"}, "finished", 6)


def test_a_request_is_a_conversation_of_its_own_with_reports_and_sources():
    check = ScriptedCheck(judged(one=wrong(), two=sped(2.0)), told="status: so and so\n")
    work, asked, _ = played(version("one"), version("two"), check=check, max_iterations=2, candidates=1)
    assert [[message["role"] for message in messages] for messages in asked] == [["user"], ["user"]]
    assert asked[0][0]["content"] == work.prompt
    assert "Write one version." in work.prompt
    added = asked[1][0]["content"].removeprefix(work.prompt)
    assert "## Version 1\n\nstatus: so and so\n\nsoftmax.py\n```\none\n```\n" in added


def test_the_transcript_says_of_which_conversation_each_entry_is():
    work, _, _ = played(version("a"), whole("No."), version("c"), max_iterations=3, candidates=2)
    kinds = [(entry.conversation, entry.kind) for entry in work.transcript]
    of_each = [(1, "text"), (1, "check"), (2, "text"), (2, "check"), (3, "prompt"), (3, "text"), (3, "check")]
    assert kinds == [(None, "prompt"), *of_each]
    assert "no fenced block" in work.transcript[4].text


def test_an_answer_without_a_file_is_a_candidate_that_nobody_can_check():
    work, asked, check = played(whole("No."), version("b"), max_iterations=2, candidates=2)
    assert (len(asked), len(check.seen), work.ended) == (2, 1, "finished")
    work, asked, check = played(*[whole("No.")] * 2, max_iterations=2)
    assert (check.seen, work.ended, work.message) == ([], "gave_up", "no version in 2 answers")
    assert work.candidate.problems == (("not_written", "softmax.py"),)


def test_where_none_is_right_the_one_that_passed_more_gates_comes_first():
    outcomes = "passed", "failed", "not_reached", "not_reached", "not_reached"
    gates = tuple(GateOutcome(name, outcome, 0.0) for name, outcome in zip(GATE_NAMES, outcomes, strict=True))
    broken = wrong(status=Status.BUILD_FAILED, gate="compile", reason="compile_error", gates=gates)
    verdicts = {"compiles": wrong(), "does_not": broken, "last": broken}
    work, asked, _ = played(
        *map(version, verdicts), check=ScriptedCheck(judged(**verdicts)), max_iterations=3, candidates=2
    )
    assert shown(asked[2]) == [1, 2]
    assert work.candidate.files == {"softmax.py": b"compiles\n"}


def test_the_same_text_again_is_no_version_of_its_own():
    bench = Workbench(load_task(TASK), Evaluator())
    with serving(version("a"), version("a"), version("b")) as server:
        changes = {"base_url": server.base_url, "model": "m-1", "max_iterations": 3, "candidates": 2}
        launch(context_for("population", load_task(TASK), bench.check, changes))
    assert shown(server.requests[2][0]["messages"]) == [1]
    assert [one.parents for one in bench.iterations] == [(), (1,)]


def test_a_diff_is_against_the_best_version_that_was_shown():
    """Version 3 is shown 2 and then 1, since 2 is right; 1 and 2 start from the task's source."""
    verdicts = {b"wrong\n": wrong(), b"right\n": passed()}
    bench = Workbench(load_task(TASK), Evaluator(verdicts))
    with serving(version("wrong"), version("right"), version("next")) as server:
        changes = {"base_url": server.base_url, "model": "m-1", "max_iterations": 3, "candidates": 2}
        launch(context_for("population", load_task(TASK), bench.check, changes))
    assert [one.parents for one in bench.iterations] == [(), (), (2, 1)]
    first, second, third = (one.diff.splitlines() for one in bench.iterations)
    assert {"+wrong", "-import torch"} <= set(first)
    assert {"+right", "-import torch"} <= set(second)
    assert third[3:] == ["-right", "+next"]


def test_its_caps_end_it_with_the_best_so_far():
    work, asked, _ = played(
        *[version(name, **ONE_DOLLAR) for name in "abc"], fields={"budget_usd": 2.5}, max_iterations=3, **PRICES
    )
    assert (len(asked), work.ended, work.candidate.files) == (2, "spending_cap", {"softmax.py": b"b\n"})
    used = {"usage": {"prompt_tokens": 1, "completion_tokens": 500}}
    work, asked, _ = played(version("a", **used), output_token_budget=400)
    assert (len(asked), work.ended, work.message) == (1, "gave_up", "the budget of 400 output tokens was used up")


def test_an_endpoint_that_fails_later_leaves_the_best_so_far():
    work, _, _ = played(version("a"), error(403))
    assert (work.ended, work.candidate.files) == ("failed", {"softmax.py": b"a\n"})
    assert "HTTP 403" in work.message
    with pytest.raises(HostError, match="gave population no completion"):
        played(error(403))


def test_a_key_that_a_server_writes_into_a_version_is_in_no_transcript(monkeypatch):
    monkeypatch.setenv("ARENA_CHAT_KEY", "sk-very-secret")
    work, asked, _ = played(version("sk-very-secret"), version("b"), max_iterations=2, candidates=1)
    assert "sk-very-secret" in asked[1][0]["content"]
    assert "sk-very-secret" not in repr(work.transcript)


def test_by_default_it_is_three_generations_of_four_and_five_are_kept():
    settings = read_agent("population").settings
    assert (settings.max_iterations, settings.own["candidates"], settings.own["kept"]) == (12, 4, 5)
