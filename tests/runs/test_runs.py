"""Actions on runs: create, run again, cancel, publish and withdraw, each with its entry in the audit log."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from runs import archive, guards
from runs.errors import RunError
from runs.models import Attempt, AuditEntry, Measurement, Result, Run, Task
from runs.services import leases, publishing
from runs.services.run_actions import cancel_results, rerun_results
from tests.records import make_record
from tests.runs.conftest import Site, made_up

pytestmark = pytest.mark.django_db


def finish(run: Run, site: Site, reason: str | None = None) -> Run:
    """Every queued attempt of the run gets a verdict."""
    for attempt in Attempt.objects.queued().filter(result__run=run):
        lease = leases.lease_attempt(attempt_id=attempt.pk, host=site.host, worker="w")
        assert lease is not None
        assert leases.record_verdict(lease=lease, record=make_record(reason=reason))
    return run


def board(site: Site) -> list[object]:
    """Everything a board could show of the site's runs."""
    ranked = Result.objects.may_rank().order_by("pk")
    columns = [f"published_attempt__{name}" for name in ("pk", "status", "compiled", "correct", "record_digest")]
    measured = Measurement.objects.filter(attempt__published_for__in=ranked).order_by("pk")
    return [*ranked.values_list("pk", *columns), *measured.values_list()]


def published(site: Site) -> Run:
    return publishing.publish_run(run=finish(site.new_run(), site), actor="test")


def test_a_run_has_a_queued_attempt_for_each_task_and_keeps_its_candidates(
    site: Site, sent: list[tuple[int, str]], django_capture_on_commit_callbacks
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        run = site.new_run()
    attempts = Attempt.objects.filter(result__run=run)
    assert [attempt.status for attempt in attempts] == ["queued", "queued"]
    assert sent == [(attempt.pk, "cpu") for attempt in attempts]
    result = run.results.get(task__path="hip2hip/arena/GELU")
    (path, digest), *_ = result.candidate_files.items()
    assert archive.get(digest) == made_up(result.task).files[path]


def test_nothing_is_sent_for_a_run_that_was_rolled_back(
    site: Site, sent: list[tuple[int, str]], django_capture_on_commit_callbacks
) -> None:
    with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
        site.new_run()
        transaction.set_rollback(True)
    assert not sent
    assert not Run.objects.exists()


def test_it_refuses_a_run_without_a_candidate_for_each_task(site: Site) -> None:
    with pytest.raises(RunError, match="2 tasks, but candidates were given for 0"):
        site.new_run(written={})


def test_publishing_shows_the_newest_attempts_and_records_who_did_it(site: Site) -> None:
    user = User.objects.create_user("maintainer")
    run = publishing.publish_run(run=finish(site.new_run(), site), actor=user, reason="checked")
    assert run.state == "published"
    assert len(board(site)) == 6  # two results, two measurements each
    entries = AuditEntry.objects.filter(run=run, action="publish")
    assert entries.filter(result__isnull=False, from_attempt=None, to_attempt__isnull=False).count() == 2
    assert {(entry.actor, entry.actor_name, entry.reason) for entry in entries} == {(user, "maintainer", "checked")}


def test_a_run_with_an_open_attempt_is_not_published(site: Site) -> None:
    with pytest.raises(RunError, match="2 open attempts"):
        publishing.publish_run(run=site.new_run(), actor="test")


def test_a_second_run_of_the_same_repeat_is_not_published_beside_the_first(site: Site) -> None:
    published(site)
    again = finish(site.new_run(), site)
    with pytest.raises(RunError, match="another run of rewrite, repeat 0, is already published"):
        publishing.publish_run(run=again, actor="test")
    again.refresh_from_db()
    assert again.state == "draft"
    assert not again.results.filter(published_attempt__isnull=False).exists()


def test_a_rerun_of_a_published_result_changes_no_board_until_it_is_published(site: Site) -> None:
    run = published(site)
    before, result = board(site), run.results.order_by("pk")[0]
    (attempt,) = rerun_results(results=[result], actor="test", reason="noise?")
    assert (attempt.number, board(site)) == (2, before)
    finish(run, site, reason="mismatch")
    assert board(site) == before
    assert publishing.publish_results(results=[result], actor="test") == 1
    result.refresh_from_db()
    assert (result.published_attempt.number, result.published_attempt.status) == (2, "wrong_output")
    assert board(site) != before
    moved = AuditEntry.objects.get(result=result, action="publish", to_attempt=attempt)
    assert moved.from_attempt.number == 1
    assert result.attempts.get(number=1).status == "passed"


def test_running_everything_again_twice_makes_one_set_of_attempts(site: Site) -> None:
    run = published(site)
    assert len(rerun_results(results=run.results.all(), actor="test")) == 2
    assert rerun_results(results=run.results.all(), actor="test") == []
    assert Attempt.objects.filter(result__run=run, is_latest=True).count() == 2
    assert Attempt.objects.filter(result__run=run).count() == 4


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"digest": "a" * 64}, "has digest"),
        ({"path": "hip2hip/arena/gone"}, "cannot be evaluated again: .*gone"),
    ],
)
def test_a_result_whose_task_is_another_by_now_is_not_run_again(site: Site, change: dict[str, str], said: str) -> None:
    run = published(site)
    Task.objects.filter(path="hip2hip/arena/GELU").update(**change)
    with pytest.raises(RunError, match=said):
        rerun_results(results=run.results.all(), actor="test")
    assert Attempt.objects.filter(result__run=run).count() == 2


def test_a_result_without_a_candidate_is_not_run_again(site: Site) -> None:
    run = published(site)
    with guards.lifted():
        run.results.update(candidate_files={})
    with pytest.raises(RunError, match="has no candidate"):
        rerun_results(results=run.results.all(), actor="test")
    assert not Attempt.objects.open().exists()


def test_a_rerun_that_fails_through_our_fault_never_replaces_a_verdict(site: Site) -> None:
    run = published(site)
    before = board(site)
    rerun_results(results=run.results.all(), actor="test")
    finish(run, site, reason="host_fault")
    assert publishing.publish_results(results=run.results.all(), actor="test") == 0
    assert board(site) == before


def test_a_result_that_only_ever_failed_through_our_fault_is_shown_as_that(site: Site) -> None:
    run = publishing.publish_run(run=finish(site.new_run(), site, reason="host_fault"), actor="test")
    assert {result.published_attempt.status for result in run.results.all()} == {"errored"}
    assert board(site) == []


def test_a_result_of_a_draft_is_not_published_alone(site: Site) -> None:
    run = finish(site.new_run(), site)
    with pytest.raises(RunError, match="publish the run"):
        publishing.publish_results(results=run.results.all(), actor="test")


def test_cancelling_ends_queued_and_running_attempts_and_bars_a_late_verdict(site: Site) -> None:
    run = site.new_run()
    first = Attempt.objects.filter(result__run=run).order_by("pk")[0]
    lease = leases.lease_attempt(attempt_id=first.pk, host=site.host, worker="w")
    assert cancel_results(results=run.results.all(), actor="test") == 2
    assert lease is not None
    assert not leases.heartbeat(lease=lease)
    assert not leases.record_verdict(lease=lease, record=make_record())
    assert set(Attempt.objects.filter(result__run=run).values_list("status", flat=True)) == {"cancelled"}
    assert cancel_results(results=run.results.all(), actor="test") == 0
    with pytest.raises(RunError, match="no result to publish"):
        publishing.publish_run(run=run, actor="test")


def test_a_withdrawn_run_leaves_the_boards_and_keeps_its_rows(site: Site) -> None:
    run = published(site)
    with pytest.raises(RunError, match="give a reason"):
        publishing.withdraw_run(run=run, actor="test", reason=" ")
    publishing.withdraw_run(run=run, actor="test", reason="wrong device")
    assert board(site) == []
    assert run.results.filter(published_attempt__isnull=False).count() == 2
    with pytest.raises(RunError, match="withdrawn, not published"):
        publishing.withdraw_run(run=run, actor="test", reason="again")
    publishing.publish_run(run=run, actor="test", reason="it was the right one")
    assert len(board(site)) == 6


@pytest.mark.parametrize("change", [{"is_held": True}, {"is_uncalibrated": True}, {"protocol": "script-timed"}])
def test_what_is_held_uncalibrated_or_timed_otherwise_does_not_rank(site: Site, change: dict[str, object]) -> None:
    run = published(site)
    with guards.lifted():
        Attempt.objects.filter(result__run=run).update(**change)
    assert Result.objects.public().count() == 2
    assert not Result.objects.may_rank().exists()


@pytest.mark.parametrize(
    ("audit", "ranks"), [("clean", 2), ("suspect", 2), ("hacked", 2), ("contaminated", 0), ("harness_fault", 0)]
)
def test_an_audit_may_take_a_result_out_of_the_ranks(site: Site, audit: str, ranks: int) -> None:
    Result.objects.filter(run=published(site)).update(audit=audit)
    assert Result.objects.may_rank().count() == ranks


def test_a_reference_line_does_not_rank(site: Site) -> None:
    site.configuration.role = "reference_line"
    site.configuration.save()
    published(site)
    assert not Result.objects.may_rank().exists()
