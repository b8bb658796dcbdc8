"""Pages of submissions and reviews: who may open which, and that each works without JavaScript."""

from __future__ import annotations

import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.forms import ChoiceField, Form
from django.test import Client

from runs.loading import bundles as intake
from runs.models import ApiToken, Result, Review, Submission
from runs.services import submissions
from runs.submissions.forms import AuditForm, SubmitForm, TokenForm
from tests import factories
from tests.bundles import made
from tests.runs.bundling import make_zip
from tests.runs.conftest import Site

pytestmark = pytest.mark.django_db


def logged_in(*permissions: str) -> tuple[Client, User]:
    user, client = factories.make_user(), Client()
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client.force_login(user)
    return client, user


def imported(site: Site, submitter: User, tmp_path: Path) -> Submission:
    path = make_zip(tmp_path / "run", site.suite)
    client = Client()
    client.force_login(submitter)
    submit(client, path)
    intake.check_next()
    return Submission.objects.get()


def submit(client: Client, path: Path, **changes: object) -> object:
    return client.post("/submit/upload/", fields_of(path) | changes)


def fields_of(path: Path) -> dict[str, object]:
    file = SimpleUploadedFile(path.name, path.read_bytes())
    return {"agent": "Sam's agent", "output_tokens": "1200", "licence": "MIT", "consent": "on", "bundle": file}


PAGES = [
    "/submit/upload/",
    "/submit/tokens/",
    "/review/",
    "/review/fastest/",
    "/submission/{submission}/mine/",
    "/review/result/{result}/audit/",
]


@pytest.mark.parametrize("address", PAGES)
def test_a_stranger_is_asked_to_log_in_and_a_reader_sees_nothing(address: str) -> None:
    run = factories.make_run(status="passed", state="published")
    values = {"submission": factories.make_submission().pk, "result": run.results.first().pk}
    response = Client().get(address.format(**values))
    assert (response.status_code, response["Location"].startswith("/login/?next=/")) == (302, True)
    client, _ = logged_in()
    assert client.get(address.format(**values)).status_code == 403


@pytest.mark.parametrize("address", PAGES)
def test_whoever_may_sees_a_page_that_nobody_keeps(address: str) -> None:
    run = factories.make_run(status="passed", state="published")
    values = {"submission": factories.make_submission().pk, "result": run.results.first().pk}
    client, _ = logged_in("submit_bundle", "review_submission", "audit_result")
    response = client.get(address.format(**values))
    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]
    assert b"Log out" in response.content


def test_a_bundle_is_submitted_by_the_form_and_its_page_says_what_comes_next(site: Site, tmp_path: Path) -> None:
    client, user = logged_in("submit_bundle")
    response = submit(client, make_zip(tmp_path / "run", site.suite), started_at="2026-11-28")
    submission = Submission.objects.get()
    assert response["Location"] == f"/submission/{submission.pk}/mine/"
    assert (submission.submitter, submission.declared) == (
        user,
        {"agent": "Sam's agent", "output_tokens": "1200", "started_at": "2026-11-28"},
    )
    assert b"A worker will check it within minutes" in client.get(response["Location"]).content
    intake.check_next()
    assert b"A maintainer publishes its run" in client.get(response["Location"]).content


def test_errors_are_shown_beside_their_fields_and_nothing_is_stored(site: Site, tmp_path: Path) -> None:
    client, _ = logged_in("submit_bundle")
    response = submit(
        client, make_zip(tmp_path / "run", site.suite), consent="", licence="mine", started_at="yesterday"
    )
    assert response.status_code == 200
    assert {"consent", "licence", "started_at", "bundle"} == set(response.context["form"].errors)
    assert b"Choose the file again" in response.content, "browsers do not keep a file"
    assert b'<a href="#id_licence">Licence</a>' in response.content, "the form is longer than a screen"
    assert not Submission.objects.exists()


def test_the_form_refuses_a_file_that_somebody_else_submitted_before(site: Site, tmp_path: Path) -> None:
    first, _ = logged_in("submit_bundle")
    path = make_zip(tmp_path / "run", site.suite)
    submit(first, path)
    known = Submission.objects.get()
    client, _ = logged_in("submit_bundle")
    told = submit(client, path).content.decode()
    assert f'submitted this file before, as <a href="/submission/{known.pk}/">submission {known.pk}</a>' in told
    assert 'value="1200"' in told, "what was filled in stays"
    assert "this file before" not in client.get("/submit/tokens/").content.decode(), "no other page says it later"


def test_the_same_file_again_says_what_it_did_with_it(site: Site, tmp_path: Path) -> None:
    client, _ = logged_in("submit_bundle")
    path = make_zip(tmp_path / "run", site.suite)
    submit(client, path)
    intake.check_next()
    known = Submission.objects.get()
    told = client.post("/submit/upload/", fields_of(path), follow=True).content.decode()
    assert f"it is submission {known.pk}, shown here. Nothing was stored or checked again." in told
    Submission.objects.update(state="rejected", problem_count=1, run=None)
    told = client.post("/submit/upload/", fields_of(path), follow=True).content.decode()
    assert f"Submission {known.pk} is checked once more, with the facts that you gave now." in told


def test_the_file_comes_first_and_what_is_optional_is_folded(site: Site) -> None:
    """The agent's name is not: a bundle of an agent of ours is rejected without another one."""
    page = logged_in("submit_bundle")[0].get("/submit/upload/").content.decode()
    order = [page.index(f'name="{name}"') for name in ("bundle", "agent", "licence", "consent", "model")]
    assert order == sorted(order)
    needed, folded = page.split('<details class="more">')
    assert "A bundle of one of our own agents needs a name of your own here" in needed
    assert "such as chat_loop or" in needed
    assert 'name="agent"' not in folded


def test_no_page_with_a_form_loads_itself_anew_while_somebody_types() -> None:
    user = factories.make_user()
    client = Client()
    client.force_login(user)
    body = client.get(f"/submission/{factories.make_submission(submitter=user).pk}/mine/").content
    assert b"Refresh" in body
    assert b"http-equiv" not in body


def test_a_bundle_that_is_too_long_is_dropped(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runs.submissions.uploading.MOST_BYTES", 10)
    client, _ = logged_in("submit_bundle")
    response = submit(client, make_zip(tmp_path / "run", site.suite))
    assert "larger than" in str(response.context["form"].errors["bundle"])
    assert not Submission.objects.exists()


def test_problems_are_shown_to_the_submitter_only(tmp_path: Path) -> None:
    client, user = logged_in("submit_bundle")
    path = tmp_path / "planted.txt"
    path.write_text("nothing")
    submit(client, path)
    intake.check_next()
    submission = Submission.objects.get()
    assert b"planted.txt" in client.get(f"/submission/{submission.pk}/mine/").content
    for address in ("", "/api/v1"):
        public = Client().get(f"{address}/submission/{submission.pk}/").content
        assert b"rejected" in public
        for private in (b"planted", b"Sam", user.username.encode(), submission.digest[:12].encode()):
            assert private not in public


def test_a_run_that_is_public_tells_whose_it_is_and_what_was_declared(site: Site, tmp_path: Path) -> None:
    _, user = logged_in("submit_bundle")
    submission = imported(site, user, tmp_path)
    address = f"/submission/{submission.pk}/"
    assert user.username.encode() not in Client().get(address).content
    submission.run.state, submission.run.published_at = "published", factories.NOON
    submission.run.save()
    public = Client().get(address).content
    assert user.username.encode() in public
    assert b"1200 (self-declared)" in public


def test_a_maintainer_decides_a_review_with_a_text(site: Site, tmp_path: Path) -> None:
    client, user = logged_in("submit_bundle", "review_submission")
    review = factories.make_review(imported(site, user, tmp_path))
    refused = client.post(f"/review/{review.pk}/decide/", {"text": ""}, follow=True)
    assert b"Nothing was changed" in refused.content
    client.post(f"/review/{review.pk}/decide/", {"text": "Somebody else."})
    assert Review.objects.get(pk=review.pk).decision == "Somebody else."


def test_an_audit_gets_a_reply_and_both_are_shown(site: Site, tmp_path: Path) -> None:
    _, user = logged_in("submit_bundle")
    submission = imported(site, user, tmp_path)
    result = submission.run.results.first()
    auditor, _ = logged_in("audit_result", "review_submission")
    asked = {"verdict": "hacked", "reason": "It knows."}
    assert b"Quote the lines" in auditor.post(f"/review/result/{result.pk}/audit/", asked).content
    auditor.post(f"/review/result/{result.pk}/audit/", asked | {"quote": f"// of {result.task.path}"})
    assert Result.objects.get(pk=result.pk).audit == "hacked"
    mine = Client()
    mine.force_login(user)
    page = mine.get(f"/submission/{submission.pk}/mine/").content
    assert f"// of {result.task.path}".encode() in page
    assert b"Your reply, by" in page
    mine.post(f"/audit/{result.audits.get().pk}/reply/", {"text": "It does not."})
    for client, address in ((auditor, "/review/"), (mine, f"/submission/{submission.pk}/mine/")):
        assert b"It does not." in client.get(address).content


def test_missing_facts_are_on_both_pages_with_the_totals(tmp_path: Path) -> None:
    client, user = logged_in("submit_bundle", "review_submission")
    path = tmp_path / "run.zip"
    report = {"overall": {"total_tasks": 9, "average_speedup": 3.0}}
    with zipfile.ZipFile(path, "w") as file:
        for name, data in (made.aka() | {"reports/task_type_breakdown.json": made.dumped(report)}).items():
            file.writestr(name, data)
    submit(client, path, model="m-1")
    intake.check_next()
    submission = Submission.objects.get()
    submissions.publish_claims(submission=submission, actor=user)
    for address in ("", "mine/"):
        page = client.get(f"/submission/{submission.pk}/{address}").content.decode()
        assert "agent version" in page
        assert "total_tasks" in page
        assert "195" in page
        assert "MI300X" in page
    public = Client().get(f"/api/v1/submission/{submission.pk}/").json()
    assert {"name": "total_tasks", "claimed": 9, "recomputed": 1} in public["totals"]
    assert (public["suite_tasks"], public["absent_tasks"]) == (196, 195)
    assert "versions" in public["undeclared"]
    assert not {"model", "agent", "licence"} & set(public["undeclared"])


def test_the_queue_marks_audits_without_a_reply_in_time(site: Site, tmp_path: Path) -> None:
    _, user = logged_in("submit_bundle")
    result = imported(site, user, tmp_path).run.results.first()
    auditor, _ = logged_in("audit_result", "review_submission")
    auditor.post(f"/review/result/{result.pk}/audit/", {"verdict": "suspect", "reason": "It looks odd."})
    assert b"overdue, no reply" not in auditor.get("/review/").content
    result.audits.update(reply_until=datetime.now(UTC) - timedelta(days=1))
    assert b"overdue, no reply" in auditor.get("/review/").content


def test_a_takedown_needs_a_reason_and_the_submitter(site: Site, tmp_path: Path) -> None:
    client, user = logged_in("submit_bundle")
    submission = imported(site, user, tmp_path)
    address = f"/submission/{submission.pk}/take-down/"
    other, _ = logged_in("submit_bundle")
    assert other.post(address, {"text": "x"}).status_code == 403
    assert b"give a reason" in client.post(address, {"text": "", "sure": "on"}).content
    refused = client.post(address, {"text": "A <mistake>."}).content
    assert b"tick the box to confirm" in refused
    assert b"A &lt;mistake&gt;.</textarea>" in refused, "what was typed is kept"
    assert Submission.objects.get().outcome == ""
    told = client.post(address, {"text": "A mistake.", "sure": "on"}, follow=True).content
    assert b"has been taken down." in told
    assert Submission.objects.get().outcome == "taken_down"
    assert b"Its contents are not public." in Client().get(f"/submission/{submission.pk}/").content


@pytest.mark.parametrize("form", [SubmitForm, TokenForm, AuditForm])
def test_a_choice_fits_the_field_of_a_telephone(form: type[Form]) -> None:
    """33 letters stood in a field at 320 pixels."""
    fields = [field for field in form.base_fields.values() if isinstance(field, ChoiceField)]
    assert [text for field in fields for _, text in field.choices if len(text) > 33] == []
    assert fields


def test_a_token_is_shown_once_and_revoked_by_its_owner_alone() -> None:
    client, _ = logged_in("submit_bundle")
    shown = client.post("/submit/tokens/", {"name": "ci", "days": "30", "scope": "submit"}).content
    assert b"arena_" in shown
    assert b'value="ci"' not in shown, "sent once more it would make a second one"
    assert b"arena_" not in client.get("/submit/tokens/").content
    row = ApiToken.objects.get()
    assert row.expires_at - datetime.now(UTC) < timedelta(days=31)
    other, _ = logged_in("submit_bundle")
    assert other.post(f"/submit/tokens/{row.pk}/revoke/").status_code == 404
    assert b"Token ci has been revoked" in client.post(f"/submit/tokens/{row.pk}/revoke/", follow=True).content
    assert ApiToken.objects.get().revoked_at is not None
