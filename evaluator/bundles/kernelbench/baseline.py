"""The baseline file of KernelBench: times of the plain PyTorch programs by level and problem, on one machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluator.bundles.reading import Reading


@dataclass(frozen=True, slots=True)
class Baseline:
    """The times of one level."""

    path: str
    hardware: str | None
    times_ms: Mapping[str, float | None]  # by problem number

    def time_ms(self, reading: Reading, place: str, task: str, hardware: str | None) -> float | None:
        """The time of a problem, if it was taken on the same hardware; otherwise None and a finding."""
        if self.hardware is None or self.hardware != hardware:
            reading.find("baseline_other_hardware", place, f"{hardware}; baseline {self.hardware}", task)
            return None
        if (time := self.times_ms.get(task.rpartition("/")[2])) is None:
            reading.find("baseline_incomplete", self.path, task, task)
        return time


def read_baseline(reading: Reading, level: str) -> Baseline | None:
    """The first file with times of the level; notes others."""
    key, found = f"level{level}", list[str]()
    for path in sorted(reading.files):
        if path.endswith(".json") and b'"level' in reading.files[path][:4096]:
            raw = reading.glance(path)
            found += [path] if isinstance(raw, dict) and key in raw else []
    if len(found) > 1:
        reading.find("several_baselines", key, ", ".join(found))
    return _times(reading, found[0], key, reading.mapping(found[0])[key]) if found else None


def _times(reading: Reading, path: str, key: str, listed: Any) -> Baseline:
    hardware, times = set[str](), dict[str, float | None]()
    for name, raw in (listed if isinstance(listed, dict) else {}).items():
        number, place = name.partition("_")[0], f"{path}: {key}.{name}"
        if not isinstance(raw, dict):
            reading.problem(place, raw, "an object with mean")
            continue
        time = reading.time_ms(raw.get("mean"), f"{place}.mean", f"{key}/{number}")
        if number in times:
            detail = f"problem {number} of the baseline: it has no speedup"
            reading.find("duplicate_case", place, detail, f"{key}/{number}")
        times[number] = None if number in times else time
        hardware.add(str(raw.get("hardware")))
    return Baseline(path, hardware.pop() if len(hardware) == 1 else None, times)
