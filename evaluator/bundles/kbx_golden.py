"""Golden results of KernelBench-X: the baseline's times of one machine, which must be named or the only one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from evaluator.bundles.reading import Reading

FOLDER = "golden_results"
SIZE, TIME = "input_size", "ms"


@dataclass(frozen=True, slots=True)
class Golden:
    machine: str
    by_stem: Mapping[str, Mapping[str, float | None]]  # stem → input size → ms

    def rows(self, task: str) -> Mapping[str, float | None]:
        return self.by_stem.get(PurePosixPath(task).stem, {})


def read_golden(reading: Reading, machine: str | None) -> Golden | None:
    """The machine's rows; None where there are none, or nobody said which of several machines it is."""
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
            reading.problem(FOLDER, f"{', '.join(by_machine)}; none is named", "the baseline's machine", hint)
        return None
    by_stem = {PurePosixPath(path).stem: _times(reading, path) for path in by_machine[machine]}
    return Golden(machine, by_stem)


def size_of(row: Mapping[str, Any]) -> str:
    return json.dumps(row.get(SIZE), separators=(",", ":"))


def is_rows(value: Any) -> bool:
    """A list of rows with input_size and ms: one task's golden or perf results."""
    return isinstance(value, list) and all(isinstance(row, dict) and SIZE in row and TIME in row for row in value)


def _times(reading: Reading, path: str) -> dict[str, float | None]:
    value, found = reading.parsed(path), dict[str, float | None]()
    if not is_rows(value):
        reading.problem(path, type(value).__name__, "a list of rows with input_size and ms")
        return found
    for index, row in enumerate(value):
        found.setdefault(size_of(row), reading.time_ms(row[TIME], f"{path}: {index}.ms", path))
    return found


def _note_copies(reading: Reading, by_machine: Mapping[str, list[str]]) -> None:
    """Two machines do not measure the same digits."""
    met = dict[tuple[str, bytes], str]()
    for machine, paths in by_machine.items():
        for path in paths:
            key = PurePosixPath(path).name, reading.files[path]
            if key in met:
                reading.find("copied_baseline", path, f"{machine} has the bytes of {met[key]}")
            met.setdefault(key, machine)
