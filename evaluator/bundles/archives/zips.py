"""Members of a zip. Its directory is judged before zipfile reads it: that would hold a million entries in memory."""

from __future__ import annotations

import os
import stat
import struct
import zipfile
from collections.abc import Iterator
from typing import Any, BinaryIO

from evaluator.bundles.archives.limits import Budget
from evaluator.bundles.archives.members import Malformed, Member, chunks_of

END = struct.Struct("<4s4H2LH")
END_SIGNATURE, END64_LOCATOR, END64_LOCATOR_BYTES = b"PK\5\6", b"PK\6\7", 20
LOCAL = struct.Struct("<4s5H3L2H")  # the header before a member
DESCRIPTOR = 0x8  # sizes and checksum stand behind the member, in these many bytes at most
DESCRIPTOR_BYTES = 24
ENTRY_BYTES = 512  # of the directory: a name of 300 characters, and what tools add to it
ENCRYPTED = 0x1 | 0x40  # weak and strong
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others need memory that nobody can bound


def is_zip(start: bytes) -> bool:
    return start.startswith((b"PK\3\4", END_SIGNATURE))


def zip_members(file: BinaryIO, budget: Budget) -> Iterator[Member]:
    """Raises Malformed or BadZipFile where the directory contradicts itself."""
    _check_directory(file, budget)
    with zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
        _check_sizes(entries, budget)
        _check_headers(file, archive.start_dir, entries)
        for info in entries:
            if info.filename.endswith("/"):  # zipfile's is_dir fails on a name without a letter
                yield Member(info.filename, "a folder that holds bytes" if info.file_size else None, None)
            else:
                yield Member(info.filename, _problem(info), _chunks(archive, info))


def _check_directory(file: BinaryIO, budget: Budget) -> None:
    """Find the record at the end as zipfile does; refuse a directory that is too long, or of the 64-bit form."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - END.size - 0xFFFF))
    tail = file.read()
    position = len(tail) - END.size
    if not tail[max(position, 0) :].startswith(END_SIGNATURE):
        position = tail.rfind(END_SIGNATURE)
    if position < 0 or len(tail) - position < END.size:
        raise Malformed("a zip without its directory")
    _, disk, first_disk, _, count, directory_bytes, _, _ = END.unpack_from(tail, position)
    locator = tail[max(0, position - END64_LOCATOR_BYTES) :]
    if locator.startswith(END64_LOCATOR) or 0xFFFF in (disk, first_disk, count):
        raise Malformed("a zip of the 64-bit form; a bundle needs none")
    if directory_bytes > budget.limits.members * ENTRY_BYTES or count > budget.limits.members:
        budget.refuse("more", f"at most {budget.limits.members} files and folders")
    file.seek(0)


def _check_sizes(entries: list[zipfile.ZipInfo], budget: Budget) -> None:
    """What is said to be there, before any of it is read."""
    declared = Budget(budget.place, budget.packed_bytes, budget.limits)
    for info in entries:
        declared.unpack(info.file_size)


def _check_headers(file: BinaryIO, directory: int, entries: list[zipfile.ZipInfo]) -> None:
    """Members lie one behind the other up to the directory, and say of themselves what it says of them.

    So every reader finds the same in it, and nothing is in it that no reader finds.
    """
    end, slack = 0, 0
    for info in sorted(entries, key=lambda info: info.header_offset):
        if info.header_offset < end:
            raise Malformed("members that lie over each other")
        _check_gap(end + slack, info.header_offset)
        file.seek(info.header_offset)
        header = LOCAL.unpack(file.read(LOCAL.size).ljust(LOCAL.size, b"\0"))
        if _differs(header, info):
            raise Malformed(f"a member whose own header says something else than the directory: {info.filename}")
        end = info.header_offset + LOCAL.size + header[9] + header[10] + info.compress_size
        slack = DESCRIPTOR_BYTES if info.flag_bits & DESCRIPTOR else 0
    if directory < end:
        raise Malformed("members that lie over each other")
    _check_gap(end + slack, directory)


def _check_gap(end: int, begin: int) -> None:
    if begin > end:
        raise Malformed("bytes that belong to no member")


def _differs(header: tuple[Any, ...], info: zipfile.ZipInfo) -> bool:
    """Of its name zipfile speaks when the member is read."""
    _, _, flags, method, _, _, checksum, packed, size, _, _ = header
    sizes = (checksum, packed, size) == (info.CRC, info.compress_size, info.file_size)
    return (flags, method) != (info.flag_bits, info.compress_type) or not (sizes or flags & DESCRIPTOR)


def _problem(info: zipfile.ZipInfo) -> str | None:
    if info.flag_bits & ENCRYPTED:
        return "an encrypted member"
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
        return "a link or special file"
    return None if info.compress_type in METHODS else "another compression than deflate"


def _chunks(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """Header and directory are held against each other when it is opened, its checksum when it ends."""
    with archive.open(info) as stream:
        yield from chunks_of(stream.read)
