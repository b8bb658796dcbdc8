"""The ways in say the same: form, REST, command line and the check without a site."""

from __future__ import annotations

import io
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client
from django.utils import timezone

from evaluator.bundles.checking import check
from runs import guards
from runs.loading import bundles as intake
from runs.models import ApiToken, Run, Submission
from runs.services import submissions, tokens
from tests import factories
from tests.bundles import made
from tests.runs.bundling import make_folder, make_zip
from tests.runs.conftest import Site, checked

pytestmark = pytest.mark.django_db


def test_the_command_checks_without_writing_and_reports_everything(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = make_zip(tmp_path / "run", site.suite), make_folder(tmp_path / "bad", site.suite, protocol="arena-9")
    call_command("import_bundle", good, check=True)
    assert "run.zip: ready to submit" in capsys.readouterr().out
    with pytest.raises(CommandError, match="2 problems"):
        call_command("import_bundle", bad, check=True)
    assert not Submission.objects.exists()


def test_results_of_another_benchmark_come_in_by_command_with_what_they_do_not_say(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "eval_results.json"
    path.write_bytes(made.kb(declared="")["eval_results.json"])
    with pytest.raises(CommandError, match="who wrote the candidates"):
        call_command("import_bundle", path)
    with pytest.raises(CommandError, match="expected NAME=VALUE, with one of agent"):
        call_command("import_bundle", path, set=["mdoel=x"])
    with pytest.raises(CommandError, match="who wrote the candidates"):
        call_command("import_bundle", path, check=True, set=["level=1"])
    call_command("import_bundle", path, check=True, set=["agent=Somebody", "level=1"])
    assert "kernelbench-level1: 1 of 100 tasks" in capsys.readouterr().out
    call_command("import_bundle", path, set=["agent=Somebody", "level=1"], publish=True)
    submission = Submission.objects.get()
    assert f"eval_results.json: {submission}, 1 claim of KernelBench" in capsys.readouterr().out
    assert (submission.is_public, submission.claims.get().is_known) == (True, True)


def test_form_rest_command_and_offline_check_say_the_same(site: Site, submitter: User, tmp_path: Path) -> None:
    """The level is asked for, since the file does not say it: without it nothing is counted."""
    path = tmp_path / "eval_results.json"
    path.write_bytes(made.kb(declared="")["eval_results.json"])
    offline = check(path, declared={"level": "1", "agent": "A"}).bundle
    assert offline is not None
    _, token = tokens.make_token(user=submitter, name="ci")
    browser = Client()
    browser.force_login(submitter)
    fields = {"agent": "A", "level": "1", "licence": "MIT", "consent": "on"}
    found = []
    for send in ("form", "rest", "command"):
        with path.open("rb") as file:
            if send == "form":
                browser.post("/submit/upload/", fields | {"bundle": file})
            elif send == "rest":
                bearer = {"Authorization": f"Bearer {token}"}
                Client().post("/api/v1/submissions/", fields | {"bundle": file}, headers=bearer)
            else:
                call_command("import_bundle", path, set=["agent=A", "level=1"], licence="MIT")
        intake.check_next()
        row = Submission.objects.get()
        claims = list(row.claims.values_list("task", "attempt", "is_known", "status", "recomputed_speedup", "cases"))
        found.append((row.format, [(one["code"], one["text"]) for one in row.findings], row.about, claims))
        with guards.lifted():
            row.audit_entries.all().delete()
            row.delete()
    assert found[0] == found[1] == found[2]
    assert found[0][1] == [(one.code, one.text) for one in offline.findings]
    assert found[0][2]["suite"] == "kernelbench-level1"


def post(token: str, path: Path, **headers: str) -> Any:
    fields = {"agent": "Sam's agent", "licence": "MIT", "consent": "yes", "bundle": io.BytesIO(path.read_bytes())}
    return Client().post("/api/v1/submissions/", fields, headers={"Authorization": f"Bearer {token}"} | headers)


def test_a_program_hands_in_with_a_token_and_sees_what_became_of_it(
    site: Site, submitter: User, tmp_path: Path
) -> None:
    _, token = tokens.make_token(user=submitter, name="ci")
    path = make_zip(tmp_path / "run", site.suite)
    first, again = post(token, path, **{"Idempotency-Key": "k"}), post(token, path, **{"Idempotency-Key": "k"})
    assert (first.status_code, again.status_code) == (202, 200)
    assert first.json()["submission"] == again.json()["submission"]
    checked(Submission.objects.get())
    address = f"/api/v1/submissions/{first.json()['submission']}/"
    told = Client().get(address, headers={"Authorization": f"Token {token}"}).json()
    assert (told["state"], told["problems"], told["run"]) == ("accepted", [], Run.objects.get().pk)
    other = post(token, make_zip(tmp_path / "two", site.suite, repeat=1), **{"Idempotency-Key": "k"})
    assert other.status_code == 409


def test_a_token_opens_nothing_when_it_is_wrong_late_revoked_or_its_user_may_not(
    site: Site, submitter: User, tmp_path: Path
) -> None:
    path = make_zip(tmp_path / "run", site.suite)
    row, token = tokens.make_token(user=submitter, name="ci")
    assert token not in str(ApiToken.objects.values().get())
    assert post("arena_wrong", path).status_code == 401
    tokens.revoke_token(token=row, actor=submitter)
    assert post(token, path).status_code == 401
    row, token = tokens.make_token(user=submitter, name="late")
    long_ago = timezone.now() - timedelta(days=200)
    ApiToken.objects.filter(pk=row.pk).update(created_at=long_ago, expires_at=long_ago + timedelta(days=90))
    assert post(token, path).status_code == 401
    _, token = tokens.make_token(user=User.objects.create_user("reader"), name="ci")
    assert post(token, path).status_code == 403
    assert not Submission.objects.exists()


def test_the_same_bytes_at_once_are_one_submission(
    site: Site, submitter: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second request looks before the first has written, and is refused by the database."""
    path, received = make_zip(tmp_path / "run", site.suite), submissions._received
    _, token = tokens.make_token(user=submitter, name="ci")
    first = list[Any]()

    def overtaken(*asked: Any) -> Any:
        monkeypatch.setattr(submissions, "_received", received)
        first.append(post(token, path, **{"Idempotency-Key": "k"}))
        with transaction.atomic():
            factories.make_submission(digest=Submission.objects.get().digest)

    monkeypatch.setattr(submissions, "_received", overtaken)
    second = post(token, path, **{"Idempotency-Key": "k"})
    assert [answer.status_code for answer in (*first, second)] == [202, 200]
    assert first[0].json()["submission"] == second.json()["submission"] == Submission.objects.get().pk


def test_a_program_gets_every_problem_of_its_form_and_learns_that_a_bundle_is_too_large(
    site: Site, submitter: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, token = tokens.make_token(user=submitter, name="ci")
    headers = {"Authorization": f"Bearer {token}"}
    lacking = Client().post("/api/v1/submissions/", {"licence": "mine"}, headers=headers)
    assert lacking.status_code == 400
    assert {one["place"] for one in lacking.json()["problems"]} == {"form: licence", "form: consent", "form: bundle"}
    assert Client().post("/api/v1/submissions/", b"x", "text/plain", headers=headers).status_code == 415
    monkeypatch.setattr("runs.submissions.uploading.MOST_BYTES", 10)
    assert post(token, make_zip(tmp_path / "run", site.suite)).status_code == 413
    assert not Submission.objects.exists()
