"""Conversations at the same time with a scripted endpoint: the first right version ends them all."""

from __future__ import annotations

import signal
import threading
from contextlib import suppress
from time import monotonic, sleep

import pytest

from evaluator.agents import completions
from evaluator.agents.catalog import read_agent
from evaluator.agents.parallel_workers.launcher import launch
from evaluator.errors import HostError, TaskError
from tests.agents.chat_server import error, serving, whole
from tests.agents.contexts import ScriptedCheck, raised
from tests.agents.test_chat_loop import ONE_DOLLAR, PRICES, context_at, judged, version
from tests.evaluator.test_records import passed, wrong

WAIT_S = 20.0  # longer than any test takes


@pytest.fixture(autouse=True)
def _no_waits(monkeypatch):
    monkeypatch.setattr(completions, "sleep", lambda seconds: None)


def played(*replies, check=None, fields=None, **changes):
    """The outcome of a session, what the server was asked, and the check."""
    check = check or ScriptedCheck(lambda candidate: wrong())
    with serving(*replies) as server:
        work = launch(context_at(server, check, "parallel_workers", fields=fields, **changes))
    return work, [body["messages"] for body, _ in server.requests], check


def after(barrier, reply):
    """A reply that waits until as many others are asked for."""

    def waiting(handler):
        barrier.wait(WAIT_S)
        reply(handler)

    return waiting


def endless(barrier, closed):
    """A stream without an end; appends to `closed` when the client hangs up."""

    def reply(handler):
        handler.close_connection = True
        barrier.wait(WAIT_S)
        until = monotonic() + WAIT_S
        with suppress(OSError):
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: ")
            while monotonic() < until:
                handler.wfile.write(b"x")
                sleep(0.01)
            return
        closed.append(handler)

    return reply


def test_the_first_right_version_ends_the_requests_of_all_others():
    barrier, closed, begin = threading.Barrier(3), [], monotonic()
    usage = {"usage": {"prompt_tokens": 5, "completion_tokens": 7}}
    check = ScriptedCheck(judged(right=passed()))
    others = [endless(barrier, closed)] * 2
    with serving(after(barrier, version("right", **usage)), *others) as server:
        work = launch(context_at(server, check, "parallel_workers"))
        took_s = monotonic() - begin
        while len(closed) < 2 and monotonic() < begin + WAIT_S:
            sleep(0.01)
    assert (work.ended, work.message, work.candidate.files) == ("finished", None, {"softmax.py": b"right\n"})
    assert (len(server.requests), len(check.seen), len(closed)) == (3, 1, 2)
    assert took_s < WAIT_S / 2
    assert (work.usage.turns, work.usage.output_tokens, work.usage.cost_usd) == (1, None, None)


def test_a_version_that_comes_after_the_right_one_is_not_checked():
    """Both answers are there before either is checked, and only one is."""
    barrier = threading.Barrier(2)
    check = ScriptedCheck(lambda candidate: sleep(0.2) or passed())
    usage = {"usage": {"prompt_tokens": 5, "completion_tokens": 7}}
    replies = [after(barrier, version(name, **usage)) for name in "ab"]
    work, asked, _ = played(*replies, check=check, workers=2)
    assert (len(asked), len(check.seen), work.ended) == (2, 1, "finished")
    assert work.candidate.files == check.seen[0].files


def test_each_worker_has_a_conversation_and_a_share_of_the_versions():
    """Six versions for three workers: each writes two, the second one after the report of its own first."""
    work, asked, check = played(*[version(name) for name in "abcdef"], max_iterations=6)
    assert (len(asked), len(check.seen), work.ended) == (6, 6, "finished")
    assert "up to 2 versions" in work.prompt
    assert sorted(len(messages) for messages in asked) == [1, 1, 1, 3, 3, 3]
    written = [candidate.files["softmax.py"].decode().strip() for candidate in check.seen]
    own_first = sorted(messages[1]["content"].split()[2] for messages in asked if len(messages) == 3)
    parents = [one for one in check.parents if one]
    assert own_first == sorted(written[number - 1] for (number,) in parents)
    assert (check.parents.count(()), len(set(parents))) == (3, 3)
    assert {entry.conversation for entry in work.transcript} == {None, 1, 2, 3}
    assert work.candidate.files == check.seen[-1].files


def test_one_version_is_checked_at_a_time():
    running, most = [], []

    def judge(candidate):
        running.append(candidate)
        most.append(len(running))
        sleep(0.05)
        running.pop()
        return wrong()

    _, _, check = played(*[version(name) for name in "abc"], check=ScriptedCheck(judge), max_iterations=3)
    assert (len(check.seen), max(most)) == (3, 1)


def test_a_worker_that_fails_ends_alone():
    """One is refused before any answer; the other gets on, and is right with its second version."""
    verdicts = ScriptedCheck(judged(bad=wrong(), right=passed()))
    work, asked, _ = played(error(403), version("bad"), version("right"), check=verdicts, workers=2, max_iterations=4)
    assert (work.ended, work.candidate.files, len(asked)) == ("finished", {"softmax.py": b"right\n"}, 3)
    work, _, _ = played(error(403), version("a"), version("b"), workers=2, max_iterations=4)
    assert work.ended == "failed"
    assert "HTTP 403" in work.message
    assert work.message.startswith("worker ")
    assert work.candidate.files == {"softmax.py": b"b\n"}


def test_an_endpoint_that_answers_nobody_is_no_fault_of_the_model():
    with pytest.raises(HostError, match="gave parallel_workers no completion"):
        played(*[error(401)] * 3)


def test_a_fault_of_ours_in_a_check_ends_all_workers_and_is_raised():
    barrier, closed = threading.Barrier(3), []
    check = ScriptedCheck(lambda candidate: raised(TaskError(["the task was edited"])))
    with pytest.raises(TaskError, match="the task was edited"):
        played(after(barrier, version("a")), *[endless(barrier, closed)] * 2, check=check)


@pytest.fixture
def interruptible():
    """Ctrl-C is an exception, also where the tests run in a shell's background, whose jobs ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_ends_the_requests_and_the_threads_of_all_workers(interruptible):
    barrier, closed, begin = threading.Barrier(3), [], monotonic()
    with serving(*[endless(barrier, closed)] * 3) as server:
        timer = threading.Timer(1.0, signal.pthread_kill, [threading.get_ident(), signal.SIGINT])
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            launch(context_at(server, ScriptedCheck(), "parallel_workers"))
        assert not [one for one in threading.enumerate() if one.name.startswith("worker_")]
        while len(closed) < 3 and monotonic() < begin + WAIT_S:
            sleep(0.01)
    assert (len(closed), monotonic() - begin < WAIT_S / 2) == (3, True)


def test_workers_cannot_spend_the_same_money():
    """Each answer may cost 1 USD: of 2.5 USD there are two, however many wait at the same time."""
    replies = [version(name, **ONE_DOLLAR) for name in "abc"]
    work, asked, _ = played(*replies, fields={"budget_usd": 2.5}, max_tokens=1000, **PRICES)
    assert (len(asked), work.ended, work.usage.cost_usd) == (2, "spending_cap", 2.0)
    assert "the session may cost 2.5 USD" in work.message


def test_of_replies_of_unknown_length_there_is_one_at_a_time():
    """Without max_tokens nobody knows what the first reply may cost: 1 USD here, so that 1.5 USD pay for no other."""
    running, most = [], []

    def reply(handler):
        running.append(handler)
        most.append(len(running))
        sleep(0.1)
        running.pop()
        version("a", **ONE_DOLLAR)(handler)

    work, asked, _ = played(*[reply] * 3, fields={"budget_usd": 1.5}, **PRICES)
    assert (len(asked), max(most), work.ended, work.usage.cost_usd) == (1, 1, "spending_cap", 1.0)


def test_no_version_is_checked_after_the_deadline():
    """Two versions are written in time; the first check lasts until the time is over."""
    barrier = threading.Barrier(2)
    check = ScriptedCheck(lambda candidate: sleep(1.5) or wrong())
    replies = [after(barrier, version(name)) for name in "ab"]
    work, asked, _ = played(*replies, check=check, workers=2, fields={"deadline": monotonic() + 1.5})
    assert (len(asked), len(check.seen), work.ended) == (2, 1, "timed_out")
    assert work.candidate.files == check.seen[0].files


def test_a_cap_below_the_first_request_asks_nobody():
    work, asked, _ = played(fields={"budget_usd": 0.5}, input_price=1000, output_price=0)
    assert (asked, work.ended, work.candidate.files) == ([], "spending_cap", {})


def test_the_budget_of_tokens_is_the_sessions():
    used = {"usage": {"prompt_tokens": 1, "completion_tokens": 500}}
    barrier = threading.Barrier(2)
    work, asked, _ = played(
        *[after(barrier, version(name, **used)) for name in "ab"], workers=2, output_token_budget=400
    )
    assert (len(asked), work.ended) == (2, "gave_up")
    assert "the budget of 400 output tokens was used up" in work.message


def test_workers_that_write_no_file_give_up():
    work, asked, _ = played(*[whole("No.")] * 6, workers=2, max_iterations=2)
    assert (len(asked), work.ended) == (6, "gave_up")
    assert work.message == "worker 1: 0 versions in 3 answers; worker 2: 0 versions in 3 answers"


def test_by_default_three_workers_write_up_to_five_versions_each():
    settings = read_agent("parallel_workers").settings
    assert (settings.max_iterations, settings.own["workers"]) == (15, 3)
