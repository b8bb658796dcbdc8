"""Which rows name a file: a takedown removes none that another row names, and every column that names one is known."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.models import CharField, Field, JSONField

from runs import archive
from runs.archive import ARCHIVE, UPLOADS
from runs.models import AgentSession, Attempt, AuditEntry, Claim, Result, Run, Submission, Task, UnseenEvaluation
from runs.references import DIGEST_COLUMNS, FILE_COLUMNS, who_names
from runs.services import submissions, takedowns
from tests import factories

pytestmark = pytest.mark.django_db
NAME_NO_FILE = {  # columns that look as if they named one, and what they hold
    "ApiToken.digest": "of a token",
    "Claim.cases": "times",
    "Claim.claimed": "values of a bundle",
    **dict.fromkeys(("Claim.code_quality", "Result.code_quality", "Task.proxies"), "figures of sources"),
    "Configuration.settings_digest": "of the settings",
    "Configuration.settings": "settings",
    "Iteration.candidate_digest": "over the digests of a version's files, which the session record holds",
    "Result.candidate_digest": "over the digests of its files",
    "Result.candidate_problems": "reasons",
    "Round.secret_hash": "of the secret",
    "Round.tasks_digest": "over digests of tasks",
    "Run.bundle_digest": "over the contents of a bundle, however it is packed",
    "Suite.digest": "over digests of tasks",
    "Task.digest": "over the files of a task",
    "Attempt.work_flops": "sums of operations",
    "UnseenEvaluation.outcomes": "numbers of cases",
    **dict.fromkeys(
        ("Attempt.flags", "Measurement.clocks", "Calibration.figures", "Calibration.facts", "Run.calibrations"),
        "values",
    ),
    **dict.fromkeys(("Host.calibration", "Host.facts", "Host.agents"), "values"),
    **dict.fromkeys(("PublishedTable.columns", "PublishedRow.cells"), "a printed table"),
    **dict.fromkeys(("Submission.about", "Submission.findings", "Submission.problems"), "texts on the bundle"),
    **dict.fromkeys(("Submission.declared", "Submission.declared_on"), "facts"),
    **dict.fromkeys(("Task.editable", "Task.cases", "Task.work", "Task.provenance"), "what the task says"),
}


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.ARCHIVE_FOLDER = tmp_path / "archive"
    return Path(settings.ARCHIVE_FOLDER)


def may_name_files(field: Field[Any, Any]) -> bool:
    is_long = isinstance(field, CharField) and not field.choices and (field.max_length or 0) >= 64
    return isinstance(field, JSONField) or (is_long and any(one in field.name for one in ("digest", "hash", "sha")))


def test_every_column_that_may_name_files_is_known() -> None:
    """Add a new one to runs/references.py, or here with what it holds."""
    fields = {(model, field.name) for model in apps.get_app_config("runs").get_models() for field in model._meta.fields}
    columns = {(model, name) for model, name in fields if may_name_files(model._meta.get_field(name))}
    known = {*FILE_COLUMNS, *(one for of_store in DIGEST_COLUMNS.values() for one in of_store)}
    assert known <= columns
    assert {f"{model.__name__}.{name}" for model, name in columns - known} == set(NAME_NO_FILE)


def stored(name: str) -> str:
    return archive.put(f"the bytes of {name}".encode())


def of_another(name: str) -> str:
    """Store bytes that a row of somebody else names in this column; return their digest."""
    digest, run = stored(name), factories.make_run(status="passed")
    result = run.results.all()[0]
    if name == "Attempt.record_digest":
        result.attempts.update(record_digest=digest)
    elif name == "UnseenEvaluation.record_digest":
        Run.objects.filter(pk=run.pk).update(round=factories.make_round(suite=run.suite))
        unseen = factories.make_unseen(Attempt.objects.get(result=result))
        UnseenEvaluation.objects.filter(pk=unseen.pk).update(record_digest=digest)
    elif name.startswith("AgentSession."):
        session = factories.make_session(result)
        AgentSession.objects.filter(pk=session.pk).update(**{name.partition(".")[2]: digest})
    elif name == "Task.files":
        Task.objects.filter(pk=result.task_id).update(files={"a.hip": digest})
    elif name == "Result.candidate_files":
        Result.objects.filter(pk=result.pk).update(candidate_files={"a.hip": digest})
    elif name == "Claim.files":
        claims_of(factories.make_submission(), digest)
    else:
        line = f"in place of its session of 2026-11-01: timed_out, 1.5 USD, 0 lost before it, {digest}"
        AuditEntry.objects.create(actor_name="test", action="rerun", run=run, result=result, detail=line)
    return digest


def claims_of(submission: Submission, *digests: str) -> None:
    files = {f"{number}.py": digest for number, digest in enumerate(digests)}
    Claim.objects.create(submission=submission, task="t", is_known=True, status="passed", files=files)


NAMED = [f"{model.__name__}.{column}" for model, column in (*DIGEST_COLUMNS[ARCHIVE], *FILE_COLUMNS)]


@pytest.mark.parametrize("name", [*NAMED, "AuditEntry.detail"])
@pytest.mark.parametrize("way", ["sources", "claims"])
def test_a_takedown_removes_no_file_that_the_row_of_another_names(
    name: str, way: str, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    theirs, mine = of_another(name), stored("my own source")
    assert [row for digest, row in who_names({theirs})]
    submission = factories.make_submission(run=factories.make_run(status="passed"))
    if way == "claims":
        claims_of(submission, theirs, mine)
    else:
        result = submission.run.results.all()[0]
        Result.objects.filter(pk=result.pk).update(candidate_files={"a.hip": theirs, "b.hip": mine})
    with django_capture_on_commit_callbacks(execute=True):
        takedowns.take_down(submission=submission, actor="sam", reason="Not mine.")
    assert archive.get(theirs)
    with pytest.raises(archive.ArchiveError):
        archive.get(mine)


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one transaction that writes at a time")
def test_a_file_outlives_the_takedown_while_an_import_that_names_it_is_written() -> None:
    is_put, may_end = Event(), Event()

    def import_it() -> None:
        with transaction.atomic():
            digest = stored("a shared prompt")
            is_put.set()
            may_end.wait(60)
            factories.make_task(files={"prompt.md": digest})
        connection.close()

    def remove_it() -> None:
        takedowns._remove(upload, {stored("a shared prompt")})
        connection.close()

    upload = archive.put_upload([b"a bundle"])[0]
    importing, removing = Thread(target=import_it), Thread(target=remove_it)
    importing.start()
    assert is_put.wait(60)
    removing.start()
    removing.join(60)  # it does not wait for the import
    may_end.set()
    importing.join(60)
    assert len(archive.files_of(ARCHIVE)) == 1
    assert archive.files_of(UPLOADS) == []


def test_what_a_takedown_may_not_remove_yet_is_left_to_the_night(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    upload, mine = archive.put_upload([b"a bundle"])[0], stored("my own source")
    monkeypatch.setattr(archive, "_lock_removals", lambda *, shared, waits=True: waits)
    takedowns._remove(upload, {mine})
    assert (archive.has(upload, UPLOADS), archive.has(mine)) == (False, True)
    assert "an import is being stored: a takedown leaves 1 file to the night" in caplog.text


def received(data: bytes) -> Submission:
    digest, size = archive.put_upload([data])
    upload = submissions.Upload(digest, size, "run.zip", {}, "MIT")
    return submissions.receive(upload=upload, actor="sam")[0]


def test_a_record_that_was_handed_in_as_a_bundle_outlives_its_takedown(
    folder: Path, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    data = b"the bytes of a public record"
    record = archive.put(data)
    submission = received(data)
    assert submission.digest == record
    with django_capture_on_commit_callbacks(execute=True):
        takedowns.take_down(submission=submission, actor="sam", reason="A mistake.")
    assert archive.get(record) == data
    assert archive.files_of(UPLOADS) == []
    assert received(data).outcome == "taken_down"
    assert archive.files_of(UPLOADS) == [], "what was taken down is not kept when it comes again"


def test_every_named_file_comes_with_its_row() -> None:
    submission = received(b"a bundle")
    task = factories.make_task(files={"a.hip": stored("source")})
    assert list(who_names(store=UPLOADS)) == [(submission.digest, f"submission {submission.pk}: digest")]
    assert list(who_names()) == [(hashlib.sha256(b"the bytes of source").hexdigest(), f"task {task.pk}: files")]


def test_a_backup_reports_every_row_whose_file_is_missing(tmp_path: Path) -> None:
    submission, task = received(b"a bundle"), factories.make_task(files={"a.hip": stored("source")})
    received(b"another bundle")
    gone = task.files["a.hip"]
    archive.remove(gone)
    archive.remove(submission.digest, UPLOADS)
    with pytest.raises(CommandError) as told:
        call_command("backup", str(tmp_path / "site.zip"), verbosity=0)
    assert str(told.value).splitlines() == [
        "The backup is complete but for:",
        "2 missing archived files:",
        f"archive/{gone} of task {task.pk}: files",
        f"uploads/{submission.digest} of submission {submission.pk}: digest",
    ]
    assert (tmp_path / "site.zip").exists()
