"""Verifications: the rules for a task and for a bundle, and the run that evaluates the candidates again."""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps

from evaluator.records.record import PROTOCOL, Record
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.spec import TaskSpec
from runs.comparisons import ComparedResult, bundle_verdict, compare
from runs.errors import RunError
from runs.loading import bundles as intake
from runs.models import Run, Submission, UnseenEvaluation, Verification
from runs.services import publishing, rounds, submissions
from runs.services.verification import begin_verification, conclude_verifications, verify_by_policy
from runs.worker import evaluation
from tests import factories
from tests.records import record_for
from tests.runs import fakes
from tests.runs.bundling import make_zip
from tests.runs.conftest import Site

H100 = ComparedResult("passed", "h100-sxm", PROTOCOL, False, log_speedup=0.5, low=0.49, high=0.51)
CPU = ComparedResult("passed", "cpu-x86_64", PROTOCOL, True)
LOUD = replace(H100, low=0.4, high=0.6)


@pytest.mark.parametrize(
    ("claimed", "measured", "outcome"),
    [
        (H100, replace(H100, log_speedup=0.529, low=0.52, high=0.54), "reproduced"),  # 3 % is what hosts differ by
        (H100, replace(H100, log_speedup=0.531, low=0.52, high=0.54), "faster"),
        (H100, replace(H100, log_speedup=0.469, low=0.46, high=0.48), "slower"),
        (LOUD, replace(LOUD, log_speedup=0.37, low=0.27, high=0.47), "reproduced"),  # √(0.1² + 0.1²) = 0.141
        (LOUD, replace(LOUD, log_speedup=0.35, low=0.25, high=0.45), "slower"),
        (replace(H100, low=None), replace(H100, log_speedup=0.41), "reproduced"),  # no noise stated: 10 %
        (replace(H100, low=None), replace(H100, log_speedup=0.39), "slower"),
        (H100, replace(H100, status="wrong_output"), "failed"),
        (replace(H100, status="crashed"), replace(H100, status="wrong_output"), "reproduced"),
        (replace(H100, status="crashed"), H100, "faster"),
        (H100, replace(H100, status="errored"), "not_comparable"),
        (replace(H100, status="not_judged"), H100, "not_comparable"),
        (H100, replace(H100, device_class="mi300x-spx"), "not_comparable"),
        (H100, CPU, "not_comparable"),
        (H100, replace(CPU, status="wrong_output"), "failed"),
        (CPU, CPU, "reproduced"),
        (replace(H100, log_speedup=None), H100, "reproduced"),
        (replace(H100, protocol="aka-scripts-1"), H100, "not_comparable"),
        (replace(H100, protocol="x", log_paper_speedup=0.5), replace(H100, log_paper_speedup=0.42), "reproduced"),
        (replace(H100, protocol="x", log_paper_speedup=0.5), replace(H100, log_paper_speedup=0.4), "slower"),
    ],
)
def test_a_claim_is_compared_with_what_was_measured(
    claimed: ComparedResult, measured: ComparedResult, outcome: str
) -> None:
    found = compare(claimed, measured)
    assert (found.outcome, bool(found.because)) == (outcome, True)
    assert found.log_difference is None or math.isfinite(found.log_difference)


@pytest.mark.parametrize(
    ("card", "other", "outcome"),
    [("a", "b", "reproduced"), ("a", "a", "faster"), ("", "", "reproduced"), ("a", "", "reproduced")],
)
def test_what_cards_differ_by_is_allowed_unless_both_times_are_of_one(card: str, other: str, outcome: str) -> None:
    measured = replace(H100, log_speedup=0.55, low=0.54, high=0.56, card=other)
    assert compare(replace(H100, card=card), measured, between_cards=0.06).outcome == outcome
    assert compare(replace(H100, card=card), measured).outcome == "faster"


@pytest.mark.parametrize(
    ("outcomes", "verdict"),
    [
        (["reproduced"] * 9 + ["slower"], "reproduced"),
        (["reproduced"] * 8 + ["faster", "failed"], "partly"),
        (["reproduced"] * 4 + ["slower"], "partly"),
        (["reproduced", "slower"], "partly"),
        (["reproduced", "slower", "failed"], "not_reproduced"),
        (["not_comparable", "reproduced"], "reproduced"),
        (["not_comparable"], "not_comparable"),
        ([], "not_comparable"),
    ],
)
def test_a_bundle_is_judged_by_its_compared_tasks(outcomes: list[str], verdict: str) -> None:
    assert bundle_verdict(outcomes) == verdict


# The run that measures.


@pytest.fixture
def submission(site: Site, tmp_path: Path, settings: Any) -> Iterator[Submission]:
    settings.EVALUATOR = "tests.runs.fakes.open_fake"
    yield submitted(make_zip(tmp_path / "run", site.suite))
    evaluation.close_evaluator()


def submitted(path: Path) -> Submission:
    digest, size = intake.archive_bundle(path)
    upload = submissions.Upload(digest, size, path.name, {}, "MIT")
    found, _ = submissions.receive(upload=upload, actor="test")
    intake.check_next(found.pk)
    found.refresh_from_db()
    return found


def work(site: Site) -> None:
    while evaluation.evaluate_next(host=site.host, worker="w"):
        pass


@pytest.mark.django_db
def test_its_candidates_run_in_the_strong_sandbox_and_close_the_submission(
    site: Site, submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def noting(self: object, task: TaskSpec, candidate: Candidate, *, uploaded: bool = False) -> Record:
        asked.append(uploaded)
        return record_for(task.id, task.digest, task.category, candidate)

    monkeypatch.setattr(fakes.Fake, "evaluate", noting)
    verification = begin_verification(submission=submission, device_class=site.device_class, actor="admin")
    assert conclude_verifications() == 0
    work(site)
    assert conclude_verifications() == 1
    assert asked == [True, True]
    verification.refresh_from_db()
    submission.refresh_from_db()
    run = submission.run
    assert run is not None
    assert (verification.verdict, verification.tasks.count()) == ("reproduced", 2)
    assert (run.trust, run.reproduced_tasks, run.verified_tasks) == ("reproduced", 2, 2)
    assert (submission.state, submission.outcome) == ("closed", "verified")
    assert conclude_verifications() == 0


@pytest.mark.django_db
def test_a_rerun_of_an_imported_run_is_for_the_strong_sandbox_too(site: Site, submission: Submission) -> None:
    assert submission.run is not None
    assert submission.run.is_from_outside
    assert not site.new_run().is_from_outside


@pytest.mark.django_db
@pytest.mark.parametrize("sample", [0, 1000, 2**31, 10**30])
def test_so_many_tasks_are_not_drawn(site: Site, submission: Submission, sample: int) -> None:
    with pytest.raises(RunError, match=f"seen {sample} tasks to draw; expected 1 to 999"):
        begin_verification(submission=submission, device_class=site.device_class, sample=sample, actor="admin")


@pytest.mark.django_db
def test_a_claim_that_fails_here_stays_visible_and_opens_a_review(
    site: Site, submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(self: object, task: TaskSpec, candidate: Candidate, *, uploaded: bool = False) -> Record:
        return record_for(task.id, task.digest, task.category, candidate, reason="mismatch")

    monkeypatch.setattr(fakes.Fake, "evaluate", wrong)
    begin_verification(submission=submission, device_class=site.device_class, sample=1, actor="admin")
    work(site)
    conclude_verifications()
    submission.refresh_from_db()
    assert submission.run is not None
    verification = Verification.objects.get()
    assert (verification.verdict, verification.sample, verification.tasks.count()) == ("not_reproduced", 1, 1)
    assert submission.run.trust == "claimed"
    assert submission.reviews.get(kind="not_reproduced").closed_at is None
    verdict = verification.tasks.get()
    assert (verdict.claimed.status, verdict.measured.status) == ("passed", "wrong_output")


@pytest.mark.django_db
def test_the_run_that_measures_is_never_published_and_one_runs_at_a_time(site: Site, submission: Submission) -> None:
    verification = begin_verification(submission=submission, device_class=site.device_class, actor="admin")
    with pytest.raises(RunError, match="it has nothing to verify"):
        begin_verification(submission=submission, device_class=site.device_class, actor="admin")
    work(site)
    with pytest.raises(RunError, match="never published"):
        publishing.publish_run(run=verification.measured, actor="admin")
    conclude_verifications()
    begin_verification(submission=submission, device_class=site.device_class, actor="admin")
    with pytest.raises(RunError, match="being verified already"):
        begin_verification(submission=submission, device_class=site.device_class, actor="admin")


@pytest.mark.django_db
def test_imported_outcomes_on_unseen_cases_are_not_reused(site: Site, tmp_path: Path, settings: Any) -> None:
    """The identical candidate has an answer in the bundle; ours are measured all the same."""
    settings.EVALUATOR = "tests.runs.fakes.open_fake"
    opened = rounds.open_round(slug="autumn", suite=site.suite, actor="test")
    rounds.reveal_round(round=opened, actor="test")
    submission = submitted(make_zip(tmp_path / "run", site.suite, secret=opened.secret.encode()))
    verification = begin_verification(submission=submission, device_class=site.device_class, actor="admin")
    work(site)
    measured = UnseenEvaluation.objects.filter(attempt__result__run=verification.measured)
    assert [(one.state, one.reused_from) for one in measured] == [("done", None)] * 2
    evaluation.close_evaluator()


@pytest.mark.django_db
def test_a_run_without_a_round_is_verified_on_the_unseen_cases_of_a_revealed_one(
    site: Site, submission: Submission
) -> None:
    opened = rounds.open_round(slug="autumn", suite=site.suite, actor="test")
    rounds.reveal_round(round=opened, actor="test")
    verification = begin_verification(submission=submission, device_class=site.device_class, actor="admin")
    assert verification.measured.round == opened
    work(site)
    conclude_verifications()
    told = list(verification.tasks.values_list("because", flat=True))
    assert len(told) == 2
    assert all("unseen cases correct: measured " in because for because in told)


@pytest.mark.django_db
@pytest.mark.parametrize(("policy", "tasks"), [("all", 2), ("1", 1), ("5", 2)])
def test_a_policy_verifies_what_is_accepted_without_being_asked(
    site: Site, submission: Submission, settings: Any, policy: str, tasks: int
) -> None:
    assert verify_by_policy() == 0
    settings.VERIFY = policy
    assert verify_by_policy() == 1
    verification = Verification.objects.get()
    assert (verification.asked_by_name, verification.measured.results.count()) == ("policy", tasks)
    work(site)
    conclude_verifications()
    assert verify_by_policy() == 0
    submission.refresh_from_db()
    assert (submission.state, submission.outcome) == ("closed", "verified")


@pytest.mark.django_db
def test_a_policy_leaves_what_no_host_of_ours_could_measure(site: Site, submission: Submission, settings: Any) -> None:
    settings.VERIFY = "all"
    site.device_class.hosts.update(is_enabled=False)
    assert verify_by_policy() == 0


@pytest.mark.django_db
def test_without_a_source_there_is_nothing_to_verify(site: Site, submission: Submission) -> None:
    assert submission.run is not None
    submission.run.results.update(candidate_files={}, candidate_digest="")
    with pytest.raises(RunError, match="no candidate"):
        begin_verification(submission=submission, device_class=site.device_class, actor="admin")
    assert Run.objects.count() == 1


@pytest.mark.django_db
def test_those_that_were_stopped_before_lose_the_verdict_that_they_were_given() -> None:
    migration = importlib.import_module("runs.migrations.0013_a_stopped_verification_has_no_verdict")
    for outcomes in ([], ["not_comparable"]):
        claimed = factories.make_run(status="passed")
        factories.make_verification(claimed, outcomes, verdict="not_comparable", compared_tasks=0)
    migration.name_stopped(apps, None)
    assert list(Verification.objects.order_by("pk").values_list("verdict", flat=True)) == ["stopped", "not_comparable"]
