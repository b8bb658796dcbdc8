"""Make a run's bundle small enough for `tasks/bundles/`: at most 8 kB a task instead of 50.

Of each timed block it keeps the median of each side, which alone enters a ratio, instead of ten readings; a finding of
each record says so, with the digest of the whole one. One compressed stream holds all files, since records are alike.

usage: scripts/slim_bundle.py RUN.zip tasks/bundles/NAME.tar.zst    prints the size; exit codes: 0, 1 refused, 2 usage
"""

from __future__ import annotations

import io
import json
import sys
import tarfile
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from statistics import median
from typing import Any

import zstandard

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from evaluator.bundles.archives.archive import read_members  # noqa: E402
from evaluator.bundles.problems import BundleError, BundleProblem  # noqa: E402
from evaluator.codec import DecodeError  # noqa: E402
from evaluator.records.record import read_record  # noqa: E402
from evaluator.unseen.record import read_unseen  # noqa: E402

SIDES = ("baseline_ns", "candidate_ns")
DIGITS = 7  # of a number, but for these:
BLOCK_DIGITS = 5  # of a median: 0.001 %, when a block varies by 0.1 %
CANARY_DIGITS = 3  # a block is void from 5 %
LEVEL = 22
CODE = "slim"
READERS: Mapping[str, Callable[[bytes], object]] = {"records/": read_record, "unseen/": read_unseen}


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        sys.stderr.write(f"{(__doc__ or '').splitlines()[-1]}\n")
        return 2
    source, target = map(Path, arguments)
    try:
        files = slim_files(source)
        tasks = len(json.loads(files["run.json"])["tasks"])
        target.write_bytes(packed(files))
    except (BundleError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    size = target.stat().st_size
    sys.stdout.write(f"{target}: {size / 1000:.0f} kB, {size / 1000 / tasks:.1f} kB a task\n")
    return 0


def slim_files(source: Path) -> dict[str, bytes]:
    """
    Raises:
        BundleError: the file cannot be read, or is not the bundle of a run.
    """
    files = dict(read_members(source))
    if "run.json" not in files:
        raise BundleError([BundleProblem(source.name, "no run.json in it", "the bundle of a run")])
    for name, data in files.items():
        read = next((read for folder, read in READERS.items() if name.startswith(folder)), None)
        if read is None:
            continue
        try:
            read(data)
            files[name] = slim(data)
            read(files[name])
        except DecodeError as error:
            raise BundleError([BundleProblem(f"{source.name}: {name}", str(error), "a record")]) from error
    return files


def slim(data: bytes) -> bytes:
    """Return the record, of seen or of unseen cases, with one reading a side in each block."""
    record: dict[str, Any] = json.loads(data, parse_float=lambda number: rounded(float(number), DIGITS))
    blocks = [block for case in record["cases"] for session in case["sessions"] for block in session["blocks"]]
    if not blocks or any(finding["code"] == CODE for finding in record["findings"]):
        return as_text(record)
    for block in blocks:
        block |= {side: [rounded(median(block[side]), BLOCK_DIGITS)] for side in SIDES if block[side]}
        block["canary_ns"] = [rounded(time, CANARY_DIGITS) for time in block["canary_ns"]]
    text = (
        "This copy of the record holds the median of each block, from which ratio and interval follow. The single "
        f"readings are not kept; the whole record's sha256 is {sha256(data).hexdigest()}."
    )
    record["findings"].append({"gate": "performance", "code": CODE, "text": text})
    return as_text(record)


def as_text(record: Mapping[str, Any]) -> bytes:
    return (json.dumps(record, sort_keys=True, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def rounded(number: float, digits: int) -> float:
    return float(f"{number:.{digits}g}")


def packed(files: Mapping[str, bytes]) -> bytes:
    """Return a .tar.zst of the files; the same files give the same bytes."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in sorted(files.items()):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return zstandard.ZstdCompressor(level=LEVEL).compress(stream.getvalue())


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
