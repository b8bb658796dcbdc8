"""Agents at work on the site: a worker holds their sessions, which become rows, once, by one writer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, OperationalError, transaction

from evaluator.agents.catalog import AgentFolder as Known
from evaluator.errors import HostError
from evaluator.records.reasons import Status
from evaluator.records.record import TaskRef
from evaluator.records.sessions import Usage, read_session
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.spec import TaskSpec
from evaluator.workbench import FinishedSession
from runs import archive, sessions
from runs.errors import RegistryError, RunError
from runs.loading import registry
from runs.models import AgentSession, Attempt, Configuration, Host, Iteration, Result, Round, Run
from runs.services import leases, publishing, rounds, run_actions, starts
from runs.services.sessions import begin_session, record_session
from runs.worker import evaluation, retrying
from runs.worker import session as working
from tests.agent_sessions import make_iteration, make_session
from tests.runs import fakes
from tests.runs.conftest import Site

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fake(settings: Any) -> Iterator[Any]:
    settings.EVALUATOR = "tests.runs.fakes.open_fake"
    yield settings
    evaluation.close_evaluator()


def start(site: Site, slug: str = "block_tuner", **values: Any) -> list[Run]:
    configuration = Configuration.objects.select_related("agent", "model").get(slug=slug)
    wanted = {"configuration": configuration, "suite": site.suite, "device_class": site.device_class, "actor": "test"}
    return starts.start_runs(**wanted | values)


def work(site: Site) -> None:
    while evaluation.evaluate_next(host=site.host, worker="w"):
        pass


def test_an_agent_runs_three_times_by_default(site: Site) -> None:
    runs = start(site)
    assert [run.repeat for run in runs] == [0, 1, 2]
    assert [run.repeat for run in start(site, repeats=2, repeat=7)] == [7, 8]
    assert Attempt.objects.queued().count() == 10
    assert not Result.objects.exclude(candidate_files={}).exists()


@pytest.mark.parametrize(
    "asked",
    [
        {"repeats": 0},
        {"repeats": -2},
        {"repeat": -1},
        {"repeat": 32767, "repeats": 2},
        {"repeat": 2147483647},
        {"repeat": 10**30},
        {"repeats": 10**30},
    ],
)
def test_a_start_of_no_run_is_refused(site: Site, asked: dict[str, int]) -> None:
    with pytest.raises(RunError, match="expected at least 1, numbered from 0 to 32767"):
        start(site, **asked)
    assert not Run.objects.exists()


def test_the_last_repeat_that_a_row_can_hold_is_started(site: Site) -> None:
    assert [run.repeat for run in start(site, repeat=32766, repeats=2)] == [32766, 32767]


def test_a_session_is_held_before_the_verdict_and_becomes_rows(site: Site) -> None:
    [run] = start(site, repeats=1)
    work(site)
    result = run.results.select_related("session").order_by("task__path")[0]
    session = result.session
    assert (session.agent, session.ended, session.seconds, session.checks, session.failed_builds) == (
        *("block_tuner", "finished", 12.5, 2, 1),
    )
    assert (session.turns, session.input_tokens, session.cached_input_tokens, session.output_tokens) == (
        *(2, 1000, 200, 2000),
    )
    assert (session.model, session.cost_usd, session.cost_source) == ("m-1", 0.005, "agent")
    assert session.attempt.status == "passed"
    assert result.candidate_digest == read_session(archive.get(session.digest)).candidate.digest
    assert archive.get(session.prompt_digest) == b"# 1. Task\n\nMake it faster.\n"
    assert list(session.iterations.values_list("number", "status", "added", "removed")) == [
        (1, "build_failed", 2, 1),
        (2, "passed", 2, 1),
    ]
    assert "── tool call shell\nls" in session.tail


def test_a_rerun_evaluates_the_candidate_of_the_session_there_was(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    [run] = start(site, repeats=1)
    work(site)
    monkeypatch.setattr(fakes.Fake, "run_session", None)
    run_actions.rerun_results(results=run.results.all(), actor="test")
    work(site)
    assert list(Attempt.objects.newest().values_list("number", "status")) == [(2, "passed")] * 2
    assert AgentSession.objects.count() == 2


def test_a_database_that_is_busy_when_a_session_ends_costs_no_second_session(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = [OperationalError("database is locked")] * 2
    record = working.record_session

    def busy(**fields: Any) -> bool:
        if failures:
            raise failures.pop()
        return record(**fields)

    monkeypatch.setattr(working, "record_session", busy)
    monkeypatch.setattr(retrying, "sleep", lambda seconds: None)
    monkeypatch.setattr(retrying.connection, "close", lambda: None)
    start(site, repeats=1)
    work(site)
    assert not failures
    assert set(Attempt.objects.values_list("status", "requeues")) == {("passed", 0)}
    failures.append(OperationalError("the database is away"))
    monkeypatch.setattr(retrying, "DATABASE_S", -1.0)
    with pytest.raises(OperationalError, match="away"):
        retrying.stored(busy, "it")


def test_an_agent_that_lacks_something_here_is_our_fault_twice_and_then_can_be_tried_again(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: object, task: TaskSpec, agent: Known, **asked: object) -> FinishedSession:
        raise HostError("not configured: set ANTHROPIC_API_KEY")

    [run] = start(site, repeats=1)
    with monkeypatch.context() as broken:
        broken.setattr(fakes.Fake, "run_session", refuse)
        for _ in range(4):
            evaluation.evaluate_next(host=site.host, worker="w")
    attempts = Attempt.objects.filter(result__run=run)
    assert {(one.status, "not configured: set ANTHROPIC_API_KEY" in one.message) for one in attempts} == {
        ("errored", True)
    }
    run_actions.rerun_results(results=run.results.all(), actor="test")
    work(site)
    assert {one.status for one in Attempt.objects.newest()} == {"passed"}
    assert set(AgentSession.objects.values_list("ended", "abandoned")) == {("finished", 2)}


def test_a_result_published_without_a_candidate_gets_none_later(site: Site) -> None:
    [run] = start(site, repeats=1)
    for _ in range(4):
        lease = leases.lease_next(host=site.host, worker="w")
        assert lease is not None
        leases.release_attempt(lease=lease, because="planted")
    publishing.publish_run(run=run, actor="test")
    with pytest.raises(RunError, match="has no candidate that could be evaluated again"):
        run_actions.rerun_results(results=run.results.all(), actor="test")


def test_what_is_missing_is_reported_before_anything_starts(site: Site) -> None:
    with pytest.raises(RunError, match="chat_loop is not configured: set base_url and model"):
        start(site, "chat_loop")
    with pytest.raises(RunError, match="replay is not configured: set source"):
        start(site, "replay")
    Host.objects.update(agents={"codex": "not configured: codex is not installed here"})
    with pytest.raises(RunError, match="codex is not configured: codex is not installed here"):
        start(site, "codex")
    assert not Run.objects.exists()


def test_a_worker_reports_what_each_agent_lacks_on_its_host(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    evaluation.prepare(site.host)
    said = Host.objects.get(pk=site.host.pk).agents
    assert said["block_tuner"] == said["chat_loop"] == ""
    assert "ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN" in said["claude_code"]
    assert "baseline" not in said


def test_settings_that_an_agent_does_not_know_are_refused_when_they_are_registered(tmp_path: Path, site: Site) -> None:
    path = tmp_path / "registry.yaml"
    path.write_text("configurations:\n  odd: {agent: block_tuner, settings: {temperature: 1}}\n")
    with pytest.raises(RegistryError, match="block_tuner has no setting 'temperature'"):
        registry.load_registry(path)
    path.write_text(
        "configurations:\n"
        "  odd: {agent: chat_loop, settings: {base_url: 'https://me:key@host/v1', retries: -1, input_price: -5}}\n"
        "  odder: {agent: single_shot, settings: {base_url: 1, max_tokens: x}}\n"
    )
    with pytest.raises(RegistryError) as caught:
        registry.load_registry(path)
    assert [problem.partition("own.")[2].partition(";")[0] for problem in caught.value.problems] == [
        "base_url: seen an address with a user, a query or a fragment, which would be public",
        "retries: seen -1",
        "input_price: seen -5",
        "base_url: seen 1",
        "max_tokens: seen 'x'",
    ]
    assert "key" not in str(caught.value)


def test_a_session_longer_than_a_job_may_take_is_refused(site: Site, fake: Any) -> None:
    fake.JOB_LIMIT_S = 3600
    with pytest.raises(RunError, match="timeout_s is 3600; here at most 1800"):
        start(site)


def test_a_running_session_shows_its_progress(site: Site) -> None:
    start(site, repeats=1)
    lease = leases.lease_next(host=site.host, worker="w")
    assert lease is not None
    begin_session(lease=lease, agent="block_tuner", architecture="cpu")
    progress = working.SessionProgress(lease)
    progress.on_event(make_iteration(1, Status.BUILD_FAILED))
    progress.on_event(make_iteration(2, speedup=1.5))
    progress.store()
    running = AgentSession.objects.get()
    assert (running.ended, running.checks, running.failed_builds, running.cost_usd) == ("", 2, 1, None)
    assert "version 2: passed, 1.500×, 1.5 s" in running.tail


def test_a_worker_that_lost_its_lease_writes_nothing(site: Site) -> None:
    [run] = start(site, repeats=1)
    lease = leases.lease_next(host=site.host, worker="w")
    assert lease is not None
    begin_session(lease=lease, agent="block_tuner", architecture="cpu")
    run_actions.cancel_results(results=run.results.all(), actor="test")
    result = Result.objects.select_related("task").get(attempts=lease.attempt_id)
    candidate = Candidate({"a.hip": b"x"}, "block_tuner")
    session = make_session(TaskRef(result.task.path, result.task.digest, result.task.category), candidate)
    assert not record_session(lease=lease, session=session, candidate=candidate)
    assert not Iteration.objects.exists()
    result.refresh_from_db()
    assert result.candidate_files == {}


def test_a_tail_is_short_plain_and_masked() -> None:
    texts = [f"── text\n{number} \x1b[31mred\x1b[0m key sk-{'a' * 20}\n" for number in range(2000)]
    tail = sessions.tail_of(texts)
    assert len(tail) <= sessions.TAIL_CHARACTERS + 1
    assert "1999 " in tail
    assert "\x1b" not in tail
    assert "sk-aaaa" not in tail


CANDIDATE = Candidate({"a.hip": b"x"}, "a")
SESSION = make_session(TaskRef("hip2hip/arena/GELU", "a" * 64, "hip2hip"), CANDIDATE)


@pytest.mark.parametrize(
    ("agent", "settled", "cost", "expected"),
    [
        ("chat_loop", {"input_price": "1", "output_price": "2"}, 0.5, (0.5, "prices", "")),
        ("claude_code", {"model": "null"}, 0.5, (0.5, "agent", "")),
        ("block_tuner", {}, 0.0, (0.0, "free", "")),
        ("chat_loop", {"input_price": "1", "output_price": "2"}, None, "did not report the tokens of every request"),
        ("chat_loop", {"input_price": "null", "output_price": "null"}, None, "sets no token prices"),
        ("codex", {"model": "null"}, None, "reported no cost"),
    ],
)
def test_a_cost_has_a_source_and_none_a_reason(agent: str, settled: Any, cost: float | None, expected: Any) -> None:
    session = replace(SESSION, agent=agent, settings=settled, usage=Usage(cost_usd=cost))
    found = sessions.cost_of(session)
    if isinstance(expected, str):
        assert found[:2] == (None, "")
        assert expected in found[2]
    else:
        assert found == expected


def test_the_database_takes_no_cost_without_a_source_and_no_gap_without_a_reason(site: Site) -> None:
    start(site, repeats=1)
    work(site)
    for changes in (
        {"cost_source": ""},
        {"cost_usd": None},
        {"cost_usd": None, "cost_source": ""},
        {"cost_usd": -1.0},
        {"seconds": None},
        {"digest": ""},
        {"ended": "odd"},
        {"failed_builds": 9},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            AgentSession.objects.update(**changes)


def test_in_a_secret_round_a_session_keeps_no_moment_and_is_not_visible(site: Site) -> None:
    secret = rounds.open_round(slug="autumn", suite=site.suite, actor="test")
    start(site, repeats=1, round=secret)
    work(site)
    for session in AgentSession.objects.all():
        assert session.started_at.time().isoformat() == "00:00:00"
        assert read_session(archive.get(session.digest)).started_at.endswith("T00:00:00+00:00")
    assert not AgentSession.objects.visible().exists()
    assert not Iteration.objects.visible().exists()
    rounds.reveal_round(round=Round.objects.get(), actor="test")
    assert AgentSession.objects.visible().count() == 2
    assert Iteration.objects.visible().count() == 4
