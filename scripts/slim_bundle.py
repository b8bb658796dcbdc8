"""Make a run's bundle small enough for `tasks/bundles/`: at most 8 kB a task instead of 16 to 60.

Of each timed block it keeps the median of each side, which alone enters a ratio, instead of ten readings; every number
has seven significant digits. Nothing else changes, and a finding of each record says what was removed.

usage: scripts/slim_bundle.py RUN.zip tasks/bundles/NAME.zip     prints the size; exit codes: 0 written, 2 usage
"""

from __future__ import annotations

import json
import sys
import tempfile
import zipfile
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from evaluator.bundles.archives.packing import write_zip  # noqa: E402
from evaluator.records.record import read_record  # noqa: E402

SIDES = ("baseline_ns", "candidate_ns")
FINDING = {
    "gate": "performance",
    "code": "slim",
    "text": "This copy of the record holds the median of each block; the single readings were removed to save space.",
}


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        sys.stderr.write(f"{(__doc__ or '').splitlines()[-1]}\n")
        return 2
    source, target = map(Path, arguments)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        with zipfile.ZipFile(source) as bundle:
            bundle.extractall(folder)
        for path in sorted(folder.glob("records/*.json")) + sorted(folder.glob("unseen/*.json")):
            path.write_text(slim(path.read_text(encoding="utf-8")), encoding="utf-8")
        for path in folder.glob("records/*.json"):
            read_record(path.read_bytes())
        with target.open("wb") as file:
            write_zip(folder, file)
    tasks = len(json.loads(zipfile.ZipFile(target).read("run.json"))["tasks"])
    size = target.stat().st_size
    sys.stdout.write(f"{target}: {size / 1000:.0f} kB, {size / 1000 / tasks:.1f} kB a task\n")
    return 0


def slim(text: str) -> str:
    """Return the record, of seen or of unseen cases, with one reading a side in each block."""
    record: dict[str, Any] = json.loads(text, parse_float=lambda number: float(f"{float(number):.7g}"))
    blocks = [block for case in record["cases"] for session in case["sessions"] for block in session["blocks"]]
    for block in blocks:
        block |= {side: [round(median(block[side]), 1)] for side in SIDES if block[side]}
    if blocks and "findings" in record and FINDING not in record["findings"]:
        record["findings"].append(FINDING)
    return json.dumps(record, sort_keys=True, ensure_ascii=False, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
