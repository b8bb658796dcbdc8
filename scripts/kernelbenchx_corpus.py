"""Recompute what KernelBench-X's paper prints of GEAK's refinement from its public corpus, read in place.

    git clone https://github.com/BonnieW05/KernelBenchX DIR
    python -m scripts.kernelbenchx_corpus DIR

DIR may be a bare repository: files are read through git. Nothing is written. The figures are those of
`leaderboard/pages/kernelbench_x/corpus.py`, for commit fd41922.

A task counts if its file's name is that of one of the 176, as the benchmark itself joins its stages: the corpus has
`Broadcast/expand_where.py` where the inventory and the paper have `Index/expand_where.py`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from evaluator.tasks.peaks import PEAKS

RECORDS, INVENTORY = "data/kbx_corpus/all_records.jsonl", "data/kernelbenchx_v1.json"
STEPS = ("round_0_to_round_1", "round_1_to_round_2")
# The golden times behind the corpus's speedups are the RTX 5090's.
RTX_5090 = PEAKS["rtx-5090"]
PEAK_GBS = RTX_5090.bytes_per_s / 1e9
PEAK_TFLOPS, PEAK_TFLOPS_16 = (RTX_5090.flops_per_s[dtype] / 1e12 for dtype in ("float32", "bfloat16"))

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StepFigures:
    """From one round to the next, over the tasks of the inventory."""

    rounds: str
    pairs: int
    compiled_gained: int
    compiled_lost: int
    rescued: int  # incorrect before, correct after
    lost: int
    rescued_timed: int
    rescued_speedup: float
    rescued_score_pct: float
    persistent_timed: int  # released only where the speed rose
    persistent_speedup: float
    persistent_score_pct: float


@dataclass(frozen=True, slots=True)
class Corpus:
    records: int
    tasks: int
    foreign: tuple[str, ...]  # tasks whose file the inventory does not have
    moved: tuple[str, ...]  # those that it has in another category
    same_code: int  # pairs with the same code on both sides
    same_code_faster: int  # of these, recorded as an increase of speed
    increases: int  # pairs recorded as an increase of speed


def corpus(records: Sequence[Record], inventory: Collection[str]) -> Corpus:
    stems = {_stem(path) for path in inventory}
    tasks = sorted({str(record["task_id"]) for record in records})
    same = [record for record in records if record["before_code"] == record["after_code"]]
    rose = [record for record in records if record["kind"] == "speedup_increase"]
    return Corpus(
        records=len(records),
        tasks=len(tasks),
        foreign=tuple(task for task in tasks if _stem(task) not in stems),
        moved=tuple(task for task in tasks if _stem(task) in stems and task not in inventory),
        same_code=len(same),
        same_code_faster=sum(record["kind"] == "speedup_increase" for record in same),
        increases=len(rose),
    )


def step(name: str, records: Sequence[Record], inventory: Collection[str]) -> StepFigures:
    stems = {_stem(path) for path in inventory}
    own = [record for record in records if record["transition"] == name and _stem(record["task_id"]) in stems]
    rescued = [record for record in own if _went(record, "exe_ok", False, True)]
    persistent = [record for record in own if _went(record, "exe_ok", True, True)]
    new, old = (_timed(pairs) for pairs in (rescued, persistent))
    return StepFigures(
        rounds=name.removeprefix("round_").replace("_to_round_", " to "),
        pairs=len(own),
        compiled_gained=sum(_went(record, "call_ok", False, True) for record in own),
        compiled_lost=sum(_went(record, "call_ok", True, False) for record in own),
        rescued=len(rescued),
        lost=sum(_went(record, "exe_ok", True, False) for record in own),
        rescued_timed=len(new),
        rescued_speedup=fmean(one["speedup"] for one in new),
        rescued_score_pct=fmean(map(score_pct, new)),
        persistent_timed=len(old),
        persistent_speedup=fmean(one["speedup"] for one in old),
        persistent_score_pct=fmean(map(score_pct, old)),
    )


def score_pct(outcome: Record) -> float:
    """The larger of the shares of both peaks, in percent."""
    peak = PEAK_TFLOPS_16 if "16" in outcome["dtype"] else PEAK_TFLOPS
    return 100 * float(max(outcome["gbs"] / PEAK_GBS, outcome["tflops"] / peak))


def _timed(pairs: Sequence[Record]) -> list[Record]:
    return [record["after"] for record in pairs if isinstance(record["after"]["speedup"], int | float)]


def _went(record: Record, key: str, before: bool, after: bool) -> bool:
    return (record["before"][key], record["after"][key]) == (before, after)


def _stem(path: str) -> str:
    return path.rpartition("/")[2]


def _read(repository: Path, path: str) -> str:
    command = ["git", "-C", str(repository), "show", f"HEAD:{path}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    repository = parser.parse_args().repository
    records = [json.loads(line) for line in _read(repository, RECORDS).splitlines() if line.strip()]
    inventory = {str(record["file"]) for record in json.loads(_read(repository, INVENTORY))}
    parts: list[Corpus | StepFigures] = [
        corpus(records, inventory),
        *(step(name, records, inventory) for name in STEPS),
    ]
    for found in parts:
        sys.stdout.write("\n".join(f"{key:22} {value}" for key, value in asdict(found).items()) + "\n\n")


if __name__ == "__main__":
    main()
