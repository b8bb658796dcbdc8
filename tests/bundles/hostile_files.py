"""Makers of archives that must be refused: functions from a folder to the path of the new archive."""

from __future__ import annotations

import gzip
import io
import os
import struct
import tarfile
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


def records_without_a_member(folder: Path) -> Path:
    """Headers in a row whose records all have other keys: 4 MB, which took 132 MiB of memory where all were kept."""
    keys = iter(range(10**9))
    headers = (_extended(b"".join(_record(b"%06x" % next(keys), b"") for _ in range(4000))) for _ in range(35))
    return raw("x.tar.gz", gzip.compress(b"".join(headers), 1))(folder)


def names_that_grow(folder: Path) -> Path:
    """Names of letters that stand for 18 when they are normalised: 1 MB took a GiB where every folder was kept."""
    return _long_named(folder, 300, "\ufdfa" * 10)


def folders_that_are_no_members(folder: Path) -> Path:
    return _long_named(folder, 1400, "a" * 10)


def _long_named(folder: Path, members: int, part: str) -> Path:
    names = ("/".join(f"{member:x}_{depth}{part}" for depth in range(15)) for member in range(members))
    tar = b"".join(_extended(_record(b"path", name.encode())) + header() for name in names)
    return raw("x.tar.gz", gzip.compress(tar + bytes(1024), 1))(folder)


def _extended(records: bytes) -> bytes:
    return header(kind=b"x", size=b"%011o\0" % len(records)) + records + bytes(-len(records) % 512)


def _record(key: bytes, value: bytes) -> bytes:
    text = b" %s=%s\n" % (key, value)
    length = next(length for length in range(len(text), len(text) + 9) if len(b"%d" % length) + len(text) == length)
    return b"%d%s" % (length, text)


def members_beyond_the_count(folder: Path) -> Path:
    """A directory of 50,000 members of one letter, whose end record says one."""
    data = bytearray(PLAIN(folder).read_bytes())
    at, end = data.index(b"PK\1\2"), data.rindex(b"PK\5\6")
    entry = data[at : at + 28] + b"\1\0" + data[at + 30 : at + 46]
    many = b"".join(bytes(entry) + b"abcdefgh"[number % 8 :][:1] for number in range(50_000))
    struct.pack_into("<L", data, end + 12, len(many))
    return raw("x.zip", bytes(data[:at]) + many + bytes(data[end:]))(folder)


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
