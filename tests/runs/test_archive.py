"""The archive's files: checked when read, healed when the same content comes again."""

from __future__ import annotations

import gzip
import hashlib
import importlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps

from runs import archive
from runs.models import AgentSession, Task
from tests import factories

DATA = b"a record with its raw times " * 500
DIGEST = hashlib.sha256(DATA).hexdigest()
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda packed: b"",
    "truncated": lambda packed: packed[:-9],
    "half": lambda packed: packed[: len(packed) // 2],
    "flipped": lambda packed: packed[:30] + bytes([packed[30] ^ 4]) + packed[31:],
    "zeros": lambda packed: bytes(len(packed)),
    "no gzip": lambda packed: DATA,
    "another content": lambda packed: gzip.compress(b"another"),
}
WAYS: dict[str, Callable[[], object]] = {
    "put": lambda: archive.put(DATA),
    "put_upload": lambda: archive.put_upload([DATA[:100], DATA[100:]]),
    "put_packed": lambda: archive.put_packed(io.BytesIO(gzip.compress(DATA)), DIGEST),
}


@pytest.fixture(autouse=True)
def folder(settings, tmp_path: Path) -> Path:
    settings.ARCHIVE_FOLDER = tmp_path / "archive"
    return Path(settings.ARCHIVE_FOLDER)


def path_in(folder: Path, way: str) -> Path:
    return (folder / archive.UPLOADS if way == "put_upload" else folder) / DIGEST[:2] / f"{DIGEST}.gz"


def read(way: str, copy: Path) -> bytes:
    if way != "put_upload":
        return archive.get(DIGEST)
    archive.copy_upload(DIGEST, copy)
    return copy.read_bytes()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_named_and_healed_by_the_same_content(
    folder: Path, tmp_path: Path, damage: str, way: str
) -> None:
    WAYS[way]()
    path = path_in(folder, way)
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    with pytest.raises(archive.ArchiveError, match=f"the archive's file {DIGEST} is damaged"):
        read(way, tmp_path / "copy")
    WAYS[way]()
    assert read(way, tmp_path / "copy") == DATA
    assert [found for found in folder.rglob("*") if found.is_file()] == [path]


@pytest.mark.parametrize("way", WAYS)
def test_a_whole_file_is_never_written_again(folder: Path, way: str) -> None:
    WAYS[way]()
    before = path_in(folder, way).stat()
    WAYS[way]()
    after = path_in(folder, way).stat()
    assert before.st_ino == after.st_ino


def test_a_missing_file_is_not_called_damaged(folder: Path) -> None:
    with pytest.raises(archive.ArchiveError, match=f"the archive has no file {DIGEST}"):
        archive.get(DIGEST)


def test_a_target_that_cannot_be_written_is_no_fault_of_the_archive(tmp_path: Path) -> None:
    archive.put_upload([DATA])
    with pytest.raises(FileNotFoundError):
        archive.copy_upload(DIGEST, tmp_path / "none" / "copy")


def test_uploads_of_a_site_of_before_are_found_after_its_migration(db: None, settings: Any, tmp_path: Path) -> None:
    settings.ARCHIVE_FOLDER = tmp_path
    alone, shared, session, gone = (archive.put(name) for name in (b"alone", b"shared", b"session", b"gone"))
    for digest in (alone, shared, session, "0" * 64):
        factories.make_submission(digest=digest)
    factories.make_submission(digest=gone, state="closed", outcome="taken_down")
    Task.objects.filter(pk=factories.make_task().pk).update(files={"kernel.hip": shared})
    factories.make_session(factories.make_run(status="passed").results.all()[0])
    AgentSession.objects.update(prompt_digest=session)
    migration = importlib.import_module("runs.migrations.0006_uploads_have_a_folder_of_their_own")
    for _ in range(2):
        migration.move_uploads(apps, None)
    assert {digest for digest, _ in archive.files_of(archive.UPLOADS)} == {alone, shared, session}
    assert [archive.has(digest) for digest in (alone, shared, session, gone)] == [False, True, True, True]
    archive.copy_upload(alone, tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == b"alone"
