"""A rerun of what an agent wrote nothing for: it works again, and what it had cost stays spent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from evaluator.records.record import Record
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.spec import TaskSpec
from runs import archive
from runs.actions import RERUNNING
from runs.errors import RunError
from runs.models import AgentSession, Attempt, AuditEntry, Configuration, Iteration, Result, Run
from runs.services import publishing, rounds, spending, starts
from runs.services.run_actions import cancel_results, rerun_failed, rerun_results
from runs.worker import evaluation
from tests.records import record_for
from tests.runs import fakes
from tests.runs.conftest import Site
from tests.runs.test_spending import paid

pytestmark = pytest.mark.django_db
HOLD = fakes.Fake.run_session


@pytest.fixture(autouse=True)
def fake(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    def judge(self: object, task: TaskSpec, candidate: Candidate, *, uploaded: bool = False) -> Record:
        reason = None if candidate.files else "not_written"
        return record_for(task.id, task.digest, task.category, candidate, reason=reason)

    settings.EVALUATOR = "tests.runs.fakes.open_fake"
    monkeypatch.setattr(fakes.Fake, "evaluate", judge)
    yield settings
    evaluation.close_evaluator()


def writes_nothing(self: fakes.Fake, task: TaskSpec, agent: Any, **asked: Any) -> Any:
    """A session that costs half a cent and times out with nothing written."""
    held = HOLD(self, task, agent, **asked)
    empty = Candidate({}, agent.name, tuple(("not_written", name) for name in task.editable))
    said = {"ended": "timed_out", "message": "The session's time was over.", "problems": empty.problems}
    return replace(held, candidate=empty, session=replace(held.session, candidate=empty.ref(), **said))


def work(site: Site) -> None:
    while Attempt.objects.queued().exists():
        evaluation.evaluate_next(host=site.host, worker="w")


def start(site: Site, configuration: Configuration) -> Run:
    wanted: dict[str, Any] = {"suite": site.suite, "device_class": site.device_class, "repeats": 1, "actor": "test"}
    return starts.start_runs(configuration=configuration, **wanted)[0]


@pytest.fixture
def failed(site: Site, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A run of a paid agent that wrote nothing, twice."""
    with monkeypatch.context() as broken:
        broken.setattr(fakes.Fake, "run_session", writes_nothing)
        run = start(site, paid(site))
        work(site)
    AgentSession.objects.update(started_at=timezone.now())
    assert set(AgentSession.objects.values_list("ended", "cost_usd")) == {("timed_out", 0.005)}
    return run


@pytest.mark.parametrize("wanted", ["failed", "run", "result"])
def test_an_agent_that_wrote_nothing_works_again_in_a_rerun(site: Site, failed: Run, wanted: str) -> None:
    before = {session.result_id: session.digest for session in AgentSession.objects.all()}
    asked: dict[str, Any] = {"actor": "test", "reason": "the endpoint was down"}
    if wanted == "failed":
        rerun_failed(run=failed, **asked)
    else:
        rerun_results(results=failed.results.all()[: 2 if wanted == "run" else 1], **asked)
    entries = AuditEntry.objects.filter(action="rerun")
    assert not AgentSession.objects.filter(result__in=entries.values("result")).exists()
    work(site)
    for entry in entries:
        day = f"{timezone.now():%Y-%m-%d}"
        said = f"in place of its session of {day}: timed_out, 0.005 USD, 0 lost before it, {before[entry.result_id]}"
        assert (entry.detail, entry.reason) == (said, "the endpoint was down")
        assert entry.to_attempt.status == "passed"
        assert entry.to_attempt.session.ended == "finished"
        assert b'"timed_out"' in archive.get(before[entry.result_id])
    again = 1 if wanted == "result" else 2
    assert entries.count() == again
    assert Attempt.objects.filter(status="passed").count() == again
    assert Iteration.objects.filter(session__ended="finished").count() == 2 * again


def test_the_runs_page_names_the_session_that_was_replaced(site: Site, failed: Run, client: Client) -> None:
    rerun_failed(run=failed, actor="test")
    digest = AuditEntry.objects.filter(action="rerun")[0].detail.rpartition(" ")[2]
    assert f": timed_out, 0.005 USD, 0 lost before it, {digest}" in client.get(f"/run/{failed.pk}/").content.decode()
    said = [one["session_before"] for one in client.get(f"/api/v1/run/{failed.pk}/").json()["audit_log"]]
    assert [one is not None for one in said] == [True, True, False]
    secret = rounds.open_round(slug="autumn", suite=site.suite, actor="test")
    Run.objects.filter(pk=failed.pk).update(round=secret)
    for address in (f"/run/{failed.pk}/", f"/api/v1/run/{failed.pk}/", f"/api/v1/run/{failed.pk}/audit_log.csv"):
        assert b"in place of its session" not in client.get(address).getvalue()
    cancel_results(results=failed.results.all(), actor="test")
    rounds.reveal_round(round=secret, actor="test")
    assert digest in client.get(f"/run/{failed.pk}/").content.decode()


def test_what_the_session_before_cost_stays_spent(site: Site, failed: Run, fake: Any) -> None:
    fake.DAY_CAP_USD = 5.0
    Configuration.objects.filter(pk=failed.configuration_id).update(run_cap_usd=1.0, day_cap_usd=2.0)
    failed.refresh_from_db()
    assert spending.left_to_spend(run=failed) == pytest.approx(0.99)
    rerun_failed(run=failed, actor="test")
    assert spending.left_to_spend(run=failed) == pytest.approx(0.99)
    Configuration.objects.filter(pk=failed.configuration_id).update(run_cap_usd=9.0, day_cap_usd=2.0)
    failed.configuration.refresh_from_db()
    assert spending.left_to_spend(run=failed) == pytest.approx(1.99)
    fake.DAY_CAP_USD = 1.0
    assert spending.left_to_spend(run=failed) == pytest.approx(0.99)
    work(site)
    AgentSession.objects.update(started_at=timezone.now())
    assert spending.left_to_spend(run=failed) == pytest.approx(0.98)


def test_a_cost_that_nobody_knew_stays_estimated_and_another_days_counts_for_the_run(site: Site, failed: Run) -> None:
    unknown = {"cost_usd": None, "cost_source": "", "no_cost_because": "unknown", "abandoned": 2}
    AgentSession.objects.update(started_at=timezone.now() - timezone.timedelta(days=1), **unknown)
    Configuration.objects.filter(pk=failed.configuration_id).update(run_cap_usd=10.0, day_cap_usd=20.0)
    rerun_failed(run=failed, actor="test")
    assert "unknown USD, 2 lost before it" in AuditEntry.objects.filter(action="rerun")[0].detail
    failed.configuration.refresh_from_db()
    assert spending.left_to_spend(run=failed) == pytest.approx(10.0 - 2 * 3 * 0.25)
    Configuration.objects.filter(pk=failed.configuration_id).update(run_cap_usd=30.0)
    failed.configuration.refresh_from_db()
    assert spending.left_to_spend(run=failed) == pytest.approx(20.0)


def test_what_was_public_without_a_candidate_stays_without(site: Site, failed: Run) -> None:
    publishing.publish_run(run=failed, actor="test")
    publishing.withdraw_run(run=failed, actor="test", reason="planted")
    rerun_failed(run=failed, actor="test")
    work(site)
    assert set(Attempt.objects.newest().values_list("number", "status")) == {(2, "not_produced")}
    assert set(AgentSession.objects.values_list("ended", flat=True)) == {"timed_out"}
    assert "if the run was public, it does not: start a run with another repeat" in RERUNNING


def test_a_candidate_that_was_written_is_evaluated_again_as_it_is(site: Site) -> None:
    run = start(site, Configuration.objects.get(slug="block_tuner"))
    work(site)
    written = list(Result.objects.values_list("candidate_digest", flat=True))
    rerun_results(results=run.results.all(), actor="test")
    work(site)
    assert list(Result.objects.values_list("candidate_digest", flat=True)) == written
    assert not AuditEntry.objects.filter(action="rerun").exclude(detail="").exists()
    assert not AgentSession.objects.exclude(attempt__number=1).exists()


def test_a_rerun_that_is_refused_takes_no_session_away(site: Site, failed: Run) -> None:
    task = failed.results.all()[1].task
    type(task).objects.filter(pk=task.pk).update(digest="0" * 64)
    with pytest.raises(RunError, match="has digest"):
        rerun_failed(run=failed, actor="test")
    assert AgentSession.objects.exclude(ended="").count() == 2
