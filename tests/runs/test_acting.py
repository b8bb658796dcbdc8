"""Actions on the pages of results, runs and submissions: for whom, with which warning and reason, and taken back."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evaluator.agents import produce
from leaderboard.formatting import NONE
from runs import archive, candidates, guards
from runs.errors import RunError
from runs.models import Attempt, AuditEntry, Result, Review, Run, Submission, Task, Verification
from runs.services import audits, publishing, submissions, verification
from runs.services.run_actions import failed_results
from runs.services.starts import next_repeat
from runs.services.takedowns import take_down
from tests import factories
from tests.runs.bundling import make_zip
from tests.runs.conftest import Site, checked, submitted
from tests.runs.test_submission_pages import logged_in

pytestmark = pytest.mark.django_db
MAINTAINS = ("rerun_run", "publish_run", "audit_result", "review_submission")
SOURCE = b"// a\nif (judge)\n    return y;\n"


@pytest.fixture
def maintainer() -> Client:
    return logged_in(*MAINTAINS)[0]


@pytest.fixture
def result() -> Result:
    """A public result with a source."""
    found = factories.make_run(status="passed", state="published").results.first()
    assert found is not None
    with guards.lifted():
        Result.objects.filter(pk=found.pk).update(candidate_files={"kernel.hip": archive.put(SOURCE)})
    return Result.objects.get(pk=found.pk)


@pytest.fixture
def accepted(site: Site, submitter: User, tmp_path: Path) -> Submission:
    return checked(submitted(make_zip(tmp_path / "run", site.suite), submitter))


def offered(client: Client, address: str) -> list[str]:
    return [offer.text for offer in client.get(address).context.get("offers", [])]


def test_buttons_are_shown_to_whom_they_are_for_and_the_page_is_kept_for_nobody(result: Result) -> None:
    address = f"/result/{result.pk}/"
    run = f"run {result.run_id}"
    assert offered(logged_in(*MAINTAINS)[0], address) == ["Audit", "Run again", f"Withdraw ({run})"]
    assert offered(logged_in("rerun_run")[0], address) == ["Run again"]
    personal = logged_in("rerun_run")[0].get(address)
    assert "no-store" in personal["Cache-Control"]
    for client in (Client(), logged_in("submit_bundle")[0]):
        shown = client.get(address)
        assert b"Your actions on this page" not in shown.content
        assert "no-store" not in shown.get("Cache-Control", "")
    assert logged_in(*MAINTAINS)[0].get("/result/999/").status_code == 404


def test_an_action_says_what_it_will_do_and_does_nothing_without_a_reason(maintainer: Client, result: Result) -> None:
    address = f"/run/{result.run_id}/act/withdraw/"
    shown = maintainer.get(address).content.decode()
    assert "The run leaves the leaderboards." in shown
    assert "publishes it again, with the same attempts" in shown
    assert b"This field is required." in maintainer.post(address, {"reason": " "}).content
    assert Run.objects.get(pk=result.run_id).state == "published"
    after = maintainer.post(address, {"reason": "wrong device"}, follow=True)
    assert "1 run withdrawn." in after.content.decode()
    assert after.request["PATH_INFO"] == f"/run/{result.run_id}/"
    entry = AuditEntry.objects.latest("pk")
    assert (entry.action, entry.run_id, entry.reason) == ("withdraw", result.run_id, "wrong device")
    again = maintainer.post(address, {"reason": "wrong device"}, follow=True).content.decode()
    assert "has nothing to do on run" in again
    maintainer.post(f"/run/{result.run_id}/act/undo/", {"reason": "it was right"})
    assert Run.objects.get(pk=result.run_id).state == "published"


def test_a_form_that_is_older_than_the_row_is_refused(maintainer: Client, result: Result) -> None:
    address = f"/result/{result.pk}/act/rerun/"
    newest = maintainer.get(address).context["newest"]
    audits.audit_result(result=result, verdict="clean", reason="It is fine.", actor="somebody else")
    told = maintainer.post(address, {"reason": "noise", "newest": newest}).content.decode()
    assert "has changed since you opened this page" in told
    assert not Attempt.objects.open().exists()


def test_an_audit_that_is_sent_twice_is_one_audit(maintainer: Client, result: Result) -> None:
    address = f"/review/result/{result.pk}/audit/"
    shown = maintainer.get(address)
    sent = {"verdict": "clean", "reason": "It is fine.", "newest": shown.context["newest"]}
    assert f'name="newest" value="{sent["newest"]}"' in shown.content.decode()
    assert maintainer.post(address, sent).status_code == 302
    assert "has changed since you opened this page" in maintainer.post(address, sent).content.decode()
    assert result.audits.count() == 1


def test_a_hold_hinders_a_hacked_result_no_more_until_the_audit_is_taken_back(
    maintainer: Client, result: Result
) -> None:
    with guards.lifted():
        Attempt.objects.filter(result=result).update(is_held=True, flags=["hold"])
    rows, address = Result.objects.filter(pk=result.pk), f"/result/{result.pk}/act/rerun/"
    seen = []
    for verdict in ("", "hacked", ""):
        if verdict:
            audits.audit_result(result=result, verdict=verdict, reason="It knows.", place="kernel.hip:2", actor="one")
        elif seen:
            audits.take_back_audit(result=result, reason="a misreading", actor="one")
        seen.append((rows.may_rank().exists(), b"not ranked until" in maintainer.get(address).content))
    assert seen == [(False, True), (True, False), (False, True)]


@pytest.mark.parametrize("address", ["/run/{run}/act/nothing/", "/run/999/act/withdraw/"])
def test_what_is_not_there_is_not_found(maintainer: Client, result: Result, address: str) -> None:
    assert maintainer.get(address.format(run=result.run_id)).status_code == 404


def test_a_result_is_audited_with_lines_of_its_source_and_that_is_taken_back(
    maintainer: Client, result: Result
) -> None:
    address = f"/review/result/{result.pk}/audit/"
    assert "2  if (judge)" in maintainer.get(address).content.decode()
    asked = {"verdict": "hacked", "reason": "It knows."}
    for odd in ({"quote": "if (cheat)"}, {"place": "kernel.hip:9"}, {"place": "kernel.py:1"}, {}):
        assert b'class="problem"' in maintainer.post(address, asked | odd).content
    assert not result.audits.exists()
    told = maintainer.post(address, asked | {"place": "kernel.hip:2-3"}, follow=True).content.decode()
    assert "Your audit is public." in told
    audit = result.audits.get()
    assert (audit.place, audit.quote) == ("kernel.hip:2-3", "if (judge)\n    return y;")
    maintainer.post(f"/result/{result.pk}/act/take_back_audit/", {"reason": "a misreading"})
    result.refresh_from_db()
    assert result.audit == "none"
    public = Client().get(f"/result/{result.pk}/").content.decode()
    assert "a misreading" in public
    assert "Taken back" in public


def test_taking_an_audit_back_brings_back_what_it_ended(result: Result) -> None:
    attempt = result.published_attempt
    assert attempt is not None
    attempt.is_held, attempt.flags = True, ["hold"]
    with guards.lifted():
        attempt.save()
    for verdict in ("suspect", "clean"):
        audits.audit_result(result=result, verdict=verdict, reason="Looked.", actor="admin")
    seen = []
    for _ in range(2):
        audits.take_back_audit(result=result, actor="admin", reason="wrong result")
        result.refresh_from_db()
        attempt.refresh_from_db()
        seen.append((result.audit, attempt.is_held))
    assert seen == [("suspect", True), ("none", True)]
    with pytest.raises(RunError, match="has no audit to take back"):
        audits.take_back_audit(result=result, actor="admin", reason="once more")


def test_a_reply_to_an_audit_that_was_taken_back_is_closed_with_the_reason(accepted: Submission) -> None:
    assert accepted.run is not None
    result = accepted.run.results.first()
    assert result is not None
    audit = audits.audit_result(result=result, verdict="suspect", reason="Odd.", actor="admin")
    assert accepted.submitter is not None
    review = audits.reply_to_audit(audit=audit, text="It is a table.", actor=accepted.submitter)
    audits.take_back_audit(result=result, actor="max", reason="It is.")
    review.refresh_from_db()
    assert (review.closed_by_name, review.decision) == ("max", "The audit was taken back: It is.")


def test_publishing_over_an_open_question_asks(maintainer: Client, accepted: Submission) -> None:
    review = factories.make_review(accepted, kind="duplicate", detail="the candidate of another")
    address = f"/run/{accepted.run_id}/act/publish/"
    assert "the candidate of another" in maintainer.get(address).content.decode()
    assert "Publish over 1 question" in maintainer.post(address, {"reason": "ok"}).content.decode()
    with pytest.raises(RunError, match="has 1 open question"):
        publishing.publish_run(run=accepted.run, actor="admin")  # type: ignore[arg-type]
    assert Run.objects.get(pk=accepted.run_id).state == "draft"
    maintainer.post(address, {"reason": "two people, one idea", "over_questions": "on"})
    assert Run.objects.get(pk=accepted.run_id).state == "published"
    assert Review.objects.get(pk=review.pk).closed_at is None, "publishing decides nothing"


def test_taking_back_a_withdrawal_over_an_open_question_asks_too(maintainer: Client, accepted: Submission) -> None:
    assert accepted.run is not None
    publishing.publish_run(run=accepted.run, actor="admin")
    publishing.withdraw_run(run=accepted.run, actor="admin", reason="a doubt")
    review = factories.make_review(accepted, kind="duplicate", detail="the candidate of another")
    address = f"/run/{accepted.run_id}/act/undo/"
    assert "the candidate of another" in maintainer.get(address).content.decode()
    with pytest.raises(RunError, match="has 1 open question"):
        publishing.undo_run(run=accepted.run, actor="admin", reason="ok")
    Review.objects.filter(pk=review.pk).update(kind="private_text")
    with pytest.raises(RunError, match="may contain private text"):
        publishing.undo_run(run=accepted.run, actor="admin", reason="ok", over_questions=True)
    Review.objects.filter(pk=review.pk).update(kind="duplicate")
    maintainer.post(address, {"reason": "two people, one idea", "over_questions": "on"})
    assert Run.objects.get(pk=accepted.run_id).state == "published"


def test_the_queue_holds_what_is_undecided_and_says_who_decided_the_rest(
    maintainer: Client, accepted: Submission
) -> None:
    page = maintainer.get("/review/")
    assert (page.context["count"], page.context["undecided"]) == (1, [accepted])
    maintainer.post(f"/run/{accepted.run_id}/act/publish/", {"reason": "it is in order"})
    after = maintainer.get("/review/")
    assert after.context["count"] == 0
    assert "Nothing waits for you." in after.content.decode()
    assert "it is in order" in after.content.decode()
    assert "It is public." in Client().get(f"/submission/{accepted.pk}/").content.decode()


def test_what_an_operator_imports_and_publishes_waits_for_nobody(
    site: Site, maintainer: Client, tmp_path: Path
) -> None:
    def expert(task: Task) -> dict[str, bytes]:
        return dict(produce("expert", candidates.spec_of(task)).candidate.files)

    path = make_zip(tmp_path / "run", site.suite, sources_of=expert)
    submission = checked(submitted(path, "import_bundle", declared={}))
    assert submission.run is not None, submission.problems
    publishing.publish_run(run=submission.run, actor="import_bundle")
    assert maintainer.get("/review/").context["count"] == 0


def test_a_check_that_failed_through_our_fault_waits_in_the_queue(maintainer: Client) -> None:
    values = {"state": "rejected", "problem_count": 1}
    ours = factories.make_submission(problems=[asdict(submissions.OUR_FAULT)], **values)
    factories.make_submission(problems=[{"place": "run.json", "seen": "", "expected": "", "hint": ""}], **values)
    page = maintainer.get("/review/")
    assert [one.pk for one in page.context["unchecked"]] == [ours.pk]
    maintainer.post(f"/submission/{ours.pk}/act/check_again/", {"reason": "the disk has room"})
    assert Submission.objects.get(pk=ours.pk).state == "received"


def test_a_verification_is_started_and_stopped_with_a_reason(
    site: Site, maintainer: Client, accepted: Submission
) -> None:
    asked = {"device_class": "cpu-x86_64", "reason": "a high claim"}
    address = f"/submission/{accepted.pk}/act/verify/"
    for number in ("0", "1000", "9" * 30, "x"):
        assert b'class="problem"' in maintainer.post(address, asked | {"sample": number}).content
    told = maintainer.post(address, asked | {"sample": "1"}, follow=True).content.decode()
    assert "1 verification started" in told
    measured = Verification.objects.get().measured
    assert measured.results.count() == 1
    page = Client().get(f"/run/{measured.pk}/").content.decode()
    assert "<strong>verification</strong>" in page
    assert f"Evaluates the candidates of run {accepted.run_id} again" in page
    assert f"<small>of run {accepted.run_id}</small>" in Client().get("/runs/").content.decode()
    assert "Stop the verification" in offered(maintainer, f"/submission/{accepted.pk}/")
    maintainer.post(f"/submission/{accepted.pk}/act/stop_verification/", {"reason": "the wrong device"})
    accepted.refresh_from_db()
    assert (accepted.state, Verification.objects.get().verdict) == ("accepted", "stopped")
    assert not Attempt.objects.open().exists()
    assert accepted.run is not None
    publishing.publish_run(run=accepted.run, actor="admin")
    ((_, (cells,)),) = Client().get(f"/submission/{accepted.pk}/").context["page"].tables["verifications"].shown_groups
    assert [cell.text for _, cell in cells[1:3]] == ["stopped", NONE]
    assert submissions.close(submission=accepted, actor="admin", reason="done").outcome == "unverified"
    with pytest.raises(RunError, match="is not being verified"):
        verification.stop_verification(submission=accepted, actor="admin", reason="again")


def test_claims_are_published_withdrawn_and_a_closed_submission_is_opened_again(maintainer: Client) -> None:
    submission = factories.make_claims("passed", state="accepted", is_public=False)
    for action, state in (("publish", True), ("withdraw", False)):
        maintainer.post(f"/submission/{submission.pk}/act/{action}/", {"reason": "because"})
        assert Submission.objects.get(pk=submission.pk).is_public is state
    for action, said in (("close", "closed"), ("reopen", "accepted")):
        maintainer.post(f"/submission/{submission.pk}/act/{action}/", {"reason": "because"})
        assert Submission.objects.get(pk=submission.pk).state == said
    trail = submission.audit_entries.order_by("pk").values_list("action", flat=True)
    assert list(trail)[-4:] == ["publish", "withdraw", "close", "accept"]


def test_questions_about_what_is_taken_down_are_closed(accepted: Submission) -> None:
    review = factories.make_review(accepted)
    take_down(submission=accepted, actor="max", reason="A mistake.")
    review.refresh_from_db()
    assert (review.closed_by_name, review.decision) == ("max", "The submission was taken down: A mistake.")


@pytest.mark.parametrize("was_public", [False, True])
def test_what_was_taken_down_is_never_published_again(
    maintainer: Client, accepted: Submission, was_public: bool
) -> None:
    assert accepted.run is not None
    if was_public:
        publishing.publish_run(run=accepted.run, actor="admin")
    factories.make_review(accepted, kind="private_text")
    take_down(submission=accepted, actor="max", reason="A mistake.")
    offers = [*offered(maintainer, f"/run/{accepted.run_id}/"), *offered(maintainer, f"/submission/{accepted.pk}/")]
    assert not [one for one in offers if one.startswith(("Publish", "Take back", "Verify"))]
    with pytest.raises(RunError, match="was taken down: its run is never published again"):
        publishing.publish_run(run=accepted.run, actor="admin", over_questions=True)
    if was_public:
        with pytest.raises(RunError, match="was taken down: its run is never published again"):
            publishing.undo_run(run=accepted.run, actor="admin", reason="ok", over_questions=True)
    assert Run.objects.get(pk=accepted.run_id).state == ("withdrawn" if was_public else "draft")


def test_only_the_newest_attempt_decides_what_is_run_again_as_failed(result: Result) -> None:
    assert not failed_results(result.run).exists()
    factories.make_attempt(result=result, status="wrong_output")
    assert list(failed_results(result.run)) == [result]


def test_another_repeat_is_started_from_the_page_of_a_run(site: Site) -> None:
    run = site.new_run(repeat=4)
    client = logged_in("add_run", "view_run", "rerun_run")[0]
    User.objects.update(is_staff=True)
    offer = next(one for one in client.get(f"/run/{run.pk}/").context["offers"] if one.text == "Start another repeat")
    form = client.get(offer.url).context["adminform"].form
    names = ("configuration", "suite", "device_class", "repeat", "repeats")
    wanted = (run.configuration_id, run.suite_id, run.device_class_id, 5, 1)
    assert tuple(int(form[name].value()) for name in names) == wanted


def test_another_repeat_of_a_run_of_an_earlier_protocol_is_the_first_of_this_one(site: Site) -> None:
    run = site.new_run(repeat=4)
    Run.objects.filter(pk=run.pk).update(protocol="arena-0")
    run.refresh_from_db()
    assert next_repeat(run) == 0
    site.new_run(repeat=1)
    assert next_repeat(run) == 2


def test_buttons_ask_as_often_whatever_a_run_has(maintainer: Client) -> None:
    asked = []
    for tasks in (2, 8):
        suite = factories.make_suite([factories.make_task() for _ in range(tasks)])
        run = factories.make_run(suite=suite, status="passed", state="published")
        with CaptureQueriesContext(connection) as captured:
            assert offered(maintainer, f"/run/{run.pk}/")
        asked.append(len(captured))
    assert asked[0] == asked[1]
