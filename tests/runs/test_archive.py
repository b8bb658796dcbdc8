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
    here, gone, nowhere = archive.put(b"an upload"), archive.put(b"a source, too"), "0" * 64
    factories.make_submission(digest=here)
    factories.make_submission(digest=gone, state="closed", outcome="taken_down")
    factories.make_submission(digest=nowhere)
    migration = importlib.import_module("runs.migrations.0006_uploads_have_a_folder_of_their_own")
    for _ in range(2):
        migration.link_uploads(apps, None)
    assert [digest for digest, _ in archive.files_of(archive.UPLOADS)] == [here]
    archive.copy_upload(here, tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == b"an upload"
    assert archive.get(here) == b"an upload", "a record may have the same bytes"
