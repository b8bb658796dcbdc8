"""The archive's files: checked when read, healed when the same content comes again."""

from __future__ import annotations

import gzip
import hashlib
import io
from collections.abc import Callable
from pathlib import Path

import pytest

from runs import archive

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
    "put_chunks": lambda: archive.put_chunks([DATA[:100], DATA[100:]]),
    "put_packed": lambda: archive.put_packed(io.BytesIO(gzip.compress(DATA)), DIGEST),
}


@pytest.fixture(autouse=True)
def folder(settings, tmp_path: Path) -> Path:
    settings.ARCHIVE_FOLDER = tmp_path / "archive"
    return Path(settings.ARCHIVE_FOLDER)


def path_in(folder: Path) -> Path:
    return folder / DIGEST[:2] / f"{DIGEST}.gz"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_named_and_healed_by_the_same_content(
    folder: Path, tmp_path: Path, damage: str, way: str
) -> None:
    archive.put(DATA)
    path = path_in(folder)
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    for read in (lambda: archive.get(DIGEST), lambda: archive.copy_to(DIGEST, tmp_path / "copy")):
        with pytest.raises(archive.ArchiveError, match=f"the archive's file {DIGEST} is damaged"):
            read()
    WAYS[way]()
    assert archive.get(DIGEST) == DATA
    assert [found for found in folder.rglob("*") if found.is_file()] == [path]


@pytest.mark.parametrize("way", WAYS)
def test_a_whole_file_is_never_written_again(folder: Path, way: str) -> None:
    archive.put(DATA)
    before = path_in(folder).stat()
    WAYS[way]()
    after = path_in(folder).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_a_missing_file_is_not_called_damaged(folder: Path) -> None:
    with pytest.raises(archive.ArchiveError, match=f"the archive has no file {DIGEST}"):
        archive.get(DIGEST)


def test_a_target_that_cannot_be_written_is_no_fault_of_the_archive(tmp_path: Path) -> None:
    archive.put(DATA)
    with pytest.raises(FileNotFoundError):
        archive.copy_to(DIGEST, tmp_path / "none" / "copy")
