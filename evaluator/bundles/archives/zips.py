"""Reads the members of a zip. Its directory is checked before zipfile reads all of it into memory."""

from __future__ import annotations

import os
import stat
import struct
import zipfile
from collections.abc import Iterator
from typing import Any, BinaryIO

from evaluator.bundles.archives.limits import Budget
from evaluator.bundles.archives.members import LINK, MalformedArchive, Member, chunks_of

END = struct.Struct("<4s4H2LH")
END_SIGNATURE, END64_LOCATOR, END64_LOCATOR_BYTES = b"PK\5\6", b"PK\6\7", 20
ENTRY = struct.Struct("<28x3H12x")  # of the directory: the lengths of name, extra fields and comment, which follow it
LOCAL = struct.Struct("<4s5H3L2H")  # the header before a member
DESCRIPTOR = 0x8  # the flag for sizes and checksum in a descriptor after the member
DESCRIPTOR_BYTES = 24  # at most
ENTRY_BYTES = 512  # per entry of the directory: a name of 300 characters and tools' extra fields
ENCRYPTED = 0x1 | 0x40  # weak and strong
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others need an unlimited amount of memory


def is_zip(start: bytes) -> bool:
    return start.startswith((b"PK\3\4", END_SIGNATURE))


def zip_members(file: BinaryIO, budget: Budget) -> Iterator[Member]:
    """The members, in order; raises MalformedArchive or BadZipFile if the directory is inconsistent."""
    _check_directory(file, budget)
    with zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
        _check_sizes(entries, budget)
        _check_headers(file, archive.start_dir, entries)
        for info in entries:
            if info.filename.endswith("/"):  # zipfile's is_dir fails on an empty name
                yield Member(info.filename, "a folder that holds bytes" if info.file_size else None, None)
            else:
                yield Member(info.filename, _problem(info), _chunks(archive, info))


def _check_directory(file: BinaryIO, budget: Budget) -> None:
    """Refuse a directory that is too long, in the 64-bit form or of another length than its end record says.

    The end record is found as zipfile does.
    """
    size = file.seek(0, os.SEEK_END)
    start = file.seek(max(0, size - END.size - 0xFFFF))
    tail = file.read()
    position = len(tail) - END.size
    if not tail[max(position, 0) :].startswith(END_SIGNATURE):
        position = tail.rfind(END_SIGNATURE)
    if position < 0 or len(tail) - position < END.size:
        raise MalformedArchive("a zip without its directory")
    _, disk, first_disk, _, count, directory_bytes, _, _ = END.unpack_from(tail, position)
    locator = tail[max(0, position - END64_LOCATOR_BYTES) :]
    if locator.startswith(END64_LOCATOR) or 0xFFFF in (disk, first_disk, count):
        raise MalformedArchive("a zip in the 64-bit form, which no bundle needs")
    if directory_bytes > budget.limits.members * ENTRY_BYTES or count > budget.limits.members:
        budget.refuse("more", f"at most {budget.limits.members} files and folders")
    if directory_bytes > start + position:
        raise MalformedArchive("a zip without its directory")
    file.seek(start + position - directory_bytes)
    if _entries(file.read(directory_bytes)) != count:  # zipfile reads all that are there, 217,000 of one letter each
        raise MalformedArchive(f"a directory of more or fewer than the {count} members that it says")
    file.seek(0)


def _entries(directory: bytes) -> int:
    count = at = 0
    while at + ENTRY.size <= len(directory):
        at += ENTRY.size + sum(ENTRY.unpack_from(directory, at))
        count += 1
    return count


def _check_sizes(entries: list[zipfile.ZipInfo], budget: Budget) -> None:
    """Check the declared sizes against the limits before anything is read."""
    declared = Budget(budget.place, budget.packed_bytes, budget.limits)
    for info in entries:
        declared.unpack(info.file_size)


def _check_headers(file: BinaryIO, directory: int, entries: list[zipfile.ZipInfo]) -> None:
    """Check that members follow each other up to the directory, and that their headers agree with it.

    This way all readers find the same members, and there are no bytes that a reader would miss.
    """
    end, slack = 0, 0
    for info in sorted(entries, key=lambda info: info.header_offset):
        if info.header_offset < end:
            raise MalformedArchive("overlapping members")
        _check_gap(end + slack, info.header_offset)
        file.seek(info.header_offset)
        header = LOCAL.unpack(file.read(LOCAL.size).ljust(LOCAL.size, b"\0"))
        if _header_differs(header, info):
            raise MalformedArchive(f"a member whose header differs from the directory: {info.filename}")
        end = info.header_offset + LOCAL.size + header[9] + header[10] + info.compress_size
        slack = DESCRIPTOR_BYTES if info.flag_bits & DESCRIPTOR else 0
    if directory < end:
        raise MalformedArchive("overlapping members")
    _check_gap(end + slack, directory)


def _check_gap(end: int, begin: int) -> None:
    if begin > end:
        raise MalformedArchive("bytes that belong to no member")


def _header_differs(header: tuple[Any, ...], info: zipfile.ZipInfo) -> bool:
    """Whether a member's header differs from the directory; zipfile itself compares the names on reading."""
    _, _, flags, method, _, _, checksum, packed, size, _, _ = header
    sizes = (checksum, packed, size) == (info.CRC, info.compress_size, info.file_size)
    return (flags, method) != (info.flag_bits, info.compress_type) or not (sizes or flags & DESCRIPTOR)


def _problem(info: zipfile.ZipInfo) -> str | None:
    if info.flag_bits & ENCRYPTED:
        return "an encrypted member"
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
        return LINK
    return None if info.compress_type in METHODS else "another compression than deflate"


def _chunks(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """A member's bytes; zipfile checks its header on opening, and its checksum at the end."""
    with archive.open(info) as stream:
        yield from chunks_of(stream.read)
