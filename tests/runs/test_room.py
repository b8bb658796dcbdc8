"""What uploads may take: a submitter's quota, and the disk's reserve, below which nothing new begins."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core.checks import run_checks
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from arena_site.monitoring import health
from arena_site.operations.backup import write_backup
from arena_site.settings import env
from evaluator.cli import doctor
from runs import archive, disk
from runs.errors import QuotaError, RunError
from runs.loading import bundles as intake
from runs.models import Attempt, AuditEntry, Submission
from runs.services import submissions, tokens
from runs.services.expiry import remove_expired
from runs.services.quotas import usage_of
from runs.worker import evaluation
from scripts import up
from tests import factories
from tests.runs.conftest import Site

pytestmark = pytest.mark.django_db
MIB = 1 << 20


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.ARCHIVE_FOLDER, settings.LEAST_FREE_MB = tmp_path / "archive", 1024
    return tmp_path / "archive"


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Let so many bytes be free beyond the reserve."""
    return lambda beyond: monkeypatch.setattr(disk, "free_bytes", lambda: (1024 * MIB) + beyond)


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def fields(data: bytes = b"x") -> dict[str, Any]:
    return {"licence": "MIT", "consent": "on", "bundle": SimpleUploadedFile("x.zip", data)}


def another_submitter() -> User:
    user = factories.make_user()
    user.user_permissions.add(Permission.objects.get(codename="submit_bundle"))
    return user


def by_form(user: User, data: bytes = b"x") -> Any:
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return client.post("/submit/upload/", fields(data))


def by_program(user: User, data: bytes = b"x", key: str = "") -> Any:
    _, token = tokens.make_token(user=user, name=f"{time.monotonic()}")
    headers = {"authorization": f"Bearer {token}", "idempotency-key": key}
    client = Client(raise_request_exception=False, headers=headers)
    return client.post("/api/v1/submissions/", fields(data))


# --- the reserve -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("send", [by_form, by_program])
def test_an_upload_that_would_touch_the_reserve_is_507_and_leaves_nothing(
    submitter: User, left: Callable[[int], None], folder: Path, send: Callable[..., Any]
) -> None:
    left(MIB)
    refused = send(submitter, os.urandom(MIB))
    assert refused.status_code == 507
    assert b"nearly full" in refused.content
    assert not Submission.objects.exists()
    assert not files_in(folder)
    left(3 * MIB)
    assert send(submitter, os.urandom(MIB)).status_code in (202, 302)


def test_a_disk_that_fills_while_an_upload_comes_in_ends_it(
    submitter: User, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    asked = iter([2048 * MIB] * 4)
    monkeypatch.setattr(disk, "free_bytes", lambda: next(asked, 0))
    refused = by_program(submitter, os.urandom(MIB))
    assert (refused.status_code, refused["Content-Type"]) == (507, "application/problem+json")
    assert not files_in(folder)
    assert not Submission.objects.exists()


def test_a_disk_that_fills_while_an_upload_is_stored_keeps_no_part_of_it(
    left: Callable[[int], None], monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    asked = iter([2048 * MIB] * 2)
    monkeypatch.setattr(disk, "free_bytes", lambda: next(asked, 0))
    with pytest.raises(disk.NoRoom, match="1024 MB required"):
        archive.put_upload(os.urandom(MIB) for _ in range(4))
    assert not files_in(folder)


def test_an_import_is_refused_too(left: Callable[[int], None], tmp_path: Path, folder: Path) -> None:
    left(-1)
    (tmp_path / "x.zip").write_bytes(b"x")
    with pytest.raises(CommandError, match=r"x\.zip: 1023 MB free; 1024 MB required .*; nothing new is stored"):
        call_command("import_bundle", tmp_path / "x.zip")
    assert not files_in(folder)


def test_make_up_goes_on_without_bundles_that_the_disk_has_no_room_for(
    left: Callable[[int], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    left(-1)
    (tmp_path / "tasks" / "bundles").mkdir(parents=True)
    for name in ("one.tar.zst", "two.tar.zst"):
        (tmp_path / "tasks" / "bundles" / name).write_bytes(b"x")
    monkeypatch.setattr(up, "ROOT", tmp_path)
    up.import_bundles()
    told = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[0] for line in told] == ["skipped", "skipped"]
    assert "two.tar.zst: 1023 MB free; 1024 MB required" in told[1]


def test_an_import_of_bytes_that_are_here_needs_no_room(
    left: Callable[[int], None], tmp_path: Path, folder: Path
) -> None:
    (tmp_path / "x.zip").write_bytes(b"x")
    first = intake.archive_bundle(tmp_path / "x.zip")
    aged(files_in(folder)[0], 20)
    left(-1)
    assert intake.archive_bundle(tmp_path / "x.zip") == first
    assert time.time() - files_in(folder)[0].stat().st_mtime < 3600, "as young as an upload"


def test_a_backup_does_not_take_the_reserve_of_the_sites_own_disk(
    left: Callable[[int], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive.put(os.urandom(MIB))
    left(MIB)
    with pytest.raises(disk.NoRoom):
        write_backup(tmp_path / "site.zip")
    assert not list(tmp_path.glob("*.zip*"))
    monkeypatch.setattr(disk, "is_shared_with", lambda folder: False)
    assert write_backup(tmp_path / "site.zip").files == 1


def test_a_backup_counts_the_databases_rows_too(left: Callable[[int], None], tmp_path: Path) -> None:
    left(64 << 10)  # the tables alone take more
    with pytest.raises(disk.NoRoom):
        write_backup(tmp_path / "site.zip")


def test_below_the_reserve_no_check_and_no_attempt_begins(site: Site, left: Callable[[int], None]) -> None:
    site.new_run()
    factories.make_submission()
    left(-1)
    assert not intake.check_next()
    assert not evaluation.is_fit(site.host)
    assert not evaluation.evaluate_next(host=site.host, worker="w")
    assert set(Attempt.objects.values_list("status", "fencing_token")) == {("queued", 0)}
    assert set(Submission.objects.values_list("state", "checks")) == {("received", 0)}


def test_what_has_begun_may_use_the_reserve(left: Callable[[int], None]) -> None:
    left(-512 * MIB)
    assert archive.get(archive.put(b"a record")) == b"a record"


def test_the_reserve_is_told_before_it_is_touched(left: Callable[[int], None], client: Client) -> None:
    def told() -> set[str]:
        return {one.id or "" for one in run_checks()} & {"arena.W002"}

    left(1024 * MIB)
    assert not told()
    left(1024 * MIB - 1)
    assert told() == {"arena.W002"}
    assert health.reserve() is None
    left(-1)
    assert health.reserve() == "1023 MB free; 1024 MB required (ARENA_LEAST_FREE_MB)"
    metrics = client.get("/metrics").content.decode()
    assert "arena_disk_free_bytes 1.073741823e+09" in metrics
    assert "arena_disk_reserve_bytes 1.073741824e+09" in metrics


def test_the_evaluator_tells_of_the_same_reserve_as_the_site() -> None:
    """It knows no settings of Django's, so it has the two numbers of its own."""
    default = env.read["ARENA_LEAST_FREE_MB"].default
    assert (str(doctor.RESERVE_MB), doctor.NEAR) == (str(default), disk.NEAR)


# --- a submitter's quota ---------------------------------------------------------------------------------------------


def test_a_submitter_has_only_so_many_open_submissions(submitter: User, settings: Any, folder: Path) -> None:
    settings.QUOTA_OPEN = 2
    for state in ("received", "received", "rejected", "closed"):
        factories.make_submission(submitter=submitter, **STATES[state])
    before = AuditEntry.objects.count()
    page = by_form(submitter, b"one more")
    assert b"You have 2 open submissions, and may have 2 at a time. Wait for a decision" in page.content
    assert b"2 of at most 2 are open" in page.content
    answer = by_program(submitter, b"one more")
    assert (answer.status_code, answer["Content-Type"]) == (403, "application/problem+json")
    assert "and may have 2 at a time" in answer.json()["detail"]
    assert not files_in(folder)
    assert (Submission.objects.count(), AuditEntry.objects.count()) == (4, before + 1)  # the token
    assert by_program(another_submitter(), b"one more").status_code == 202, "others are not concerned"


STATES: dict[str, dict[str, Any]] = {
    "received": {},
    "rejected": {"state": "rejected", "problem_count": 1},
    "closed": {"state": "closed", "outcome": "taken_down"},
}


def test_the_uploads_of_a_submitter_take_only_so_many_bytes(submitter: User, settings: Any, folder: Path) -> None:
    settings.QUOTA_MB = 3
    factories.make_submission(submitter=submitter, size_bytes=2 * MIB, **STATES["rejected"])
    factories.make_submission(submitter=submitter, size_bytes=9 * MIB, **STATES["closed"])  # taken down: not kept
    answer = by_program(submitter, bytes(MIB + 1))
    assert answer.status_code == 403
    assert "your uploads would take 4 MB with this one, and may take 3 MB" in answer.json()["detail"]
    assert not files_in(folder)
    assert by_program(submitter, bytes(MIB)).status_code == 202
    assert usage_of(submitter).kept_mb == 3


def test_bytes_that_are_here_are_not_counted_again(submitter: User, settings: Any) -> None:
    settings.QUOTA_OPEN = 1
    assert by_program(submitter).status_code == 202
    assert by_program(submitter).status_code == 200
    Submission.objects.update(**STATES["rejected"])
    assert by_program(submitter).status_code == 202


def test_the_quota_is_checked_again_where_the_row_is_written(submitter: User, settings: Any) -> None:
    """Several uploads may be under way at once, all of which were within it when they came."""
    settings.QUOTA_OPEN = 1
    factories.make_submission(submitter=submitter)
    with pytest.raises(QuotaError):
        submissions.receive(upload=submissions.Upload("a" * 64, 1, "x", {}, "MIT"), actor=submitter)
    assert submissions.receive(upload=submissions.Upload("b" * 64, 1, "x", {}, "MIT"), actor="import_bundle")


def test_other_bytes_under_a_used_key_are_refused_before_they_are_stored(
    submitter: User, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    assert by_program(submitter, b"first", key="k").status_code == 202
    before = files_in(folder)
    monkeypatch.setattr(archive, "put_upload", lambda chunks: pytest.fail("they were stored"))
    answer = by_program(submitter, b"other bytes", key="k")
    assert answer.status_code == 409
    assert "the Idempotency-Key was used for other bytes before" in answer.json()["detail"]
    assert files_in(folder) == before


@pytest.mark.parametrize("is_known", [False, True])
def test_what_is_refused_where_the_row_is_written_leaves_no_bytes_that_nobody_names(
    submitter: User, monkeypatch: pytest.MonkeyPatch, folder: Path, is_known: bool
) -> None:
    if is_known:
        assert by_program(another_submitter(), b"data").status_code == 202

    def refused(*asked: Any) -> None:
        raise QuotaError("another upload came first")

    monkeypatch.setattr(submissions, "_received", refused)
    assert by_program(submitter, b"data").status_code == 403
    assert len(files_in(folder)) == is_known


def test_bytes_that_a_refused_upload_of_them_took_away_are_stored_again(
    submitter: User, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    stored, calls = archive.put_upload, list[str]()

    def overtaken(chunks: Any) -> tuple[str, int]:
        digest, size = stored(chunks)
        calls.append(digest)
        if len(calls) == 1:
            submissions.remove_refused(digest=digest)
        return digest, size

    monkeypatch.setattr(archive, "put_upload", overtaken)
    assert by_program(submitter, b"data").status_code == 202
    assert (len(calls), len(files_in(folder))) == (2, 1)


def test_what_was_taken_down_is_told_so_and_not_kept_when_it_comes_again_with_other_facts(
    submitter: User, folder: Path
) -> None:
    by_program(submitter)
    Submission.objects.update(**STATES["closed"], licence="Apache-2.0")
    answer = by_program(submitter)
    assert answer.status_code == 409
    assert "which was taken down: its file is not kept again" in answer.json()["detail"]
    assert "or take it down" not in answer.json()["detail"]
    assert not files_in(folder)


# --- what expires ----------------------------------------------------------------------------------------------------


def aged(path: Path, days: float) -> None:
    then = time.time() - days * 86_400
    os.utime(path, (then, then))


def test_rejected_bytes_expire_and_nothing_else_does(submitter: User, folder: Path) -> None:
    kept, old = timezone.now() - timedelta(days=13), timezone.now() - timedelta(days=15)
    for number, (state, at) in enumerate((("rejected", kept), ("rejected", old), ("received", old))):
        digest, _ = archive.put_upload([b"%d" % number])
        factories.make_submission(digest=digest, submitter=submitter, received_at=at, **STATES[state])
    record = archive.put(b"1")  # the same bytes as an upload that expires
    Attempt.objects.filter(result__run=factories.make_run(status="passed")).update(record_digest=record)
    archive.put_upload([b"nobody's"])
    for path in files_in(folder):
        aged(path, 20)
    archive.put_upload([b"just stored, its row comes next"])
    out = io.StringIO()
    call_command("remove_expired", stdout=out)
    assert out.getvalue() == "1 rejected submission expired, 2 files removed\n"
    left = [digest for digest, _ in archive.files_of(archive.UPLOADS)]
    assert len(left) == 3
    assert archive.get(record) == b"1"
    expired = Submission.objects.get(bytes_removed_at__isnull=False)
    assert (expired.state, expired.received_at) == ("rejected", old)
    assert remove_expired() == (0, 0)


def test_days_are_counted_from_the_last_rejection(submitter: User) -> None:
    old, young = (timezone.now() - timedelta(days=days) for days in (15, 13))
    rows = [factories.make_submission(submitter=submitter, received_at=old, **STATES["rejected"]) for _ in range(2)]
    for row, at in ((rows[0], old), (rows[0], young), (rows[1], old)):
        AuditEntry.objects.create(action="reject", actor_name="check", submission=row, at=at)
    assert remove_expired() == (1, 0)
    assert Submission.objects.get(bytes_removed_at__isnull=False) == rows[1]


def test_what_a_transaction_that_was_taken_back_archived_is_removed(folder: Path) -> None:
    kept, left, young = archive.put(b"named"), archive.put(b"of an import that failed"), archive.put(b"its row comes")
    factories.make_task(files={"a.hip": kept})
    for digest in (kept, left):
        aged(folder / digest[:2] / f"{digest}.gz", 2)
    assert remove_expired() == (0, 1)
    assert [archive.has(digest) for digest in (kept, left, young)] == [True, False, True]


def test_what_a_row_names_by_now_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digests = [archive.put(b"%d" % number) for number in range(2)]
    factories.make_task(files={"a.hip": digests[0]})
    for path in files_in(folder):
        aged(path, 2)
    monkeypatch.setattr(archive, "hold_writers", lambda: factories.make_task(files={"a.hip": digests[1]}))
    assert remove_expired() == (0, 0)
    assert all(map(archive.has, digests))


def test_the_archive_of_another_database_is_left_alone(folder: Path) -> None:
    for number in range(3):
        archive.put(b"%d" % number)
    for path in files_in(folder):
        aged(path, 2)
    with pytest.raises(CommandError, match=r"no row names 3 of 3 files, so none is removed; is DATABASE_URL right\?"):
        call_command("remove_expired")
    assert len(files_in(folder)) == 3


def test_an_expired_one_is_submitted_again_with_its_file(submitter: User, folder: Path) -> None:
    by_program(submitter, b"mine")
    row = Submission.objects.get()
    Submission.objects.update(**STATES["rejected"], received_at=timezone.now() - timedelta(days=15))
    for path in files_in(folder):
        aged(path, 15)
    assert remove_expired() == (1, 1)
    with pytest.raises(RunError, match="is not kept any more"):
        submissions.check_again(submission=row, actor="maintainer")
    by_program(another_submitter(), b"mine")
    assert not files_in(folder), "those of somebody else are not kept for it"
    assert by_program(submitter, b"mine").status_code == 202
    row.refresh_from_db()
    assert (row.state, row.bytes_removed_at) == ("received", None)
    assert len(files_in(folder)) == 1


def test_a_file_that_comes_again_is_young_again(folder: Path) -> None:
    digest, _ = archive.put_upload([b"again"])
    aged(files_in(folder)[0], 20)
    assert archive.put_upload([b"again"])[0] == digest
    assert remove_expired() == (0, 0)
