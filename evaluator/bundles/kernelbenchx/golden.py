"""Golden results of KernelBench-X: the baseline's times on a machine, which must be named unless it is the only one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any

from evaluator.bundles.reading import LARGEST, Reading
from evaluator.bundles.tasklists import tasks_of

SUITE, FOLDER = "kernelbenchx-176", "golden_results"
SIZE, TIME, RATE = "input_size", "ms", "GB/s"
COPIES = {"l20": "5090"}  # 187 of 189 published files have the same bytes


@dataclass(frozen=True, slots=True)
class Golden:
    machine: str
    by_stem: Mapping[str, Mapping[str, float | None]]  # stem → input size → ms, None for a size that occurs twice
    moved: Mapping[str, Mapping[str, float | None]]  # stem → input size → bytes, by the benchmark's model

    def rows(self, task: str) -> Mapping[str, float | None]:
        return self.by_stem.get(PurePosixPath(task).stem, {})

    def bytes_of(self, task: str) -> Mapping[str, float | None]:
        return self.moved.get(PurePosixPath(task).stem, {})


def read_golden(reading: Reading, machine: str | None) -> Golden | None:
    """The rows of a machine; None if there are none, or if there are several machines and none is named."""
    paths = [path for path in sorted(reading.files) if FOLDER in PurePosixPath(path).parts[:-2]]
    by_machine: dict[str, list[str]] = {}
    for path in paths:
        by_machine.setdefault(PurePosixPath(path).parts[-2], []).append(path)
    _note_copies(reading, by_machine)
    if len(by_machine) == 1 and machine is None:
        (machine,) = by_machine
    if machine not in by_machine:
        if by_machine:
            hint = "State it as golden_machine in arenaboard.yaml: the device that the run was made on"
            reading.problem(FOLDER, f"{', '.join(by_machine)}, none of them named", "the baseline's machine", hint)
        return None
    _note_golden(reading, machine, by_machine[machine])
    stems = {PurePosixPath(path).stem: path for path in by_machine[machine]}
    by_stem = {stem: _times(reading, path) for stem, path in stems.items()}
    return Golden(machine, by_stem, {stem: _moved(reading.parsed(path)) for stem, path in stems.items()})


def size_of(row: Mapping[str, Any]) -> str:
    return json.dumps(row.get(SIZE), separators=(",", ":"))


def bytes_moved(row: Mapping[str, Any]) -> float | None:
    """Bytes that a row moves by the benchmark's model: throughput times time, or None without both."""
    rate, time = row.get(RATE), row.get(TIME)
    numbers = [one for one in (rate, time) if isinstance(one, int | float) and not isinstance(one, bool)]
    return numbers[0] * numbers[1] * 1e6 if len(numbers) == 2 and all(0 < one < LARGEST for one in numbers) else None


def is_rows(value: Any) -> bool:
    """Whether a value is a list of rows with input_size and ms, as golden and perf results are."""
    return isinstance(value, list) and all(isinstance(row, dict) and SIZE in row and TIME in row for row in value)


def _times(reading: Reading, path: str) -> dict[str, float | None]:
    value, found = reading.parsed(path), dict[str, float | None]()
    if not is_rows(value):
        reading.problem(path, type(value).__name__, "a list of rows with input_size and ms")
        return found
    for index, row in enumerate(value):
        size, place = size_of(row), f"{path}: {index}"
        if size in found:
            reading.find("duplicate_case", place, f"{size} of the baseline: its task has no speedup")
        time = reading.time_ms(row[TIME], f"{place}.ms", path)
        found[size] = None if size in found else time
    return found


def _moved(value: Any) -> dict[str, float | None]:
    """Bytes by size, without sizes that occur twice, whose rows cannot be told apart."""
    sizes = Counter(map(size_of, value)) if is_rows(value) else Counter[str]()
    return {size_of(row): bytes_moved(row) for row in value if sizes[size_of(row)] == 1} if sizes else {}


def _note_golden(reading: Reading, machine: str, paths: list[str]) -> None:
    reading.find("baseline_unstated", FOLDER, f"golden results of {machine}")
    if machine in COPIES:
        reading.find("copied_baseline", FOLDER, f"the published rows of {machine} are those of {COPIES[machine]}")
    stems = {PurePosixPath(task).stem for task in tasks_of(SUITE)}
    for path in paths:
        if PurePosixPath(path).stem not in stems:
            reading.find("unused_baseline", path, PurePosixPath(path).name)


def _note_copies(reading: Reading, by_machine: Mapping[str, list[str]]) -> None:
    """Note identical files of two machines, which two measurements cannot give."""
    met = dict[tuple[str, bytes], str]()  # name and sha256 → machine
    for machine, paths in by_machine.items():
        for path in paths:
            key = PurePosixPath(path).name, sha256(reading.files[path]).digest()
            if key in met:
                reading.find("copied_baseline", path, f"{machine} has the bytes of {met[key]}")
            met.setdefault(key, machine)
