"""Backup and restore: every page is restored byte for byte, completely or not at all."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command

from arena_site.operations import table_rows
from arena_site.operations.backup import MANIFEST
from runs import archive, guards
from runs.loading import published as papers
from runs.models import Attempt, AuditEntry, Result, Round, Run
from runs.services import publishing, rounds, tokens
from runs.services.run_actions import rerun_results
from runs.worker import evaluation
from tests import factories
from tests.runs.conftest import Site, sent, site, specs  # noqa: F401  fixtures
from tests.runs.crawl import seen_at_a_glance

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def own_archive(settings: Any, tmp_path: Path) -> None:
    settings.ARCHIVE_FOLDER = tmp_path / "archive"


@pytest.fixture
def backed_up(own_archive: None, site: Site, settings: Any, tmp_path: Path) -> Iterator[Path]:  # noqa: F811
    """The backup of a site with results, an unrevealed round, people and tokens."""
    settings.EVALUATOR = "tests.runs.fakes.open_fake"
    papers.load_published()
    factories.make_configuration()
    rounds.open_round(slug="autumn", suite=site.suite, actor="test")
    run = site.new_run()
    while evaluation.evaluate_next(host=site.host, worker="w"):
        pass
    publishing.publish_run(run=run, actor="test")
    digest, size = archive.put_upload([b"a bundle"])
    submission = factories.make_submission(digest=digest, size_bytes=size)
    tokens.make_token(user=submission.submitter or factories.make_user(), name="a program")
    yield made(tmp_path / "site.zip")
    evaluation.close_evaluator()


def made(path: Path) -> Path:
    call_command("backup", str(path), verbosity=0)
    return path


def begin_anew(settings: Any, folder: Path) -> None:
    """Make a newly migrated database and an empty archive."""
    guards.drop()  # `flush` brings them back
    call_command("flush", interactive=False, verbosity=0)
    settings.ARCHIVE_FOLDER = folder
    cache.clear()


def all_rows() -> dict[str, list[str]]:
    return {label: list(table_rows.lines_of(model)) for label, model in table_rows.tables().items()}


def test_every_page_of_a_restored_site_is_that_of_the_first_byte_for_byte(
    backed_up: Path, settings: Any, tmp_path: Path
) -> None:
    pages, rows = seen_at_a_glance(), all_rows()
    begin_anew(settings, tmp_path / "second")
    assert not Run.objects.exists()
    call_command("restore", str(backed_up))
    assert all_rows() == rows
    assert seen_at_a_glance() == pages
    assert oct(backed_up.stat().st_mode)[-3:] == "600"
    assert Round.objects.get(slug="autumn").secret in zipfile.ZipFile(backed_up).read("rows/runs.round.jsonl").decode()
    again = Result.objects.order_by("pk").last().run  # type: ignore[union-attr]
    assert rerun_results(results=again.results.all(), actor="test")[0].pk > max(
        json.loads(line)[0] for line in rows["runs.attempt"]
    )


def halved(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flipped(path: Path) -> None:
    """Change one bit of the rows."""
    data = bytearray(path.read_bytes())
    at = data.index(b"rows/runs.auditentry.jsonl") + 60
    data[at] ^= 1
    path.write_bytes(bytes(data))


def rewritten(change: Callable[[str, bytes], bytes | None]) -> Callable[[Path], None]:
    """Rewrite each member with `change`; None omits it."""

    def rewrite(path: Path) -> None:
        with zipfile.ZipFile(path) as packed:
            members = {name: change(name, packed.read(name)) for name in packed.namelist()}
        with zipfile.ZipFile(path, "w") as packed:
            for name, data in members.items():
                if data is not None:
                    packed.writestr(name, data)

    return rewrite


def without(end: str) -> Callable[[Path], None]:
    return rewritten(lambda name, data: None if name.endswith(end) else data)


def changed(end: str, old: bytes, new: bytes) -> Callable[[Path], None]:
    return rewritten(lambda name, data: data.replace(old, new) if name.endswith(end) else data)


def with_another(name: str) -> Callable[[Path], None]:
    def add(path: Path) -> None:
        with zipfile.ZipFile(path, "a") as packed:
            packed.writestr(name, b"x")

    return add


DAMAGES: list[tuple[str, Callable[[Path], object], str]] = [
    ("half of it", halved, "is not a backup, or incomplete"),
    ("a flipped bit", flipped, "."),
    ("text", lambda path: path.write_text("no zip"), "is not a backup"),
    ("nothing", lambda path: path.write_bytes(b""), "is not a backup"),
    ("another zip", without(MANIFEST), "it has no manifest"),
    ("another format", changed(MANIFEST, b"arena-backup-2", b"arena-backup-9"), "this version reads 'arena-backup-2'"),
    ("a manifest that is none", changed(MANIFEST, b'"tables"', b'"stools"'), "its manifest cannot be read"),
    ("another version", changed(MANIFEST, b"0001_initial", b"0001_other"), "differ in .* and restore it there"),
    ("a table is missing", without("runs.attempt.jsonl"), "differ from its manifest: rows/runs.attempt"),
    ("a table more", with_another("rows/evil.jsonl"), "differ from its manifest: rows/evil.jsonl"),
    ("a path out of it", with_another("../../evil"), "files in the backup differ from its manifest"),
    ("other rows", changed("runs.host.jsonl", b'"local"', b'"loca1"'), "rows of runs.host are damaged"),
    (
        "another record",
        rewritten(lambda name, data: data[::-1] if name.endswith(".gz") else data),
        "is damaged",
    ),
]


@pytest.mark.parametrize(("damage", "told"), [one[1:] for one in DAMAGES], ids=[one[0] for one in DAMAGES])
def test_an_incomplete_or_foreign_file_changes_nothing(
    backed_up_once: bytes, damage: Callable[[Path], object], told: str, settings: Any, tmp_path: Path
) -> None:
    path = tmp_path / "damaged.zip"
    path.write_bytes(backed_up_once)
    damage(path)
    settings.ARCHIVE_FOLDER = tmp_path / "second"
    before = all_rows()
    with pytest.raises(CommandError, match=told):
        call_command("restore", str(path))
    assert all_rows() == before
    assert not list(tmp_path.rglob("*.gz"))


_KEPT: list[bytes] = []


@pytest.fixture
def backed_up_once(request: pytest.FixtureRequest, settings: Any, tmp_path: Path) -> bytes:
    """Restore the damaged bytes of one backup into an empty database."""
    if not _KEPT:
        _KEPT.append(request.getfixturevalue("backed_up").read_bytes())
        begin_anew(settings, tmp_path / "second")
        for file in (tmp_path / "archive").rglob("*.gz"):
            file.unlink()
    return _KEPT[0]


def test_rows_that_the_database_rejects_leave_neither_rows_nor_files(
    backed_up: Path, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This happens if the disk is full, or somebody writes during the restore."""
    begin_anew(settings, tmp_path / "second")
    before = all_rows()
    monkeypatch.setattr(table_rows, "insert", lambda model, lines: 0)
    with pytest.raises(CommandError, match="has 0 rows"):
        call_command("restore", str(backed_up))
    assert all_rows() == before
    assert not list((tmp_path / "second").rglob("*.gz"))


def test_a_site_with_rows_is_never_overwritten(backed_up: Path) -> None:
    rows = all_rows()
    with pytest.raises(CommandError, match="this database is not empty"):
        call_command("restore", str(backed_up))
    assert all_rows() == rows
    with pytest.raises(CommandError, match="exists, and backups are never overwritten"):
        call_command("backup", str(backed_up))


def test_a_damaged_record_is_named_and_the_rest_can_be_restored(backed_up: Path, settings: Any, tmp_path: Path) -> None:
    digest = Attempt.objects.exclude(record_digest="").values_list("record_digest", flat=True)[0]
    path = tmp_path / "archive" / digest[:2] / f"{digest}.gz"
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(CommandError, match=f"1 damaged archived file:\narchive/{digest}"):
        call_command("backup", str(tmp_path / "later.zip"))
    entries = AuditEntry.objects.count()
    begin_anew(settings, tmp_path / "second")
    call_command("restore", str(tmp_path / "later.zip"))
    assert AuditEntry.objects.count() == entries
    with pytest.raises(archive.ArchiveError):
        archive.get(digest)
