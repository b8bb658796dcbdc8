"""Unseen cases of an attempt: after the seen verdict, never at its cost, at most three times, once a candidate."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from math import log
from typing import Any

import pytest
from django.apps import apps

from evaluator.unseen.generate import core_cases
from evaluator.unseen.record import read_unseen
from runs import archive, candidates
from runs.errors import RunError
from runs.models import Attempt, DeviceClass, Round, Run, UnseenEvaluation, UnseenMeasurement
from runs.services import leases, rounds, run_actions, unseen
from runs.services.leases import Lease
from runs.worker import evaluation
from tests.runs import fakes
from tests.runs.conftest import Site
from tests.runs.unseen_records import make_unseen

pytestmark = pytest.mark.django_db


@pytest.fixture
def secret(site: Site) -> Round:
    return rounds.open_round(slug="autumn", suite=site.suite, actor="test")


@pytest.fixture
def working(site: Site, settings: Any) -> Site:
    settings.EVALUATOR = "tests.runs.fakes.open_fake"
    yield site
    evaluation.close_evaluator()


def work(site: Site, times: int = 1) -> None:
    for _ in range(times):
        evaluation.evaluate_next(host=site.host, worker="w")


def leased(site: Site, run: Run) -> Lease:
    lease = leases.lease_next(host=site.host, worker="w")
    assert lease is not None
    assert Attempt.objects.get(pk=lease.attempt_id).result.run == run
    return lease


def test_a_run_without_a_round_sees_no_unseen_case(working: Site) -> None:
    working.new_run()
    work(working)
    assert not UnseenEvaluation.objects.exists()


def test_a_candidate_is_tried_on_the_cases_of_the_round(working: Site, secret: Round) -> None:
    run = working.new_run(round=secret)
    work(working, 2)
    for attempt in Attempt.objects.filter(result__run=run):
        task = candidates.spec_of(attempt.result.task)
        expected = core_cases(task, secret.secret.encode(), "small")
        found = attempt.unseen.cases.all()
        assert [(row.case, row.category) for row in found] == [(one.case.id, one.category) for one in expected]
        assert {(row.baseline_correct, row.correct, row.is_error) for row in found} == {(True, True, False)}
        assert (attempt.status, attempt.unseen.state, attempt.unseen.is_complete) == ("passed", "done", True)
        assert read_unseen(archive.get(attempt.unseen.record_digest)).round == secret.secret_hash


def test_a_fault_on_unseen_cases_costs_the_entry_its_completeness_and_not_its_verdict(
    working: Site, secret: Round, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*arguments: object, **named: object) -> None:
        raise RuntimeError("cols=4097 is what it saw")

    monkeypatch.setattr(fakes.Fake, "evaluate_unseen", broken)
    working.new_run(round=secret)
    work(working)
    attempt = Attempt.objects.get(unseen__isnull=False)
    assert (attempt.status, attempt.requeues) == ("passed", 0)
    assert (attempt.unseen.state, attempt.unseen.is_complete) == ("errored", False)
    assert "cols=4097" in attempt.unseen.message
    assert "cols=4097" not in caplog.text
    assert "RuntimeError" in caplog.text


def test_a_case_with_a_fault_of_ours_is_marked_and_makes_it_incomplete(site: Site, secret: Round) -> None:
    run = site.new_run(round=secret)
    lease = leased(site, run)
    record_for(lease, {0: "opt_regression", 3: "evaluation_error", 4: "both_fail", 5: "opt_improvement"})
    found = UnseenEvaluation.objects.get()
    assert (found.state, found.is_complete) == ("done", False)
    rows = [(row.baseline_correct, row.correct, row.is_error) for row in found.cases.all()]
    assert rows[0] == (True, False, False)
    assert rows[3] == (True, None, True)
    assert rows[4:6] == [(False, False, False), (False, True, False)]
    assert found.cases.first().reason == "mismatch"


def record_for(lease: Lease, quadrants: dict[int, str] | None = None) -> None:
    job = unseen.begin_unseen(lease=lease)
    assert job is not None
    result = Attempt.objects.get(pk=lease.attempt_id).result
    spec, candidate = candidates.spec_of(result.task), candidates.candidate_of(result)
    record = make_unseen(
        spec, candidate, job.cases, round_digest=job.round_hash, generator=job.generator, quadrants=quadrants
    )
    assert unseen.record_unseen(lease=lease, job=job, record=record)


def test_an_identical_candidate_reuses_the_stored_outcome(working: Site, secret: Round) -> None:
    first, second = working.new_run(round=secret), working.new_run(round=secret, repeat=1)
    work(working, 4)
    for result in second.results.all():
        answer = result.attempts.get().unseen
        assert answer.reused_from == first.results.get(task=result.task).attempts.get().unseen
        assert (answer.state, answer.is_complete, answer.cases.count()) == ("done", True, 8)
        assert answer.outcomes == answer.reused_from.outcomes
    assert UnseenMeasurement.objects.count() == 32


def test_what_the_cases_come_to_is_stored_with_them_and_a_migration_did_it_for_older_ones(
    site: Site, secret: Round
) -> None:
    record_for(leased(site, site.new_run(round=secret)), {0: "evaluation_error", 1: "opt_regression"})
    one = UnseenEvaluation.objects.get(state="done")
    one.cases.filter(pk__in=one.cases.order_by("-pk").values("pk")[:2]).update(log_ratio=log(2.0), is_eligible=True)
    counts = Counter(name for own in one.outcomes.values() for name, count in own.items() for _ in range(count))
    assert counts == {"both_pass": 6, "opt_regression": 1, "evaluation_error": 1}
    stored = dict(one.outcomes)
    UnseenEvaluation.objects.update(outcomes={})
    import_module("runs.migrations.0014_what_unseen_cases_come_to").sum_up(apps, None)
    one.refresh_from_db()
    assert (one.outcomes, one.mean_speedup, one.log_speedup) == (stored, pytest.approx(2.0), pytest.approx(log(2.0)))


def test_an_outcome_with_a_fault_of_ours_is_not_reused(site: Site, secret: Round) -> None:
    run = site.new_run(round=secret)
    record_for(leased(site, run), {0: "evaluation_error"})
    run_actions.cancel_results(results=run.results.all(), actor="test")
    again = site.new_run(round=secret, repeat=1)
    assert unseen.begin_unseen(lease=leased(site, again)) is not None


def test_another_device_class_or_round_asks_anew(site: Site, secret: Round) -> None:
    run = site.new_run(round=secret)
    record_for(leased(site, run))
    run_actions.cancel_results(results=run.results.all(), actor="test")
    other = rounds.open_round(slug="winter", suite=site.suite, actor="test")
    again = site.new_run(round=other, repeat=1)
    job = unseen.begin_unseen(lease=leased(site, again))
    assert job is not None
    assert job.round_hash == other.secret_hash


def test_a_configuration_has_three_evaluations_of_a_task_in_a_round(site: Site, secret: Round) -> None:
    def another(repeat: int) -> Lease:
        from evaluator.tasks.candidate import Candidate

        sources = {
            task.pk: Candidate({path: f"// {repeat}".encode() for path in task.editable}, "rewrite")
            for task in site.suite.tasks.all()
        }
        run = site.new_run(round=secret, repeat=repeat, written=sources)
        return leased(site, run)

    for repeat in range(3):
        lease = another(repeat)
        record_for(lease)
        run_actions.cancel_results(results=Run.objects.get(repeat=repeat).results.all(), actor="test")
    lease = another(3)
    assert unseen.begin_unseen(lease=lease) is None
    refused = UnseenEvaluation.objects.get(attempt=lease.attempt_id)
    assert (refused.state, refused.is_complete, refused.cases.count()) == ("refused", False, 0)


def test_a_lost_worker_costs_the_unseen_cases_the_second_time(site: Site, secret: Round) -> None:
    run = site.new_run(round=secret)
    lease = leased(site, run)
    assert unseen.begin_unseen(lease=lease) is not None
    leases.release_attempt(lease=lease, because="a fault")
    again = leased(site, run)
    assert unseen.begin_unseen(lease=again) is None
    assert UnseenEvaluation.objects.get().state == "errored"


def test_a_stop_in_between_costs_nothing(site: Site, secret: Round) -> None:
    run = site.new_run(round=secret)
    lease = leased(site, run)
    assert unseen.begin_unseen(lease=lease) is not None
    leases.release_attempt(lease=lease, because="stopped", is_fault=False)
    record_for(leased(site, run))
    assert UnseenEvaluation.objects.get().state == "done"


def test_a_lost_lease_writes_nothing(site: Site, secret: Round) -> None:
    run = site.new_run(round=secret)
    lease = leased(site, run)
    job = unseen.begin_unseen(lease=lease)
    assert job is not None
    run_actions.cancel_results(results=run.results.all(), actor="test")
    result = Attempt.objects.get(pk=lease.attempt_id).result
    spec, candidate = candidates.spec_of(result.task), candidates.candidate_of(result)
    record = make_unseen(spec, candidate, job.cases, round_digest=job.round_hash, generator=job.generator)
    assert not unseen.record_unseen(lease=lease, job=job, record=record)
    assert unseen.begin_unseen(lease=lease) is None
    unseen.fail_unseen(lease=lease, because="late")
    assert UnseenEvaluation.objects.get().state == "running"


def test_a_record_of_other_cases_is_refused(site: Site, secret: Round) -> None:
    lease = leased(site, site.new_run(round=secret))
    job = unseen.begin_unseen(lease=lease)
    assert job is not None
    result = Attempt.objects.get(pk=lease.attempt_id).result
    spec, candidate = candidates.spec_of(result.task), candidates.candidate_of(result)
    for cases, hashed in ((job.cases[:7], job.round_hash), (job.cases, "0" * 64)):
        record = make_unseen(spec, candidate, cases, round_digest=hashed, generator=job.generator)
        with pytest.raises(RunError, match="another round, task or other cases"):
            unseen.record_unseen(lease=lease, job=job, record=record)


def test_a_job_prints_no_case(site: Site, secret: Round) -> None:
    job = unseen.begin_unseen(lease=leased(site, site.new_run(round=secret)))
    assert job is not None
    assert "cols" not in repr(job)
    assert secret.secret not in repr(job)


def test_a_gpu_gets_the_cases_of_full_size(site: Site, secret: Round) -> None:
    spec = candidates.spec_of(site.suite.tasks.first())
    small = unseen.cases_of(secret, spec, DeviceClass.objects.get(slug="cpu-x86_64"))
    full = unseen.cases_of(secret, spec, DeviceClass.objects.get(slug="h100-sxm"))
    assert {one.case.profile for one in small} == {"small"}
    assert {one.case.profile for one in full} == {"full"}


def test_in_a_secret_round_only_the_day_of_an_attempt_is_stored(working: Site, secret: Round) -> None:
    run = working.new_run(round=secret)
    work(working)
    attempt = Attempt.objects.get(unseen__isnull=False)
    assert (attempt.started_at, attempt.heartbeat_at, attempt.requeued_because) == (None, None, "")
    assert attempt.ended_at is not None
    assert (attempt.ended_at.hour, attempt.ended_at.minute, attempt.ended_at.microsecond) == (0, 0, 0)
    assert b'"started_at": "' + attempt.ended_at.isoformat().encode() in archive.get(attempt.record_digest)
    run_actions.cancel_results(results=run.results.all(), actor="test")
    rounds.reveal_round(round=secret, actor="test")
    working.new_run(round=secret, repeat=1)
    work(working)
    assert Attempt.objects.get(result__run__repeat=1, status="passed").started_at is not None
