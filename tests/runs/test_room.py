"""What uploads may take: a submitter's quota, and the disk's reserve, below which nothing new begins."""

from __future__ import annotations

import errno
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
from django.core.management import call_command
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


def by_program(user: User, data: bytes = b"x") -> Any:
    _, token = tokens.make_token(user=user, name=f"{time.monotonic()}")
    client = Client(raise_request_exception=False, headers={"authorization": f"Bearer {token}"})
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
    with pytest.raises(OSError, match="1024 MB required") as refused:
        call_command("import_bundle", tmp_path / "x.zip")
    assert refused.value.errno == errno.ENOSPC, "manage.py says so in one line"
    assert not files_in(folder)


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
    archive.put_upload([b"nobody's"])
    (folder / "killed.part").write_bytes(b"half")
    for path in files_in(folder):
        aged(path, 20)
    archive.put_upload([b"just stored, its row comes next"])
    out = io.StringIO()
    call_command("remove_expired", stdout=out)
    assert out.getvalue() == "1 rejected submission expired, 3 files removed\n"
    left = [digest for digest, _ in archive.files_of(archive.UPLOADS)]
    assert len(left) == 3
    assert archive.get(record) == b"1"
    expired = Submission.objects.get(bytes_removed_at__isnull=False)
    assert (expired.state, expired.received_at) == ("rejected", old)
    assert remove_expired() == (0, 0)


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
