"""From bytes to a run: received once, checked by whoever is free, refused with every problem or accepted whole."""

from __future__ import annotations

import json
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.utils import timezone

from runs import archive
from runs.errors import RunError
from runs.loading import bundles as intake
from runs.models import AuditEntry, Run, Submission, Task
from runs.services import publishing, submissions, takedowns
from runs.services.submissions import MOST_CHECKS, OUR_FAULT
from tests.runs.bundling import make_folder, make_zip
from tests.runs.conftest import Site, checked, submitted

pytestmark = pytest.mark.django_db


def test_a_good_bundle_becomes_a_draft_of_the_declared_configuration(
    site: Site, submitter: User, tmp_path: Path
) -> None:
    submission = checked(submitted(make_zip(tmp_path / "run", site.suite), submitter))
    run = submission.run
    assert run is not None
    assert (submission.state, run.state, run.origin, run.trust) == ("accepted", "draft", "imported", "claimed")
    assert (run.configuration.agent.name, run.configuration.agent.kind) == ("Sam's agent", "external")
    assert run.configuration.model is not None
    assert (run.configuration.model.identifier, run.created_by) == ("m-1", submitter)
    trail = list(submission.audit_entries.order_by("id").values_list("action", flat=True))
    assert trail == ["receive", "accept"]


def test_the_same_bytes_are_the_same_submission_whoever_sends_them(site: Site, submitter: User, tmp_path: Path) -> None:
    path = make_zip(tmp_path / "run", site.suite)
    first = checked(submitted(path, submitter))
    again = submitted(path, User.objects.create_user("other"))
    assert (first.pk, again.submitter, again.state) == (again.pk, submitter, "accepted")
    assert not intake.check_next()
    assert Run.objects.count() == 1


def test_the_same_results_in_other_bytes_are_refused(site: Site, submitter: User, tmp_path: Path) -> None:
    path = make_zip(tmp_path / "run", site.suite)
    first = checked(submitted(path, submitter))
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(path) as packed, zipfile.ZipFile(other, "w", zipfile.ZIP_STORED) as unpacked:
        for name in packed.namelist():
            unpacked.writestr(name, packed.read(name))
    second = checked(submitted(other, submitter))
    assert (second.state, second.problem_count) == ("rejected", 1)
    assert f"submission {first.pk} has exactly these results" in second.problems[0]["seen"]


def test_every_problem_comes_at_once_and_nothing_is_written(site: Site, submitter: User, tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "run", site.suite, protocol="arena-9")
    (folder / "records" / "stranger.json").write_text("{}")
    submission = checked(submitted(folder, submitter))
    assert (submission.state, submission.problem_count) == ("rejected", len(submission.problems))
    assert submission.problem_count == 3
    assert all(set(one) == {"place", "seen", "expected", "hint"} for one in submission.problems)
    assert not Run.objects.exists()


def test_its_submitter_sends_a_rejected_one_again(site: Site, submitter: User, tmp_path: Path) -> None:
    """What was wrong may have been what was said, or what the site knew: the bytes may be right by now."""
    path = make_zip(tmp_path / "run", site.suite)
    submission = checked(submitted(path, submitter, declared={"agent": "Expert"}))
    assert "is a built-in agent" in submission.problems[0]["seen"]
    assert submitted(path, User.objects.create_user("other")).state == "rejected"
    assert checked(submitted(path, submitter)).state == "accepted"


def test_a_file_that_is_no_bundle_is_rejected_with_what_is_expected(
    site: Site, submitter: User, tmp_path: Path
) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(b"hello")
    submission = checked(submitted(path, submitter))
    assert submission.state == "rejected"
    assert submission.problems[0]["expected"]


def test_a_claim_of_another_benchmark_is_stored_and_ranks_nothing(site: Site, submitter: User, tmp_path: Path) -> None:
    path = tmp_path / "eval_results.json"
    one = {"sample_id": 0, "compiled": True, "correctness": True, "metadata": {}, "runtime": 1.5, "runtime_stats": {}}
    path.write_text(json.dumps({"1": one, "2": one | {"correctness": False}}))
    submission = checked(submitted(path, submitter, declared={"agent": "Sam's agent", "level": "1"}))
    assert submission.state == "accepted", submission.problems
    assert (submission.run, submission.claim_count) == (None, submission.claims.count())
    assert submission.claim_count >= 2
    assert not Run.objects.exists()
    assert not Submission.objects.ever_public().exists()
    submissions.publish_claims(submission=submission, actor="test")
    assert Submission.objects.ever_public().get() == submission


def test_a_fault_of_ours_leaves_it_waiting_and_then_rejects_it_as_ours(
    site: Site, submitter: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = submitted(make_zip(tmp_path / "run", site.suite), submitter)

    def broken(*arguments: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(archive, "copy_upload", broken)
    states = [checked(submission).state for _ in range(MOST_CHECKS)]
    assert states == ["received", "received", "rejected"]
    assert submission.problems[0]["place"] == "this site"


def test_a_check_whose_worker_died_is_given_back_and_its_verdict_counts_no_more(
    site: Site, submitter: User, tmp_path: Path
) -> None:
    submitted(make_zip(tmp_path / "run", site.suite), submitter)
    dead = submissions.lease_check()
    assert dead is not None
    assert submissions.requeue_expired_checks() == 0
    Submission.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert submissions.requeue_expired_checks() == 1
    assert not submissions.reject(submission=dead, problems=[OUR_FAULT])
    assert Submission.objects.get().state == "received"


def test_mail_goes_to_those_who_asked_for_it(
    site: Site, submitter: User, tmp_path: Path, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        submission = checked(submitted(make_zip(tmp_path / "run", site.suite), submitter, wants_mail=True))
        checked(submitted(make_zip(tmp_path / "two", site.suite, repeat=1), submitter))
    (message,) = mail.outbox
    assert (message.to, f"submission {submission.pk} is accepted" in message.subject) == (["sam@example.org"], True)


def test_each_end_is_mailed(
    site: Site, submitter: User, tmp_path: Path, django_capture_on_commit_callbacks: Any
) -> None:
    bad = tmp_path / "notes.txt"
    bad.write_text("nothing")
    with django_capture_on_commit_callbacks(execute=True):
        checked(submitted(bad, submitter, wants_mail=True))
        closed = checked(submitted(make_zip(tmp_path / "run", site.suite), submitter, wants_mail=True))
        submissions.close(submission=closed, actor="admin", reason="Enough.")
        down = checked(submitted(make_zip(tmp_path / "two", site.suite, repeat=1), submitter, wants_mail=True))
        takedowns.take_down(submission=down, actor=submitter, reason="A mistake.")
    told = [message.subject.rpartition(" is ")[2] for message in mail.outbox]
    assert told == ["rejected", "accepted", "closed", "accepted", "closed"]
    assert "taken down" in mail.outbox[-1].body
    assert all(f"/submission/{pk}/mine/" in mail.outbox[n].body for n, pk in ((2, closed.pk), (4, down.pk)))


def test_what_is_taken_down_leaves_no_source_that_nothing_else_has(
    site: Site, submitter: User, tmp_path: Path, django_capture_on_commit_callbacks: Any
) -> None:
    def of_two(task: Task) -> dict[str, bytes]:
        shared = next(iter(task.files.values()))
        return {name: archive.get(shared) if n else b"// mine\n" for n, name in enumerate(task.editable)}

    submission = checked(submitted(make_folder(tmp_path / "run", site.suite, sources_of=of_two), submitter))
    assert submission.run is not None
    mine = {d for result in submission.run.results.all() for d in result.candidate_files.values()}
    kept = {digest for task in site.suite.tasks.all() for digest in task.files.values()}
    with django_capture_on_commit_callbacks(execute=True):
        takedowns.take_down(submission=submission, actor=submitter, reason="Not ours to publish.")
    assert not any(submission.run.results.values_list("candidate_files", flat=True))
    for digest in mine - kept:
        with pytest.raises(archive.ArchiveError):
            archive.get(digest)
    assert all(archive.get(digest) for digest in kept)


def test_a_takedown_leaves_the_boards_and_the_archive_and_keeps_the_history(
    site: Site, submitter: User, tmp_path: Path, django_capture_on_commit_callbacks: Any
) -> None:
    submission = checked(submitted(make_zip(tmp_path / "run", site.suite), submitter))
    assert submission.run is not None
    publishing.publish_run(run=submission.run, actor="test")
    with pytest.raises(RunError, match="give a reason"):
        takedowns.take_down(submission=submission, actor=submitter, reason=" ")
    with django_capture_on_commit_callbacks(execute=True):
        takedowns.take_down(submission=submission, actor=submitter, reason="Not ours to publish.")
    submission.refresh_from_db()
    assert (submission.state, submission.outcome, submission.run.state) == ("closed", "taken_down", "withdrawn")
    with pytest.raises(archive.ArchiveError):
        archive.copy_upload(submission.digest, tmp_path / "copy")
    ended = AuditEntry.objects.get(submission=submission, action="close")
    assert ended.reason == "taken down by its submitter: Not ours to publish."


def test_an_idempotency_key_belongs_to_its_bytes(site: Site, submitter: User, tmp_path: Path) -> None:
    submitted(make_zip(tmp_path / "run", site.suite), submitter, idempotency_key="k")
    with pytest.raises(RunError, match="for other bytes"):
        submitted(make_zip(tmp_path / "two", site.suite, repeat=1), submitter, idempotency_key="k")
