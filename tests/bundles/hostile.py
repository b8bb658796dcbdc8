"""Archives that must be refused, each with a part of the refusal's text; hostile_files.py makes them.

Run as a program it prints the processor time that each takes: python -m tests.bundles.hostile
"""

from __future__ import annotations

import gzip
import lzma
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

from tests.bundles.hostile_files import (
    MIB,
    PLAIN,
    Make,
    commented,
    directory,
    folders_that_are_no_members,
    header,
    joined,
    linked_zip,
    lists_in_many_files,
    many_files,
    many_links,
    many_records,
    members_beyond_the_count,
    nameless,
    names_that_grow,
    overlapping,
    packed_zeros,
    packed_zstd,
    patched,
    pipe,
    pipe_inside,
    raw,
    records_without_a_member,
    renamed,
    sized_by_extra,
    special,
    tarred,
    wide_zstd,
    zipped,
)

PAX_DIGITS = b"1" * 60_000
HOSTILE: dict[str, tuple[Make, str]] = {
    "zip: ../": (zipped(("../run.json", b"{}")), "leaves the bundle"),
    "zip: absolute": (zipped(("/run.json", b"{}")), "leaves the bundle"),
    "zip: .. in the middle": (zipped(("records/../../x", b"{}")), "leaves the bundle"),
    "zip: drive": (zipped(("C:/x.json", b"{}")), "leaves the bundle"),
    "zip: no name": (nameless, "an invalid name"),
    "zip: doubled slash": (zipped(("records//x.json", b"{}")), "not normalised"),
    "zip: backslash": (zipped(("records\\x.json", b"{}")), "an invalid name"),
    "zip: escape": (zipped(("records/\x1b[2J.json", b"{}")), "an invalid name"),
    "zip: long name": (zipped(("x" * 301, b"{}")), "an invalid name"),
    "zip: deep": (zipped(("a/" * 16 + "x", b"{}")), "17 folders deep"),
    "zip: twice": (zipped(("a.json", b"1"), ("a.json", b"2")), "a duplicate name"),
    "zip: twice in another spelling": (zipped(("\xe9.json", b"1"), ("e\u0301.json", b"2")), "a duplicate name"),
    "zip: upper and lower case": (zipped(("run.json", b"{}"), ("RUN.json", b"{}")), "a duplicate name"),
    "zip: letters of another width": (zipped(("run.json", b"{}"), ("ｒun.json", b"{}")), "a duplicate name"),
    "zip: a name turned around": (zipped(("run\u202enosj.py", b"{}")), "an invalid name"),
    "zip: a letter of no width": (zipped(("run\u200b.json", b"{}")), "an invalid name"),
    "zip: file and folder": (zipped(("a", b"1"), ("a/b", b"2")), "a duplicate name"),
    "zip: link": (zipped((linked_zip(), b"/etc/passwd")), "a link"),
    "zip: encrypted": (patched(patched(PLAIN, directory(8), b"\1\0"), lambda data: 6, b"\1\0"), "encrypted"),
    "zip: encrypted by its directory": (patched(PLAIN, directory(8), b"\1\0"), "header differs"),
    "zip: encrypted by its own header": (patched(PLAIN, lambda data: 6, b"\1\0"), "header differs"),
    "zip: own header of another method": (patched(PLAIN, lambda data: 8, b"\0\0"), "header differs"),
    "zip: own header of another size": (patched(PLAIN, lambda data: 22, b"\xff"), "header differs"),
    "zip: own header of another checksum": (patched(PLAIN, lambda data: 14, b"\xff\xff"), "header differs"),
    "zip: one behind another": (joined(PLAIN, PLAIN), "belong to no member"),
    "zip: bytes before it": (joined(b"PK\3\4" + bytes(100), PLAIN), "belong to no member"),
    "zip: another end in its comment": (commented, "belong to no member"),
    "zip: 2^62 bytes by a 64-bit field": (sized_by_extra, "in all"),
    "zip: bzip2": (zipped(("a.json", b"{}" * 99), method=zipfile.ZIP_BZIP2), "another compression"),
    "zip: lzma": (zipped(("a.json", b"{}" * 99), method=zipfile.ZIP_LZMA), "another compression"),
    "zip: bomb": (zipped(("a.json", bytes(40 * MIB))), "times its size"),
    "zip: many bombs": (zipped(*((f"{i}.json", bytes(2 * MIB)) for i in range(30))), "times its size|in all"),
    "zip: says less than it holds": (
        patched(zipped(("a.json", b"1" * 5000)), directory(24), b"\5\0\0\0"),
        "an unreadable file",
    ),
    "zip: says more than it holds": (patched(PLAIN, directory(24), b"\xff\xff\xff\x7f"), "in all|times its size"),
    "zip: other local name": (patched(PLAIN, lambda data: 30, b"b"), "an unreadable file"),
    "zip: overlapping members": (overlapping, "overlapping members"),
    "zip: broken": (raw("x.zip", b"PK\3\4 broken"), "an unreadable file"),
    "zip: damaged": (
        patched(zipped(("a.json", bytes(range(256)))), lambda data: 40, b"\xff\xff\xff"),
        "an unreadable file",
    ),
    "zip: 20,001 files": (many_files, "at most 20000 files"),
    "zip: directory of 4 GB": (patched(PLAIN, lambda data: data.rindex(b"PK\5\6") + 12, b"\0\0\0\xf0"), "20000 files"),
    "zip: 64-bit": (patched(PLAIN, lambda data: data.rindex(b"PK\5\6") + 8, b"\xff\xff\xff\xff"), "64-bit"),
    "zip: more members than it says": (members_beyond_the_count, "more or fewer than the 1 members"),
    "tar: ../": (tarred((tarfile.TarInfo("../x"), b"1")), "leaves the bundle"),
    "tar: ../ by an extended header": (tarred((renamed("../x"), b"1")), "leaves the bundle"),
    "tar: 250 headers of 13,000 records": (many_records, "an unreadable file"),
    "tar: headers without a member": (records_without_a_member, "extended headers before one member"),
    "tar: names that grow": (names_that_grow, "an invalid name"),
    "tar: folders that are no members": (folders_that_are_no_members, "at most 20000 files and folders"),
    "tar: symbolic link": (tarred((special(tarfile.SYMTYPE, "/etc/passwd"), b"")), "a link"),
    "tar: hard link": (tarred((special(tarfile.LNKTYPE, "/etc/passwd"), b"")), "a link"),
    "tar: device": (tarred((special(tarfile.CHRTYPE), b"")), "special file"),
    "tar: pipe": (tarred((special(tarfile.FIFOTYPE), b"")), "special file"),
    "tar: sparse": (tarred((special(tarfile.GNUTYPE_SPARSE), b"")), "special file"),
    "tar: twice": (tarred((tarfile.TarInfo("a"), b"1"), (tarfile.TarInfo("a"), b"2")), "a duplicate name"),
    "tar: says more than it holds": (raw("x.tar", header(size=b"00000000777\0") + bytes(512)), "in the middle"),
    "tar: size below zero": (raw("x.tar", header(size=b"\xff" * 12) + bytes(1024)), "a negative size"),
    "tar: size of 2^80": (raw("x.tar", header(size=b"\x80\xff" + bytes(10)) + bytes(1024)), "in the middle"),
    "tar: header of 1 GB": (raw("x.tar", header(kind=b"x", size=b"10000000000\0")), "extended header of more"),
    "tar: header of digits": (
        raw("x.tar", header(kind=b"x", size=b"00000165140\0") + PAX_DIGITS + bytes(1024)),
        "an invalid extended header",
    ),
    "tar: other checksum": (patched(tarred((tarfile.TarInfo("a"), b"1")), lambda data: 0, b"b"), "checksum"),
    "tar.gz: bomb": (packed_zeros, "times its size|at most"),
    "tar.gz: name without an end": (
        raw("x.gz", b"\x1f\x8b\x08\x08" + b"\0" * 6 + b"a" * 4 * MIB),
        "an unreadable file",
    ),
    "tar.gz: no tar": (raw("x.gz", gzip.compress(b'{"a": 1}' * 100)), "an unreadable file"),
    "tar.zst: bomb": (packed_zstd, "times its size|at most"),
    "tar.zst: window of 2 GiB": (wide_zstd, "too much memory"),
    "tar.zst: broken": (raw("x.zst", b"\x28\xb5\x2f\xfd" + b"\xff" * 100), "an unreadable file"),
    "tar.xz": (raw("x.tar.xz", lzma.compress(header() + bytes(1024))), "xz data"),
    "folder: links": (many_links, "a link"),
    "folder: pipe": (pipe_inside, "special file"),
    "a pipe": (pipe, "an unreadable file"),
    "too large on disk": (raw("x.zip", b"PK\3\4" + bytes(129 * MIB)), "at most 128 MiB"),
    "nothing there": (lambda folder: folder / "missing", "an unreadable file"),
    "a device": (lambda folder: Path("/dev/zero"), "an unreadable file"),
    "YAML: aliases": (raw("task_result.yaml", b"a: &a [1]\nb: [*a, *a]\n"), "anchor or alias"),
    "YAML: tag": (raw("task_result.yaml", b"task_name: !!python/object:os.system x\n"), "the tag"),
    "YAML: deep": (raw("task_result.yaml", b"[" * MIB), "nest"),
    "JSON: UTF-16": (raw("metrics.json", '{"a": 1}'.encode("utf-16")), "not UTF-8"),
    "JSON: deep": (raw("metrics.json", b'{"a":' * 100_000), "nest"),
    "JSON: a key twice": (raw("metrics.json", b'{"a": 1, "a": 2}'), "twice"),
    "JSON: lists in many files": (lists_in_many_files, "values in all files together"),
    "JSON: ten million lists": (raw("metrics.json", b"[" + b"[]," * (10 * MIB) + b"1]"), "more than 2000000"),
}


def main() -> None:
    from evaluator.bundles.checking import check

    for name, (make, _) in HOSTILE.items():
        with tempfile.TemporaryDirectory() as folder:
            path = make(Path(folder))
            begun = time.process_time()
            checked = check(path)
            spent = time.process_time() - begun
        sys.stdout.write(
            f"{name:34} {spent * 1000:8.1f} ms  {checked.problems[0].seen if checked.problems else 'TAKEN'}\n"
        )


if __name__ == "__main__":
    main()
