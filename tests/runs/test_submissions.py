"""From bytes to a run: received once, checked by whoever is free, refused with every problem or accepted whole."""

from __future__ import annotations

import io
import json
import time
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core import mail
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client
from django.utils import timezone

from evaluator.agents import produce
from evaluator.bundles.checking import check
from runs import archive, candidates, guards, intake, services
from runs.errors import RunError
from runs.likeness import skeleton, squeezed
from runs.models import ApiToken, AuditEntry, Review, Run, Submission, Task
from runs.services import submissions
from runs.services.submissions import MOST_CHECKS, OUR_FAULT
from tests import factories
from tests.bundles import made
from tests.runs.bundling import make_folder, make_zip
from tests.runs.conftest import Site

pytestmark = pytest.mark.django_db


@pytest.fixture
def submitter() -> User:
    user = User.objects.create_user("sam", email="sam@example.org")
    user.user_permissions.add(Permission.objects.get(codename="submit_bundle"))
    return user


def handed_in(path: Path, actor: User | str, **changes: Any) -> Submission:
    """Received, not checked yet."""
    digest, size = intake.kept(path)
    values: dict[str, Any] = {"declared": {"agent": "Sam's agent", "model": "m-1"}, "licence": "MIT"} | changes
    return services.receive(upload=services.Upload(digest, size, path.name, **values), actor=actor)[0]


def checked(submission: Submission) -> Submission:
    assert intake.check_next(submission.pk)
    submission.refresh_from_db()
    return submission


def test_a_good_bundle_becomes_a_draft_under_what_its_submitter_says(
    site: Site, submitter: User, tmp_path: Path
) -> None:
    submission = checked(handed_in(make_zip(tmp_path / "run", site.suite), submitter))
    run = submission.run
    assert run is not None
    assert (submission.state, run.state, run.origin, run.verification) == ("accepted", "draft", "imported", "checked")
    assert (run.configuration.agent.name, run.configuration.agent.kind) == ("Sam's agent", "external")
    assert run.configuration.model is not None
    assert (run.configuration.model.identifier, run.created_by) == ("m-1", submitter)
    trail = list(submission.trail.order_by("id").values_list("action", flat=True))
    assert trail == ["receive", "accept"]


def test_the_same_bytes_are_the_same_submission_whoever_sends_them(site: Site, submitter: User, tmp_path: Path) -> None:
    path = make_zip(tmp_path / "run", site.suite)
    first = checked(handed_in(path, submitter))
    again = handed_in(path, User.objects.create_user("other"))
    assert (first.pk, again.submitter, again.state) == (again.pk, submitter, "accepted")
    assert not intake.check_next()
    assert Run.objects.count() == 1


def test_the_same_results_in_other_bytes_are_refused(site: Site, submitter: User, tmp_path: Path) -> None:
    path = make_zip(tmp_path / "run", site.suite)
    first = checked(handed_in(path, submitter))
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(path) as packed, zipfile.ZipFile(other, "w", zipfile.ZIP_STORED) as unpacked:
        for name in packed.namelist():
            unpacked.writestr(name, packed.read(name))
    second = checked(handed_in(other, submitter))
    assert (second.state, second.problem_count) == ("rejected", 1)
    assert f"submission {first.pk} brought exactly these results" in second.problems[0]["seen"]


def test_every_problem_comes_at_once_and_nothing_is_written(site: Site, submitter: User, tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "run", site.suite, protocol="arena-9")
    (folder / "records" / "stranger.json").write_text("{}")
    submission = checked(handed_in(folder, submitter))
    assert (submission.state, submission.problem_count) == ("rejected", len(submission.problems))
    assert submission.problem_count == 3
    assert all(set(one) == {"place", "seen", "expected", "hint"} for one in submission.problems)
    assert not Run.objects.exists()


def test_its_submitter_sends_a_rejected_one_again(site: Site, submitter: User, tmp_path: Path) -> None:
    """What was wrong may have been what was said, or what the site knew: the bytes may be right by now."""
    path = make_zip(tmp_path / "run", site.suite)
    submission = checked(handed_in(path, submitter, declared={"agent": "Expert"}))
    assert "is an agent of ours" in submission.problems[0]["seen"]
    assert handed_in(path, User.objects.create_user("other")).state == "rejected"
    assert checked(handed_in(path, submitter)).state == "accepted"


def test_what_is_no_bundle_says_what_would_be_one(site: Site, submitter: User, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(b"hello")
    submission = checked(handed_in(path, submitter))
    assert submission.state == "rejected"
    assert submission.problems[0]["expected"]


def test_a_claim_of_another_benchmark_is_kept_and_ranks_nothing(site: Site, submitter: User, tmp_path: Path) -> None:
    path = tmp_path / "eval_results.json"
    one = {"sample_id": 0, "compiled": True, "correctness": True, "metadata": {}, "runtime": 1.5, "runtime_stats": {}}
    path.write_text(json.dumps({"1": one, "2": one | {"correctness": False}}))
    submission = checked(handed_in(path, submitter, declared={"agent": "Sam's agent", "level": "1"}))
    assert submission.state == "accepted", submission.problems
    assert (submission.run, submission.claim_count) == (None, submission.claims.count())
    assert submission.claim_count >= 2
    assert not Run.objects.exists()
    assert not Submission.objects.told().exists()
    services.show_claims(submission=submission, actor="test")
    assert Submission.objects.told().get() == submission


def test_a_fault_of_ours_leaves_it_waiting_and_then_says_so(
    site: Site, submitter: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = handed_in(make_zip(tmp_path / "run", site.suite), submitter)

    def broken(*arguments: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(archive, "copy_to", broken)
    states = [checked(submission).state for _ in range(MOST_CHECKS)]
    assert states == ["received", "received", "rejected"]
    assert submission.problems[0]["place"] == "our side"


def test_a_check_whose_worker_died_is_given_back_and_its_verdict_counts_no_more(
    site: Site, submitter: User, tmp_path: Path
) -> None:
    handed_in(make_zip(tmp_path / "run", site.suite), submitter)
    dead = services.claim_check()
    assert dead is not None
    assert services.requeue_dead_checks() == 0
    Submission.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert services.requeue_dead_checks() == 1
    assert not services.reject(submission=dead, problems=[OUR_FAULT])
    assert Submission.objects.get().state == "received"


def test_mail_goes_to_those_who_asked_for_it(
    site: Site, submitter: User, tmp_path: Path, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        submission = checked(handed_in(make_zip(tmp_path / "run", site.suite), submitter, wants_mail=True))
        checked(handed_in(make_zip(tmp_path / "two", site.suite, repeat=1), submitter))
    (message,) = mail.outbox
    assert (message.to, f"submission {submission.pk} is accepted" in message.subject) == (["sam@example.org"], True)


def test_each_end_is_told_by_mail(
    site: Site, submitter: User, tmp_path: Path, django_capture_on_commit_callbacks: Any
) -> None:
    bad = tmp_path / "notes.txt"
    bad.write_text("nothing")
    with django_capture_on_commit_callbacks(execute=True):
        checked(handed_in(bad, submitter, wants_mail=True))
        closed = checked(handed_in(make_zip(tmp_path / "run", site.suite), submitter, wants_mail=True))
        services.close(submission=closed, actor="admin", reason="Enough.")
        down = checked(handed_in(make_zip(tmp_path / "two", site.suite, repeat=1), submitter, wants_mail=True))
        services.take_down(submission=down, actor=submitter, reason="A mistake.")
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

    submission = checked(handed_in(make_folder(tmp_path / "run", site.suite, sources_of=of_two), submitter))
    assert submission.run is not None
    mine = {d for result in submission.run.results.all() for d in result.candidate_files.values()}
    kept = {digest for task in site.suite.tasks.all() for digest in task.files.values()}
    with django_capture_on_commit_callbacks(execute=True):
        services.take_down(submission=submission, actor=submitter, reason="Not ours to publish.")
    assert not any(submission.run.results.values_list("candidate_files", flat=True))
    for digest in mine - kept:
        with pytest.raises(archive.ArchiveError):
            archive.get(digest)
    assert all(archive.get(digest) for digest in kept)


def test_a_source_that_may_hold_a_secret_waits_for_a_maintainer(site: Site, submitter: User, tmp_path: Path) -> None:
    def careless(task: Task) -> dict[str, bytes]:
        return dict.fromkeys(task.editable, b'// API_KEY = "a1b2c3d4e5f6a7b8"\n')

    submission = checked(handed_in(make_folder(tmp_path / "run", site.suite, sources_of=careless), submitter))
    assert submission.run is not None
    review = submission.reviews.get(kind=Review.Kind.PRIVATE_TEXT)
    assert "a1b2c3" not in review.detail
    with pytest.raises(RunError, match="something private"):
        services.publish_run(run=submission.run, actor="admin")
    services.decide_review(review=review, decision="An example from the manual.", actor="admin")
    services.publish_run(run=submission.run, actor="admin")


def test_a_candidate_that_differs_in_blanks_is_somebody_elses_too(site: Site, submitter: User, tmp_path: Path) -> None:
    def spaced(task: Task) -> dict[str, bytes]:
        return {name: f"//  of\t{task.path}\r\n".encode() for name in task.editable}

    checked(handed_in(make_zip(tmp_path / "run", site.suite), submitter))
    eve = User.objects.create_user("eve")
    folder = make_folder(tmp_path / "two", site.suite, sources_of=spaced, repeat=1)
    review = checked(handed_in(folder, eve, declared={"agent": "Another"})).reviews.get(kind=Review.Kind.DUPLICATE)
    assert review.detail.count("but for blanks and comments the candidate of Sam's agent") == 2


def test_the_name_that_claims_stand_under_is_looked_at(site: Site, submitter: User, tmp_path: Path) -> None:
    checked(handed_in(make_zip(tmp_path / "run", site.suite), submitter))
    path = tmp_path / "eval_results.json"
    path.write_bytes(made.kb()["eval_results.json"])
    claims = checked(handed_in(path, submitter, declared={"agent": "Sаm's agent", "level": "3"}))  # a Cyrillic a
    assert "looks like Sam's agent" in claims.reviews.get().detail


def test_a_takedown_leaves_the_boards_and_the_archive_and_keeps_the_history(
    site: Site, submitter: User, tmp_path: Path, django_capture_on_commit_callbacks: Any
) -> None:
    submission = checked(handed_in(make_zip(tmp_path / "run", site.suite), submitter))
    assert submission.run is not None
    services.publish_run(run=submission.run, actor="test")
    with pytest.raises(RunError, match="say why"):
        services.take_down(submission=submission, actor=submitter, reason=" ")
    with django_capture_on_commit_callbacks(execute=True):
        services.take_down(submission=submission, actor=submitter, reason="Not ours to publish.")
    submission.refresh_from_db()
    assert (submission.state, submission.outcome, submission.run.state) == ("closed", "taken_down", "withdrawn")
    with pytest.raises(archive.ArchiveError):
        archive.get(submission.digest)
    ended = AuditEntry.objects.get(submission=submission, action="close")
    assert ended.reason == "taken down by its submitter: Not ours to publish."


def test_an_idempotency_key_belongs_to_its_bytes(site: Site, submitter: User, tmp_path: Path) -> None:
    handed_in(make_zip(tmp_path / "run", site.suite), submitter, idempotency_key="k")
    with pytest.raises(RunError, match="for other bytes"):
        handed_in(make_zip(tmp_path / "two", site.suite, repeat=1), submitter, idempotency_key="k")


@pytest.mark.parametrize(
    ("name", "kind"), [("Ѕam's agent", "look_alike"), ("Sarn's agent", "look_alike"), ("Another", "duplicate")]
)
def test_what_resembles_something_else_is_asked_about(
    site: Site, submitter: User, tmp_path: Path, name: str, kind: str
) -> None:
    """The second name has a Cyrillic letter, the third an r and an n; all of them hand in the same candidates."""
    checked(handed_in(make_zip(tmp_path / "run", site.suite), submitter))
    other = checked(
        handed_in(
            make_zip(tmp_path / "two", site.suite, repeat=1), User.objects.create_user("eve"), declared={"agent": name}
        )
    )
    assert kind in other.reviews.values_list("kind", flat=True)
    assert "duplicate" in other.reviews.values_list("kind", flat=True)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "Соdex",
            "CODEX",
            "Ｃｏｄｅｘ",
            "𝐂𝐨𝐝𝐞𝐱",
            "C0dex",
            "Ｃоdеx",
            "co-dex",
            "Cod\u200bex",
            "Cödéx",
            "ϹΟDΕΧ",
            "Ⅽodex",
        ),
        *("ᴄᴏᴅᴇx", "С0ԁех", "Ꮯodex", "cođex", "ⲥodex"),
    ],
)
def test_names_that_the_eye_confuses_have_one_skeleton(name: str) -> None:
    assert skeleton(name) == skeleton("Codex")
    assert skeleton("Claude") != skeleton("Codex")


def test_the_bundled_expert_is_known_whatever_its_blanks_and_comments(
    site: Site, submitter: User, tmp_path: Path
) -> None:
    def marked(task: Any) -> dict[str, bytes]:
        files = produce("expert", candidates.spec_of(task)).candidate.files
        mark = {"py": b"# mine\n", "hip": b"/* mine */ // all of it\n"}
        return {
            path: mark[path.rpartition(".")[2]] + data.replace(b"    ", b"\t") + mark[path.rpartition(".")[2]]
            for path, data in files.items()
        }

    folder = make_folder(tmp_path / "run", site.suite, sources_of=marked)
    submission = checked(handed_in(folder, submitter))
    detail = submission.reviews.get(kind=Review.Kind.EXPERT).detail
    assert detail.count("source of expert") == 2


@pytest.mark.parametrize("name", ["kernel.hip", "kernel.py"])
def test_a_source_that_never_ends_its_comment_or_text_takes_no_quadratic_time(name: str) -> None:
    begun = time.process_time()
    for piece in (b"/*", b'"', b"'", b'"\\', b"'\\", b'"""', b"\n'", b"#"):
        squeezed({name: piece * (200_000 // len(piece))})
    assert time.process_time() - begun < 5


def test_a_mark_of_a_comment_within_a_text_is_none() -> None:
    assert squeezed({"a.hip": b'x = "//1";'}) != squeezed({"a.hip": b'x = "//2";'})
    assert squeezed({"a.py": b"x = '#1'"}) != squeezed({"a.py": b"x = '#2'"})
    assert squeezed({"a.hip": b"#define T 32\n"}) != squeezed({"a.hip": b"#define T 64\n"})


def test_the_command_checks_without_writing_and_says_everything(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = make_zip(tmp_path / "run", site.suite), make_folder(tmp_path / "bad", site.suite, protocol="arena-9")
    call_command("import_bundle", good, check=True)
    assert "run.zip: it can be handed in" in capsys.readouterr().out
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
    call_command("import_bundle", path, check=True, set=["level=1"])
    assert "kernelbench-level1: 1 of 100 tasks are here" in capsys.readouterr().out
    call_command("import_bundle", path, set=["agent=Somebody", "level=1"], publish=True)
    submission = Submission.objects.get()
    assert f"eval_results.json: {submission}, 1 claims of KernelBench" in capsys.readouterr().out
    assert (submission.is_public, submission.claims.get().is_known) == (True, True)


def test_form_rest_command_and_offline_check_say_the_same(site: Site, submitter: User, tmp_path: Path) -> None:
    """The level is asked for, since the file does not say it: without it nothing is counted."""
    path = tmp_path / "eval_results.json"
    path.write_bytes(made.kb(declared="")["eval_results.json"])
    offline = check(path, said={"level": "1", "agent": "A"}).submission
    assert offline is not None
    _, token = services.make_token(user=submitter, name="ci")
    browser = Client()
    browser.force_login(submitter)
    fields = {"agent": "A", "level": "1", "licence": "MIT", "consent": "on"}
    found = []
    for send in ("form", "rest", "command"):
        with path.open("rb") as file:
            if send == "form":
                browser.post("/submit/hand-in/", fields | {"bundle": file})
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
            row.trail.all().delete()
            row.delete()
    assert found[0] == found[1] == found[2]
    assert found[0][1] == [(one.code, one.text) for one in offline.findings]
    assert found[0][2]["suite"] == "kernelbench-level1"


# By program.


def post(token: str, path: Path, **headers: str) -> Any:
    fields = {"agent": "Sam's agent", "licence": "MIT", "consent": "yes", "bundle": io.BytesIO(path.read_bytes())}
    return Client().post("/api/v1/submissions/", fields, headers={"Authorization": f"Bearer {token}"} | headers)


def test_a_program_hands_in_with_a_token_and_sees_what_became_of_it(
    site: Site, submitter: User, tmp_path: Path
) -> None:
    _, token = services.make_token(user=submitter, name="ci")
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
    row, token = services.make_token(user=submitter, name="ci")
    assert token not in str(ApiToken.objects.values().get())
    assert post("arena_wrong", path).status_code == 401
    services.revoke_token(token=row, actor=submitter)
    assert post(token, path).status_code == 401
    row, token = services.make_token(user=submitter, name="late")
    long_ago = timezone.now() - timedelta(days=200)
    ApiToken.objects.filter(pk=row.pk).update(created_at=long_ago, expires_at=long_ago + timedelta(days=90))
    assert post(token, path).status_code == 401
    _, token = services.make_token(user=User.objects.create_user("reader"), name="ci")
    assert post(token, path).status_code == 403
    assert not Submission.objects.exists()


def test_the_same_bytes_at_once_are_one_submission(
    site: Site, submitter: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second request looks before the first has written, and is refused by the database."""
    path, received = make_zip(tmp_path / "run", site.suite), submissions._received
    _, token = services.make_token(user=submitter, name="ci")
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


def test_a_program_is_told_what_its_form_lacks_and_when_the_bundle_is_too_long(
    site: Site, submitter: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, token = services.make_token(user=submitter, name="ci")
    headers = {"Authorization": f"Bearer {token}"}
    lacking = Client().post("/api/v1/submissions/", {"licence": "mine"}, headers=headers)
    assert lacking.status_code == 400
    assert {one["place"] for one in lacking.json()["problems"]} == {"form: licence", "form: consent", "form: bundle"}
    assert Client().post("/api/v1/submissions/", b"x", "text/plain", headers=headers).status_code == 415
    monkeypatch.setattr("runs.desk.uploading.MOST_BYTES", 10)
    assert post(token, make_zip(tmp_path / "run", site.suite)).status_code == 413
    assert not Submission.objects.exists()
