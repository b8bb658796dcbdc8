"""Archives that must be refused: each a function of a folder to the path of what it wrote, with what the refusal says.

Run as a program it prints the processor time that each takes: python -m tests.bundles.hostile
"""

from __future__ import annotations

import gzip
import io
import os
import struct
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

MIB = 1 << 20
Make = Callable[[Path], Path]


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> Make:
    def make(folder: Path) -> Path:
        with zipfile.ZipFile(folder / "x.zip", "w", method) as file:
            for name, data in members:
                file.writestr(name, data)
        return folder / "x.zip"

    return make


def tarred(*members: tuple[tarfile.TarInfo, bytes], end: bytes = b"") -> Make:
    def make(folder: Path) -> Path:
        with tarfile.open(folder / "x.tar", "w", format=tarfile.PAX_FORMAT) as file:
            for info, data in members:
                info.size = len(data)
                file.addfile(info, io.BytesIO(data))
        with (folder / "x.tar").open("ab") as file:
            file.write(end)
        return folder / "x.tar"

    return make


def raw(name: str, data: bytes) -> Make:
    def make(folder: Path) -> Path:
        (folder / name).write_bytes(data)
        return folder / name

    return make


def special(kind: bytes, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo("records/x.json")
    info.type, info.linkname = kind, link
    return info


def renamed(path: str) -> tarfile.TarInfo:
    info = tarfile.TarInfo("a.json")
    info.pax_headers = {"path": path}
    return info


def linked_zip() -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("run.json")
    info.external_attr = 0o120777 << 16
    return info


def patched(make: Make, at: Callable[[bytes], int], value: bytes) -> Make:
    """The same file with a few bytes replaced."""

    def change(folder: Path) -> Path:
        path = make(folder)
        data = bytearray(path.read_bytes())
        position = at(bytes(data))
        data[position : position + len(value)] = value
        path.write_bytes(data)
        return path

    return change


def directory(offset: int) -> Callable[[bytes], int]:
    return lambda data: data.index(b"PK\1\2") + offset


def overlapping(folder: Path) -> Path:
    """Two entries of the directory that share one member's bytes."""
    path = zipped(("a.json", b"1" * 1000), ("b.json", b"1" * 1000))(folder)
    data = bytearray(path.read_bytes())
    second = data.rindex(b"PK\1\2")
    data[second + 42 : second + 46] = struct.pack("<L", 0)
    data[second + 46 : second + 52] = b"a.json"
    path.write_bytes(data)
    return path


def joined(*parts: Make | bytes) -> Make:
    """Zips and other bytes one behind the other."""

    def make(folder: Path) -> Path:
        data = b"".join(part if isinstance(part, bytes) else part(folder).read_bytes() for part in parts)
        (folder / "x.zip").write_bytes(data)
        return folder / "x.zip"

    return make


def commented(folder: Path) -> Path:
    """The end of another zip, without a member, in the comment at the end of this one."""
    with zipfile.ZipFile(folder / "x.zip", "w") as file:
        file.writestr("run.json", b"{}")
        file.comment = b"PK\5\6" + bytes(18)
    return folder / "x.zip"


def sized_by_extra(folder: Path) -> Path:
    """The directory says 2^62 bytes, in its 64-bit form for one member."""
    path, extra = PLAIN(folder), struct.pack("<HHQ", 1, 8, 2**62)
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\1\2")
    data[at + 24 : at + 28], data[at + 30 : at + 32] = b"\xff" * 4, struct.pack("<H", len(extra))
    data[at + 52 : at + 52] = extra
    end = data.rindex(b"PK\5\6") + 12
    data[end : end + 4] = struct.pack("<L", 52 + len(extra))
    path.write_bytes(data)
    return path


def packed_zeros(folder: Path) -> Path:
    """40 MiB in 40 kB."""
    with gzip.open(folder / "x.tar.gz", "wb", compresslevel=9) as file:
        info = tarfile.TarInfo("a.json")
        info.size = 40 * MIB
        file.write(info.tobuf())
        for _ in range(40):
            file.write(bytes(MIB))
    return folder / "x.tar.gz"


def packed_zstd(folder: Path) -> Path:
    import zstandard

    info = tarfile.TarInfo("a.json")
    info.size = 40 * MIB
    with zstandard.open(folder / "x.tar.zst", "wb") as file:
        file.write(info.tobuf())
        for _ in range(40):
            file.write(bytes(MIB))
    return folder / "x.tar.zst"


def wide_zstd(folder: Path) -> Path:
    """A frame that asks for a window of 2 GiB."""
    import zstandard

    packing = zstandard.ZstdCompressor(
        compression_params=zstandard.ZstdCompressionParameters(window_log=31, compression_level=3)
    ).compressobj()
    (folder / "x.tar.zst").write_bytes(packing.compress(header() + bytes(MIB)) + packing.flush())
    return folder / "x.tar.zst"


def checksummed(block: bytearray) -> bytes:
    block[148:156] = b"%06o\0 " % (sum(block[:148]) + 256 + sum(block[156:]))
    return bytes(block)


def header(name: bytes = b"a.json", kind: bytes = b"0", size: bytes = b"0") -> bytes:
    block = bytearray(512)
    block[: len(name)], block[156:157], block[257:265] = name, kind, b"ustar\x0000"
    block[124 : 124 + len(size)] = size
    return checksummed(block)


def many_links(folder: Path) -> Path:
    path = folder / "links"
    path.mkdir()
    (path / "run.json").symlink_to("/etc/passwd")
    (path / "records").symlink_to("/etc")
    return path


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


def pipe_inside(folder: Path) -> Path:
    (folder / "run").mkdir()
    return pipe(folder / "run").parent


def many_records(folder: Path) -> Path:
    """250 headers of 13,000 records each: 8 s where each record was cut from the front of the rest."""
    records = b"5 a=\n" * 13_000
    block = header(kind=b"x", size=b"%011o\0" % len(records)) + records + bytes(-len(records) % 512)
    (folder / "x.tar.gz").write_bytes(gzip.compress(block * 250, 1))
    return folder / "x.tar.gz"


def many_files(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "x.zip", "w") as file:
        for index in range(20_001):
            file.writestr(f"{index}.json", b"")
    return folder / "x.zip"


def lists_in_many_files(folder: Path) -> Path:
    """Some two million lists, 200 MiB in memory, in 10 kB: no file has too many by itself."""
    lists = b"[" + b"[]," * 300_000 + b"1]"
    return zipped(*((f"{number}/metrics.json", lists) for number in range(8)))(folder)


def nameless(folder: Path) -> Path:
    """Found by the fuzz: zipfile looks at the last letter of a name that has none."""
    return patched(PLAIN, directory(46), b"\0")(folder)


PLAIN = zipped(("a.json", b"{}"))
PAX_DIGITS = b"1" * 60_000
HOSTILE: dict[str, tuple[Make, str]] = {
    "zip: ../": (zipped(("../run.json", b"{}")), "leaves the bundle"),
    "zip: absolute": (zipped(("/run.json", b"{}")), "leaves the bundle"),
    "zip: .. in the middle": (zipped(("records/../../x", b"{}")), "leaves the bundle"),
    "zip: drive": (zipped(("C:/x.json", b"{}")), "leaves the bundle"),
    "zip: no name": (nameless, "a name that no file"),
    "zip: doubled slash": (zipped(("records//x.json", b"{}")), "plain form"),
    "zip: backslash": (zipped(("records\\x.json", b"{}")), "a name that no file"),
    "zip: escape": (zipped(("records/\x1b[2J.json", b"{}")), "a name that no file"),
    "zip: long name": (zipped(("x" * 301, b"{}")), "a name that no file"),
    "zip: deep": (zipped(("a/" * 16 + "x", b"{}")), "17 folders deep"),
    "zip: twice": (zipped(("a.json", b"1"), ("a.json", b"2")), "stands twice"),
    "zip: twice in another spelling": (zipped(("\xe9.json", b"1"), ("e\u0301.json", b"2")), "stands twice"),
    "zip: upper and lower case": (zipped(("run.json", b"{}"), ("RUN.json", b"{}")), "stands twice"),
    "zip: letters of another width": (zipped(("run.json", b"{}"), ("ｒun.json", b"{}")), "stands twice"),
    "zip: a name turned around": (zipped(("run\u202enosj.py", b"{}")), "a name that no file"),
    "zip: a letter of no width": (zipped(("run\u200b.json", b"{}")), "a name that no file"),
    "zip: file and folder": (zipped(("a", b"1"), ("a/b", b"2")), "stands twice"),
    "zip: link": (zipped((linked_zip(), b"/etc/passwd")), "a link"),
    "zip: encrypted": (patched(patched(PLAIN, directory(8), b"\1\0"), lambda data: 6, b"\1\0"), "encrypted"),
    "zip: encrypted by its directory": (patched(PLAIN, directory(8), b"\1\0"), "own header"),
    "zip: encrypted by its own header": (patched(PLAIN, lambda data: 6, b"\1\0"), "own header"),
    "zip: own header of another method": (patched(PLAIN, lambda data: 8, b"\0\0"), "own header"),
    "zip: own header of another size": (patched(PLAIN, lambda data: 22, b"\xff"), "own header"),
    "zip: own header of another checksum": (patched(PLAIN, lambda data: 14, b"\xff\xff"), "own header"),
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
        "cannot be read",
    ),
    "zip: says more than it holds": (patched(PLAIN, directory(24), b"\xff\xff\xff\x7f"), "in all|times its size"),
    "zip: other local name": (patched(PLAIN, lambda data: 30, b"b"), "cannot be read"),
    "zip: overlapping members": (overlapping, "over each other"),
    "zip: broken": (raw("x.zip", b"PK\3\4 broken"), "cannot be read"),
    "zip: damaged": (
        patched(zipped(("a.json", bytes(range(256)))), lambda data: 40, b"\xff\xff\xff"),
        "cannot be read",
    ),
    "zip: 20,001 files": (many_files, "at most 20000 files"),
    "zip: directory of 4 GB": (patched(PLAIN, lambda data: data.rindex(b"PK\5\6") + 12, b"\0\0\0\xf0"), "20000 files"),
    "zip: 64-bit": (patched(PLAIN, lambda data: data.rindex(b"PK\5\6") + 8, b"\xff\xff\xff\xff"), "64-bit"),
    "tar: ../": (tarred((tarfile.TarInfo("../x"), b"1")), "leaves the bundle"),
    "tar: ../ by an extended header": (tarred((renamed("../x"), b"1")), "leaves the bundle"),
    "tar: 250 headers of 13,000 records": (many_records, "cannot be read"),
    "tar: symbolic link": (tarred((special(tarfile.SYMTYPE, "/etc/passwd"), b"")), "a link"),
    "tar: hard link": (tarred((special(tarfile.LNKTYPE, "/etc/passwd"), b"")), "a link"),
    "tar: device": (tarred((special(tarfile.CHRTYPE), b"")), "special file"),
    "tar: pipe": (tarred((special(tarfile.FIFOTYPE), b"")), "special file"),
    "tar: sparse": (tarred((special(tarfile.GNUTYPE_SPARSE), b"")), "special file"),
    "tar: twice": (tarred((tarfile.TarInfo("a"), b"1"), (tarfile.TarInfo("a"), b"2")), "stands twice"),
    "tar: says more than it holds": (raw("x.tar", header(size=b"00000000777\0") + bytes(512)), "in the middle"),
    "tar: size below zero": (raw("x.tar", header(size=b"\xff" * 12) + bytes(1024)), "below zero"),
    "tar: size of 2^80": (raw("x.tar", header(size=b"\x80\xff" + bytes(10)) + bytes(1024)), "in the middle"),
    "tar: header of 1 GB": (raw("x.tar", header(kind=b"x", size=b"10000000000\0")), "extended header of more"),
    "tar: header of digits": (
        raw("x.tar", header(kind=b"x", size=b"00000165140\0") + PAX_DIGITS + bytes(1024)),
        "that is none",
    ),
    "tar: other checksum": (patched(tarred((tarfile.TarInfo("a"), b"1")), lambda data: 0, b"b"), "checksum"),
    "tar.gz: bomb": (packed_zeros, "times its size|at most"),
    "tar.gz: name without an end": (raw("x.gz", b"\x1f\x8b\x08\x08" + b"\0" * 6 + b"a" * 4 * MIB), "cannot be read"),
    "tar.gz: no tar": (raw("x.gz", gzip.compress(b'{"a": 1}' * 100)), "cannot be read"),
    "tar.zst: bomb": (packed_zstd, "times its size|at most"),
    "tar.zst: window of 2 GiB": (wide_zstd, "too much memory"),
    "tar.zst: broken": (raw("x.zst", b"\x28\xb5\x2f\xfd" + b"\xff" * 100), "cannot be read"),
    "folder: links": (many_links, "a link"),
    "folder: pipe": (pipe_inside, "special file"),
    "a pipe": (pipe, "cannot be read"),
    "too large on disk": (raw("x.zip", b"PK\3\4" + bytes(129 * MIB)), "at most 128 MiB"),
    "nothing there": (lambda folder: folder / "missing", "cannot be read"),
    "a device": (lambda folder: Path("/dev/zero"), "cannot be read"),
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
