"""A conversation about a kernel with a scripted endpoint."""

from __future__ import annotations

import dataclasses
import json
from time import monotonic, sleep

import pytest

from evaluator.agents import completions
from evaluator.agents.budget import SessionBudget, SpendingCap, cost_usd
from evaluator.agents.catalog import read_agent
from evaluator.agents.chat_loop.launcher import launch
from evaluator.agents.completions import Completion
from evaluator.agents.interface import SessionContext
from evaluator.agents.readiness import missing_requirements
from evaluator.agents.single_shot.launcher import launch as launch_once
from evaluator.errors import HostError, UsageError
from evaluator.records.sessions import Usage
from evaluator.tasks.reader import load_task
from tests.agents.chat_server import dripping, end, error, pieces, raw, recorded, serving, stream, whole
from tests.agents.contexts import ScriptedCheck, context_for
from tests.evaluator.test_records import passed, wrong
from tests.records import make_gpu_case

TASK = "triton2triton/arena/softmax"
KEY = "sk-very-secret"


@pytest.fixture(autouse=True)
def _no_waits(monkeypatch):
    monkeypatch.setattr(completions, "sleep", lambda seconds: None)
    monkeypatch.setenv("ARENA_CHAT_KEY", KEY)


def version(text, **fields):
    return whole(f"softmax.py\n```python\n{text}\n```\n", **fields)


def sped(speedup):
    case = make_gpu_case("n=4194304,rounds=1024", 100.0 * speedup, 100.0)
    return dataclasses.replace(passed(), cases=(case,))


def context_at(server, check, name="chat_loop", *, fields=None, **changes):
    return context_for(
        name, load_task(TASK), check, {"base_url": server.base_url, "model": "m-1", **changes}, **(fields or {})
    )


def judged(**verdicts):
    """By the word that a version is made of."""
    return lambda candidate: verdicts[candidate.files["softmax.py"].decode().strip()]


def test_it_gets_the_report_of_each_check_and_submits_the_best():
    check = ScriptedCheck(judged(bad=wrong(), fast=sped(2.0), slow=sped(1.5)), told="status: so and so\n")
    with serving(version("bad"), version("fast"), version("slow")) as server:
        work = launch(context_at(server, check))
    assert work.candidate.files == {"softmax.py": b"fast\n"}
    assert (work.ended, work.usage.turns) == ("finished", 3)
    second = server.requests[1][0]["messages"]
    assert [message["role"] for message in second] == ["user", "assistant", "user"]
    assert "status: so and so" in second[-1]["content"]
    assert "You may write 2 more" in second[-1]["content"]


def test_recorded_answers_are_a_session_that_names_no_model():
    check = ScriptedCheck(lambda candidate: passed() if b"tl.sum" in candidate.files["softmax.py"] else wrong())
    with serving(*recorded()) as server:
        work = launch(context_at(server, check))
    assert [version.files for version in check.seen][1] == work.candidate.files
    assert (work.ended, work.message, work.usage.turns) == ("finished", None, 4)
    assert (work.usage.model, work.usage.output_tokens) == ("recorded-answers-no-model", 547)
    with serving(recorded()[2]) as server:
        assert launch_once(context_at(server, check, "single_shot")).candidate.files == work.candidate.files


def test_the_question_holds_the_prompt_the_files_and_the_form_of_an_answer():
    with serving(version("x")) as server:
        work = launch(context_at(server, ScriptedCheck(), max_iterations=1))
    [message] = server.requests[0][0]["messages"]
    assert message["content"] == work.prompt
    for part in ("# 1. Role", "softmax.py\n```\n", "reference.py\n```\n", "config.yaml\n```\n", "# Answer"):
        assert part in work.prompt
    assert "expert" not in work.prompt.split("# Files")[1]


def test_a_contract_that_is_not_shown_is_nowhere_in_the_question():
    with serving(version("x")) as server:
        work = launch(context_at(server, ScriptedCheck(), max_iterations=1, contract_shown=False))
    assert "config.yaml" not in work.prompt
    assert "profile: full" not in work.prompt


def test_a_malformed_answer_is_reported_and_counts_as_no_version():
    check = ScriptedCheck()
    with serving(whole("No idea."), whole("softmax.py\n```\nhal", finish="length"), version("x")) as server:
        work = launch(context_at(server, check, max_iterations=1))
    assert work.candidate.files == {"softmax.py": b"x\n"}
    assert [len(check.seen), work.usage.turns] == [1, 3]
    said = [request[0]["messages"][-1]["content"] for request in server.requests]
    assert "no fenced block" in said[1]
    assert "cut off at the maximum length" in said[2]


def test_half_a_character_is_a_malformed_answer():
    check = ScriptedCheck()
    with serving(version("hal\ud800f"), version("x")) as server:
        work = launch(context_at(server, check, max_iterations=1))
    assert (work.candidate.files, work.ended, len(check.seen)) == ({"softmax.py": b"x\n"}, "finished", 1)
    answered, told = server.requests[1][0]["messages"][1:]
    assert "hal?f" in answered["content"]
    assert "half of a surrogate pair" in told["content"]
    with serving(version("\ud800")) as server:
        work = launch_once(context_at(server, check, "single_shot"))
    assert (work.ended, work.candidate.files) == ("gave_up", {})


def test_what_a_server_reports_can_always_be_stored():
    usage = {"prompt_tokens": 2**53, "completion_tokens": 10**30, "prompt_tokens_details": {"cached_tokens": 2**53}}
    prices = {"input_price": 1, "cached_input_price": 0, "output_price": 1}
    body = {"model": "\ud800m\0", "usage": usage, "choices": [{"message": {"content": "softmax.py\n```\nx\n```"}}]}
    with serving(*[raw(json.dumps(body).encode())] * 2) as server:
        work = launch(context_at(server, ScriptedCheck(), max_iterations=2, **prices))
    assert work.usage == Usage(2, None, None, None, None, 0, "\\ud800m\\x00")


def test_a_model_that_never_writes_a_file_gives_up():
    with serving(*[whole("No.")] * 3) as server:
        work = launch(context_at(server, ScriptedCheck(), max_iterations=1))
    assert (work.ended, work.message) == ("gave_up", "0 versions in 3 answers")
    assert work.candidate.problems == (("not_written", "softmax.py"),)


def test_done_ends_it_early_once_something_is_right():
    with serving(version("x"), whole("DONE")) as server:
        work = launch(context_at(server, ScriptedCheck()))
    assert (work.ended, len(server.requests)) == ("finished", 2)


def test_errors_limits_and_cut_streams_are_survived_and_written_down():
    good = stream(*pieces("softmax.py\n```\nx\n```\n"), *end(prompt_tokens=100, completion_tokens=9))
    script = error(503), error(429, Retry_After="2"), stream(*pieces("softmax.py\n```")), good
    with serving(*script) as server:
        work = launch(context_at(server, ScriptedCheck(), max_iterations=1))
    assert work.candidate.files == {"softmax.py": b"x\n"}
    assert [entry.kind for entry in work.transcript] == ["prompt", "error", "error", "error", "text", "check"]
    assert work.usage.output_tokens == 9


def test_an_endpoint_that_fails_before_its_first_answer_is_no_fault_of_the_model():
    with (
        serving(error(401)) as server,
        pytest.raises(HostError, match=r"gave chat_loop no completion within \d+\.\d s: HTTP 401"),
    ):
        launch(context_at(server, ScriptedCheck()))


@pytest.mark.parametrize(("name", "launched"), [("chat_loop", launch), ("single_shot", launch_once)])
@pytest.mark.parametrize("before", [None, b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: "])
def test_an_endpoint_that_says_nothing_for_all_of_the_time_is_no_fault_of_the_model(name, launched, before):
    silent = dripping(before) if before else lambda handler: sleep(2)
    with serving(silent) as server:
        context = context_at(server, ScriptedCheck(), name, fields={"deadline": monotonic() + 0.5})
        with pytest.raises(
            HostError, match=rf"{server.base_url} gave {name} no completion within \d+\.\d s: time ran out"
        ) as caught:
            launched(context)
    assert KEY not in str(caught.value)


def test_an_endpoint_that_fails_later_leaves_the_best_so_far():
    with serving(version("x"), error(403)) as server:
        work = launch(context_at(server, ScriptedCheck()))
    assert work.ended == "failed"
    assert "HTTP 403" in work.message
    assert work.candidate.files == {"softmax.py": b"x\n"}


def test_what_a_completion_cost_that_ran_out_of_time_is_unknown():
    started = dripping(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: ")
    with serving(version("x", **ONE_DOLLAR), started) as server:
        work = launch(context_at(server, ScriptedCheck(), fields={"deadline": monotonic() + 1.0}, **PRICES))
    assert (work.ended, work.candidate.files) == ("timed_out", {"softmax.py": b"x\n"})
    assert (work.usage.turns, work.usage.output_tokens, work.usage.cost_usd) == (1, None, None)


def test_time_and_budget_end_it(monkeypatch):
    with serving(version("x")) as server:
        check = ScriptedCheck()
        with monkeypatch.context() as patched:
            patched.setattr(SessionContext, "left_s", property(lambda context: 0.0 if check.seen else 300.0))
            work = launch(context_at(server, check))
    assert (work.ended, work.message) == ("timed_out", "the session ran out of time")
    with serving(version("x", usage={"prompt_tokens": 1, "completion_tokens": 500})) as server:
        work = launch(context_at(server, ScriptedCheck(), output_token_budget=400))
    assert (work.ended, work.message) == ("gave_up", "the budget of 400 output tokens was used up")


ONE_DOLLAR = {"usage": {"prompt_tokens": 9, "completion_tokens": 1000}}
PRICES = {"input_price": 0, "output_price": 1000}


@pytest.mark.parametrize(
    ("changes", "asked"),
    [({}, 2), ({"max_tokens": 2000}, 1), ({"max_tokens": 3000}, 0), ({"output_price": None}, 3)],
)
def test_it_asks_no_more_once_an_answer_could_cost_more_than_is_left(changes, asked):
    """As long as the longest so far, or as `max_tokens` allows; what has no price cannot be counted."""
    with serving(version("a", **ONE_DOLLAR), version("b", **ONE_DOLLAR), version("c")) as server:
        work = launch(context_at(server, ScriptedCheck(), fields={"budget_usd": 2.5}, **PRICES | changes))
    assert len(server.requests) == asked
    assert work.ended == ("finished" if asked == 3 else "spending_cap")
    assert bool(work.candidate.files) is (asked > 0)
    assert asked == 3 or "the session may cost 2.5 USD" in work.message


def test_a_server_that_counts_nothing_is_counted_by_characters():
    with serving(version("x" * 6000), version("y")) as server:
        work = launch(context_at(server, ScriptedCheck(), fields={"budget_usd": 3.0}, **PRICES))
    assert (len(server.requests), work.ended, work.usage.cost_usd) == (1, "spending_cap", None)


def test_no_completion_gives_money_back():
    """A server that says that more was cached than asked, with a price of its own for that."""
    prices = {"input_price": 1000, "cached_input_price": 0, "output_price": 1000, "max_tokens": 1000}
    context = context_for(
        "chat_loop", load_task(TASK), ScriptedCheck(), {"base_url": "http://x/v1", "model": "m", **prices}
    )
    question = [{"content": "x" * 3000}]
    budget = SessionBudget(context.settings, 3.0)
    for _ in range(3):
        budget.charge(question, Completion("", "stop", None, 10, 10**9, 0))
    assert cost_usd(context.settings, 10, 10**9, 0) == 0.0
    budget.charge(question, Completion("", "stop", None, 1500, 0, 0))
    with pytest.raises(SpendingCap, match=r"1\.5 USD are spent"), budget.setting_aside(question):
        raise AssertionError("it could cost more than is left")


def test_the_question_costs_too():
    with serving(version("x")) as server:
        context = context_at(
            server, ScriptedCheck(), "single_shot", fields={"budget_usd": 0.5}, input_price=1000, output_price=0
        )
        work = launch_once(context)
    assert (server.requests, work.ended, work.candidate.files) == ([], "spending_cap", {})


def test_a_cost_is_known_where_prices_and_counts_are():
    usage = {
        "prompt_tokens": 1_000_000,
        "completion_tokens": 100_000,
        "prompt_tokens_details": {"cached_tokens": 500_000},
    }
    prices = {"input_price": 2, "cached_input_price": 1, "output_price": 10, "max_iterations": 1}
    with serving(version("x", usage=usage), version("x", usage=usage), version("x")) as server:
        costs = [
            launch(context_at(server, ScriptedCheck(), **known)).usage.cost_usd
            for known in (prices, {"max_iterations": 1}, prices)
        ]
    assert costs == [0.5 * 2 + 0.5 * 1 + 0.1 * 10, None, None]


def test_the_key_is_in_nothing_that_is_stored():
    with serving(error(500, KEY), whole(f"Your key is {KEY}."), version("x")) as server:
        work = launch(context_at(server, ScriptedCheck(), max_iterations=1))
    assert server.requests[0][1]["Authorization"].endswith(KEY)
    assert KEY not in repr(work)


def test_a_line_end_after_the_key_is_no_part_of_it(monkeypatch):
    monkeypatch.setenv("ARENA_CHAT_KEY", f" {KEY}\n")
    with serving(version("x")) as server:
        launch_once(context_at(server, ScriptedCheck(), "single_shot"))
    assert server.requests[0][1]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("value", [f"{KEY}\nX", f"{KEY}\x7f", f"{KEY}é", f"{KEY}ключ", f"{KEY}\udcff"])
def test_a_key_that_no_header_can_hold_is_reported_by_its_name(monkeypatch, value):
    monkeypatch.setenv("ARENA_CHAT_KEY", value)
    said = "ARENA_CHAT_KEY in the environment: expected one line of printable ASCII"
    with serving() as server, pytest.raises(UsageError) as caught:
        launch(context_at(server, ScriptedCheck()))
    assert (str(caught.value), server.requests) == (said, [])
    assert missing_requirements(read_agent("chat_loop"), with_settings=False) == f"not configured: {said}"


@pytest.mark.parametrize("missing", ["base_url", "model"])
def test_an_endpoint_has_to_be_named(missing):
    with serving() as server, pytest.raises(UsageError, match=f"set {missing}"):
        launch(context_at(server, ScriptedCheck(), **{missing: None}))


def test_a_single_shot_asks_once_and_hears_nothing():
    check = ScriptedCheck()
    with serving(version("x"), whole("No.")) as server:
        first, second = (launch_once(context_at(server, check, "single_shot")) for _ in range(2))
    assert (first.ended, first.candidate.files) == ("finished", {"softmax.py": b"x\n"})
    assert (second.ended, second.candidate.problems) == ("gave_up", (("not_written", "softmax.py"),))
    assert check.seen == []
