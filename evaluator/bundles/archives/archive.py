"""Reads the members of a folder, zip or tar; each is checked by name, kind and size before it is read.

Members' names never become file names on this host, declared sizes are not trusted, and all bad names are reported
together.
"""

from __future__ import annotations

import os
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from evaluator.bundles.archives.contents import Contents
from evaluator.bundles.archives.limits import LIMITS, Budget, ReadLimits
from evaluator.bundles.archives.members import LINK, MalformedArchive, Member, chunks_of
from evaluator.bundles.archives.tars import COMPRESSIONS, is_tar, tar_members
from evaluator.bundles.archives.zips import is_zip, zip_members
from evaluator.bundles.problems import BundleError, BundleProblem, is_invisible, shown, shown_place
from evaluator.codec import plain_text
from evaluator.wording import counted

_UNREADABLE = (
    *(OSError, zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, RuntimeError, EOFError, ValueError),
    OverflowError,
)
UNSUPPORTED = {b"\xfd7zXZ\0": "xz data", b"BZh": "bzip2 data", b"7z\xbc\xaf\x27\x1c": "a 7z archive"}
SUPPORTED = "a folder, a zip, a tar (plain, .gz or .zst) or one JSON or YAML file"
COPY_LINKS = "Put the files in place of links to them: `cp -rL FOLDER COPY`, or `tar --dereference` for an archive"


def read_members(path: Path, limits: ReadLimits = LIMITS, name: str = "") -> Contents:
    """The contents of every plain file by name. `name` is the original file name of an uploaded archive.

    Raises:
        BundleError: the bundle does not exist, exceeds a limit, or has a member that no bundle may have.
    """
    try:
        if path.is_dir():
            return _collect(_in_folder(path), Budget(path.name, limits.archive_bytes, limits))
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:  # opening a pipe would block
            return _in_file(file, name or path.name, limits)
    except (*_UNREADABLE, MalformedArchive) as error:
        text = str(error) or type(error).__name__
        raise BundleError([BundleProblem(path.name, shown(f"an unreadable file ({text})"), SUPPORTED)]) from error


def digest_of(files: Mapping[str, bytes]) -> str:
    """The sha256 over names and contents, which is the same for a folder and its zip."""
    lines = [f"{name}\0{sha256(files[name]).hexdigest()}\n" for name in sorted(files)]  # one file in memory at a time
    return sha256("".join(lines).encode()).hexdigest()


def _in_file(file: BinaryIO, name: str, limits: ReadLimits) -> Contents:
    facts = os.fstat(file.fileno())
    if not stat.S_ISREG(facts.st_mode):
        raise MalformedArchive("not a plain file")
    budget = Budget(name, facts.st_size, limits)
    start = file.read(512)
    file.seek(0)
    if is_zip(start):
        return _collect(zip_members(file, budget), budget)
    if is_tar(start) or start.startswith(COMPRESSIONS):
        return _collect(tar_members(file, start, budget), budget)
    if unsupported := [kind for mark, kind in UNSUPPORTED.items() if start.startswith(mark)]:
        raise MalformedArchive(unsupported[0])
    return _collect(iter([Member(name, None, chunks_of(file.read))]), budget)


def _in_folder(folder: Path) -> Iterator[Member]:
    waiting = [folder]
    while waiting:
        for entry in sorted(os.scandir(waiting.pop()), key=lambda entry: entry.name):
            name = Path(entry.path).relative_to(folder).as_posix()
            if entry.is_dir(follow_symlinks=False):
                waiting.append(Path(entry.path))
                yield Member(name, None, None)
            else:
                is_plain = entry.is_file(follow_symlinks=False)
                yield Member(name, None if is_plain else LINK, _chunks_at(entry.path))


def _chunks_at(path: str) -> Iterator[bytes]:
    """The bytes of a file, which is opened only when they are read, and not if a link has replaced it."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        yield from chunks_of(file.read)


def _collect(members: Iterator[Member], budget: Budget) -> Contents:
    files, names, problems = Contents(), _Names(budget), list[BundleProblem]()
    for member in members:
        budget.count_member()
        problem = names.problem(member)
        if problem is None and member.chunks is not None:
            size = files.add(member.name, _bounded(member.chunks, budget))
            if size > budget.limits.member_bytes:
                problem = BundleProblem(member.name, "more", f"at most {budget.limits.member_bytes >> 20} MiB per file")
        if problem is not None:
            problems.append(problem)
    if problems:
        more = len(problems) - budget.limits.problems
        rest = [BundleProblem(budget.place, counted(more, "more problem"), "none")] if more > 0 else []
        raise BundleError(problems[: budget.limits.problems] + rest)
    return files


def _bounded(chunks: Iterator[bytes], budget: Budget) -> Iterator[bytes]:
    """The chunks up to the size limit and at most one more, whatever size a header declares."""
    size = 0
    for chunk in chunks:
        budget.unpack(len(chunk))
        yield chunk
        size += len(chunk)
        if size > budget.limits.member_bytes:
            break


class _Names:
    """Checks members' names, also against the names before them."""

    def __init__(self, budget: Budget) -> None:
        self.budget, self.limits, self.files, self.folders = budget, budget.limits, set[str](), set[str]()

    def problem(self, member: Member) -> BundleProblem | None:
        """The problem of a member's name or kind; None if it is a folder or may be read."""
        text = self._text(member.name.rstrip("/") if member.chunks is None else member.name, member)
        hint = COPY_LINKS if member.problem == LINK else ""
        return BundleProblem(shown_place(member.name), *text, hint) if text else None

    def _text(self, name: str, member: Member) -> tuple[str, str] | None:
        path = PurePosixPath(name)
        is_plain = name == plain_text(name) and "\\" not in name and not any(map(is_invisible, name))
        if len(name) > self.limits.name_characters or not is_plain or not path.parts:
            return "an invalid name", f"at most {self.limits.name_characters} plain characters"
        if path.is_absolute() or ".." in path.parts or path.as_posix() != name or path.parts[0].endswith(":"):
            return "a path that leaves the bundle, or is not normalised", "a relative path"
        if len(path.parts) > self.limits.depth:
            return f"{len(path.parts)} folders deep", f"at most {self.limits.depth}"
        if member.problem:
            return member.problem, "a plain file"
        return self._duplicate_name(unicodedata.normalize("NFKC", name).casefold(), is_folder=member.chunks is None)

    def _duplicate_name(self, name: str, *, is_folder: bool) -> tuple[str, str] | None:
        if len(name) > self.limits.name_characters:  # one letter may stand for 18
            return "an invalid name", f"at most {self.limits.name_characters} plain characters"
        above = {str(parent) for parent in PurePosixPath(name).parents} - {"."}
        for _ in above - self.folders:  # folders that are no members: 20,000 files may name 300,000
            self.budget.count_member()
        if name in self.files or above & self.files or (not is_folder and name in self.folders):
            return "a duplicate name", "each name once, in one spelling, as a file or as a folder"
        (self.folders if is_folder else self.files).add(name)
        self.folders |= above
        return None
