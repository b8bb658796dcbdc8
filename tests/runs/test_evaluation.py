"""From row to verdict: every way an evaluation can end, with fast fakes behind the documented seam."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from django.db import connection

from evaluator.errors import HostError
from evaluator.records.record import Record, read_record
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.reader import load_task
from evaluator.tasks.spec import TaskSpec
from runs import archive, candidates
from runs.errors import RunError
from runs.log_context import current_ids
from runs.models import Attempt, Configuration, Task
from runs.services import catalog, leases, registry, run_actions, starts
from runs.services.publishing import publish_run
from runs.worker import evaluation, jobs
from runs.worker.heartbeat import Heartbeat, Interrupted
from tests.factories import make_agent, sha256
from tests.runs import fakes
from tests.runs.conftest import Site

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fake(settings: Any) -> Iterator[Any]:
    settings.EVALUATOR = "tests.runs.fakes.open_fake"
    yield settings
    evaluation.close_evaluator()


def first_attempt(site: Site) -> Attempt:
    return Attempt.objects.filter(result__run=site.new_run()).order_by("pk")[0]


def evaluate(attempt: Attempt, site: Site) -> Attempt:
    evaluation.evaluate_next(host=site.host, worker="w1")
    attempt.refresh_from_db()
    return attempt


def test_a_job_evaluates_the_oldest_attempt_whatever_woke_it(site: Site) -> None:
    first, second = Attempt.objects.filter(result__run=site.new_run()).order_by("pk")
    jobs.evaluate_attempt(second.pk)
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.status, first.host, second.status) == ("passed", site.host, "queued")
    assert first.claimed_by.endswith(str(os.getpid()))


def test_a_second_delivery_does_no_harm(site: Site) -> None:
    attempts = Attempt.objects.filter(result__run=site.new_run())
    for _ in range(3):
        jobs.evaluate_attempt(attempts[0].pk)
    assert set(attempts.values_list("status", "fencing_token")) == {("passed", 1)}
    assert [attempt.measurements.count() for attempt in attempts] == [2, 2]


def test_a_message_that_comes_after_the_publication_changes_nothing(site: Site) -> None:
    """What was ever public is guarded in the database: an update of such a row would end the job with an error."""
    attempts = Attempt.objects.filter(result__run=site.new_run())
    Attempt.objects.filter(pk=attempts[0].pk).update(messages_resent=3)
    for _ in attempts:
        jobs.evaluate_attempt(attempts[0].pk)
    publish_run(run=attempts[0].result.run, actor="test")
    jobs.evaluate_attempt(attempts[0].pk)
    assert attempts[0].messages_resent == 3


def test_what_escapes_the_evaluator_is_our_fault_and_tried_once_more(site: Site, fake: Any) -> None:
    fake.EVALUATOR = "tests.runs.fakes.open_broken"
    attempt = evaluate(first_attempt(site), site)
    assert (attempt.status, attempt.requeued_because) == ("queued", "HostError: the device is gone")
    evaluate(attempt, site)
    assert (attempt.status, attempt.reason) == ("errored", "host_fault")
    assert not attempt.measurements.exists()


def test_after_a_fault_the_evaluator_is_opened_anew(site: Site, fake: Any) -> None:
    class Own(fakes.Scripted):
        outcome = HostError("the device is gone")

    fakes.SCRIPTED[:] = [Own]
    fake.EVALUATOR = "tests.runs.fakes.open_scripted"
    attempt = evaluate(first_attempt(site), site)
    Own.outcome = None
    assert evaluate(attempt, site).status == "passed"
    assert Own.opened == 2


def test_a_record_of_another_candidate_is_never_stored(site: Site, fake: Any) -> None:
    fake.EVALUATOR = "tests.runs.fakes.open_confused"
    attempt = evaluate(first_attempt(site), site)
    assert (attempt.status, attempt.record_digest) == ("queued", "")


def test_a_task_that_changed_since_is_not_evaluated_under_the_old_name(site: Site) -> None:
    attempt = first_attempt(site)
    Task.objects.filter(pk=attempt.result.task_id).update(digest=sha256("older"))
    assert "has digest" in evaluate(attempt, site).requeued_because


def test_a_cancelled_attempt_is_interrupted_at_the_next_heartbeat(
    site: Site, fake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake.HEARTBEAT_S = 0.05
    cancelled = threading.Event()

    def cancel_and_wait(self: fakes.Fake, task: TaskSpec, candidate: Candidate, *, uploaded: bool) -> Record:
        run_actions.cancel_results(results=[attempt.result], actor="test")
        cancelled.set()
        sleep(300)
        raise AssertionError("nobody interrupted")

    monkeypatch.setattr(fakes.Fake, "evaluate", cancel_and_wait)
    monkeypatch.setattr(leases, "heartbeat", lambda *, lease: not cancelled.is_set())
    attempt = first_attempt(site)
    before = signal.getsignal(signal.SIGUSR1)
    assert evaluate(attempt, site).status == "cancelled"
    assert signal.getsignal(signal.SIGUSR1) == before


def test_a_worker_that_must_stop_gives_its_attempt_back_and_then_stops(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: told.append(number))

    def be_stopped(self: fakes.Fake, task: TaskSpec, candidate: Candidate, *, uploaded: bool) -> Record:
        os.kill(os.getpid(), signal.SIGTERM)
        sleep(300)
        raise AssertionError("nobody interrupted")

    monkeypatch.setattr(fakes.Fake, "evaluate", be_stopped)
    try:
        attempt = evaluate(first_attempt(site), site)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (attempt.status, attempt.requeues, told) == ("queued", 0, [signal.SIGTERM])
    assert attempt.requeued_because == "worker w1 was stopped"


def test_nothing_is_interrupted_in_the_middle_of_a_statement() -> None:
    """A connection that was left there answered nothing more: such a worker failed at every attempt from then on."""
    ended = list[str]()

    def stopped_within(execute: Any, *statement: Any) -> Any:
        os.kill(os.getpid(), signal.SIGUSR1)
        sleep(0.1)  # here it is seen, and comes again a few times
        answer = execute(*statement)
        ended.append("statement")
        return answer

    def work() -> None:
        with connection.execute_wrapper(stopped_within):
            assert not Attempt.objects.exists()
        sleep(300)
        raise AssertionError("nobody interrupted")

    handlers = [signal.getsignal(number) for number in (signal.SIGUSR1, signal.SIGALRM)]
    with pytest.raises(Interrupted, match="SIGUSR1"):
        Heartbeat(None).during(work)
    assert ended == ["statement"]
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    assert [signal.getsignal(number) for number in (signal.SIGUSR1, signal.SIGALRM)] == handlers


@pytest.mark.slow
def test_the_real_evaluator_judges_a_candidate_that_was_stored(
    site: Site, fake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sandboxes, toolchain and gates as they are, on the smallest task there is."""
    monkeypatch.setenv("ARENA_TASKS", str(Path(__file__).parents[1] / "tiny"))
    fake.EVALUATOR = "runs.worker.device.Device"
    tiny = catalog.mirror_tasks(specs=[load_task("triton2triton/tests/double")])
    suite = registry.register_suite(name="tiny", title="", tasks=list(tiny.values()))
    baseline = Configuration.objects.get(slug="baseline")
    written = candidates.written_by(baseline, suite, repeat=0)
    run = site.new_run(suite=suite, configuration=baseline, written=written)
    attempt = evaluate(Attempt.objects.get(result__run=run), site)
    record = read_record(archive.get(attempt.record_digest))
    assert (attempt.status, attempt.message) == ("passed", "")
    assert attempt.measurements.count() == len(record.cases) > 0
    assert record.candidate.digest == attempt.result.candidate_digest


def test_a_line_submits_what_it_takes_and_says_so_of_the_rest(site: Site) -> None:
    names = ("torch2hip/arena/SiLU", "triton2triton/arena/softmax")
    tasks = catalog.mirror_tasks(specs=map(load_task, names))
    suite = registry.register_suite(name="mixed", title="", tasks=list(tasks.values()))
    for line, problems in {"shape_hardcoder": [], "eager": [["other_category", "triton2triton"]]}.items():
        chosen = {"configuration": Configuration.objects.get(slug=line), "suite": suite}
        [run] = starts.start_runs(**chosen, device_class=site.device_class, repeats=1, actor="test")
        taken, other = run.results.order_by("task__path")
        assert (taken.candidate_problems, other.candidate_problems) == ([], problems)
        assert (bool(taken.candidate_files), bool(other.candidate_files)) == (True, not problems)


def test_the_expert_takes_no_plain_task(site: Site) -> None:
    expert = Configuration.objects.get(slug="expert")
    assert starts.tasks_left_out(expert, site.suite) == 0
    site.suite.tasks.filter(category="hip2hip").update(is_plain=True)
    assert starts.tasks_left_out(expert, site.suite) == 1
    assert starts.tasks_left_out(site.configuration, site.suite) == 0
    site.suite.tasks.update(is_plain=True)
    with pytest.raises(RunError, match="that are not plain, and two@1 has none of them"):
        starts.start_runs(configuration=expert, suite=site.suite, device_class=site.device_class, actor="test")


def test_an_agent_that_is_none_of_ours_writes_nothing_here(site: Site) -> None:
    stranger = Configuration.objects.get(slug="baseline")
    stranger.agent = make_agent(name="Somebody")
    with pytest.raises(RunError, match=r"not a reference agent \(baseline, compile, .*rewrite"):
        candidates.written_by(stranger, site.suite, repeat=0)


def test_lines_of_the_log_say_what_they_are_about(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, object]] = []
    monkeypatch.setattr(evaluation.log, "info", lambda text, *_: seen.append((text, dict(current_ids()))))
    attempt = evaluate(first_attempt(site), site)
    ids = {"attempt": attempt.pk, "result": attempt.result_id, "run": attempt.result.run_id}
    assert seen == [("%s is evaluated on %s", ids), ("verdict stored", ids)]
    assert current_ids() == {}


def test_a_stop_between_lease_and_evaluation_queues_the_attempt_again(site: Site) -> None:
    attempt = first_attempt(site)
    assert not evaluation.evaluate_next(host=site.host, worker="w1", must_stop=lambda: True)
    attempt.refresh_from_db()
    assert (attempt.status, attempt.requeues, attempt.fencing_token) == ("queued", 0, 1)
