"""Values of the portability page over kernels that ran on several devices: here, and as claimed elsewhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean, geometric_mean

from evaluator.bundles.kernelbenchx.golden import SUITE
from leaderboard.eligibility import is_correct
from leaderboard.formatting import factor, printable
from leaderboard.pages.base import entry_name
from leaderboard.pages.portability.facts import PortableTask
from leaderboard.queries.portability import CountedRow, MachineClaimRow
from leaderboard.statistics.ratios import SpeedupRatios, ratios


@dataclass(frozen=True, slots=True)
class KernelOnDevice:
    """One kernel on one device class, or as claimed on one machine. `runs` have a verdict that counts."""

    device: str
    passed: int
    runs: int
    speedup: float | None  # geometric mean over the runs whose speedup counts
    shown: int  # a result, or the submission: of the first run that did not pass, else of the first
    status: str  # of that run


@dataclass(frozen=True, slots=True)
class PortableKernel:
    """One candidate, or one submitter's kernel for a task, on every device that it ran on."""

    task: str
    configuration: str  # empty for claims
    name: str
    candidate: str  # digest; empty for claims, which may be of different candidates
    devices: tuple[KernelOnDevice, ...]
    spread: float | None  # largest ÷ smallest speedup over device classes; None below two

    @property
    def right_on(self) -> tuple[KernelOnDevice, ...]:
        return tuple(one for one in self.devices if one.runs and one.passed == one.runs)

    @property
    def wrong_on(self) -> tuple[KernelOnDevice, ...]:
        return tuple(one for one in self.devices if one.passed < one.runs)

    @property
    def disagrees(self) -> bool:
        """Whether it is right on one device and wrong on another."""
        return bool(self.right_on and self.wrong_on)


@dataclass(frozen=True, slots=True)
class SpreadLine:
    """The distribution of largest ÷ smallest speedup over kernels of one kind."""

    kernels: str
    is_claimed: bool
    found: SpeedupRatios


@dataclass(frozen=True, slots=True)
class ClaimedMachine:
    """Claims on one machine, over all submitted runs there."""

    machine: str
    runs: int
    timed: int
    under: int  # the speedup is below 1
    tasks: int  # with a speed


@dataclass(frozen=True, slots=True)
class SharedCandidates:
    """What came of the candidates on several device classes. Pairs of task and ratio, of entries and of other lines."""

    entries: tuple[tuple[str, float], ...]
    lines: tuple[tuple[str, float], ...]
    disagreements: tuple[PortableKernel, ...]  # right on one device class, wrong on another


def candidates(rows: Sequence[CountedRow]) -> SharedCandidates:
    """Those with results on two device classes. Only those that disagree are made in full: there may be thousands."""
    found: dict[tuple[str, str, str], list[CountedRow]] = defaultdict(list)
    for row in rows:
        found[row.configuration, row.task, row.candidate].append(row)
    ratios_of: dict[bool, list[tuple[str, float]]] = {True: [], False: []}
    disagreements: list[PortableKernel] = []
    for own in found.values():
        first = own[0]
        if all(row.device == first.device for row in own):
            continue
        if (ratio := _ratio(own)) is not None:
            ratios_of[first.role == "entry"].append((first.task, ratio))
        passed = {_passed(row) for row in own}
        if len(passed) > 1 and (kernel := _candidate(own)).disagrees:
            disagreements.append(kernel)
    disagreements.sort(key=lambda one: (one.configuration, one.task, one.candidate))
    return SharedCandidates(tuple(ratios_of[True]), tuple(ratios_of[False]), tuple(disagreements))


def claimed(rows: Sequence[MachineClaimRow]) -> tuple[PortableKernel, ...]:
    """What the same method claims of a task on two machines or more, by method and task."""
    ordered = sorted(rows, key=lambda row: (_method(row), row.task, _machine(row), row.submission))
    kernels = (_claimed(*key, list(own)) for key, own in groupby(ordered, key=lambda row: (_method(row), row.task)))
    return tuple(kernel for kernel in kernels if len(kernel.devices) > 1)


def claimed_machines(rows: Sequence[MachineClaimRow]) -> tuple[ClaimedMachine, ...]:
    ordered = sorted(rows, key=_machine)
    return tuple(_claimed_machine(name, list(own)) for name, own in groupby(ordered, key=_machine) if name)


def spread_lines(
    shared: SharedCandidates, tasks: Sequence[PortableTask], configuration: str, said: Sequence[PortableKernel]
) -> tuple[SpreadLine, ...]:
    """The distributions: of the same candidates, of one configuration's tasks if one is chosen, and of claims."""
    found = [SpreadLine("The same candidate, entries", False, ratios(shared.entries))]
    if shared.lines:
        found.append(SpreadLine("The same candidate, reference lines", False, ratios(shared.lines)))
    if configuration:
        found.append(SpreadLine(f"Tasks of {configuration}", False, _ratios(tasks)))
    if said:
        found.append(SpreadLine(f"Submitted runs of {SUITE}", True, _ratios(said)))
    return tuple(found)


def _ratios(kernels: Iterable[PortableKernel | PortableTask]) -> SpeedupRatios:
    return ratios([(one.task, one.spread) for one in kernels if one.spread is not None])


def _passed(row: CountedRow) -> bool:
    return is_correct(row.status == "passed", row.audit)


def _logs(own: Iterable[CountedRow]) -> list[float]:
    """Log speedups that may count; none of a device class without a clock."""
    return [row.log_speedup for row in own if row.log_speedup is not None and _passed(row) and not row.is_functional]


def _ratio(own: Sequence[CountedRow]) -> float | None:
    """Largest ÷ smallest speedup over device classes; None below two."""
    by_device: dict[str, list[CountedRow]] = defaultdict(list)
    for row in own:
        by_device[row.device].append(row)
    means = [fmean(logs) for rows in by_device.values() if (logs := _logs(rows))]
    return factor(max(means) - min(means)) if len(means) > 1 else None


def _candidate(own: Sequence[CountedRow]) -> PortableKernel:
    first = own[0]
    ordered = sorted(own, key=lambda row: (row.device, row.result))
    devices = tuple(_on_device(name, list(rows)) for name, rows in groupby(ordered, key=lambda row: row.device))
    name = entry_name(first.agent, first.model)
    return PortableKernel(first.task, first.configuration, name, first.candidate, devices, _spread(devices))


def _on_device(device: str, rows: Sequence[CountedRow]) -> KernelOnDevice:
    failed, logs = [row for row in rows if not _passed(row)], _logs(rows)
    shown = (failed or rows)[0]
    speedup = factor(fmean(logs)) if logs else None
    return KernelOnDevice(device, len(rows) - len(failed), len(rows), speedup, shown.result, shown.status)


def _claimed(method: str, task: str, own: Sequence[MachineClaimRow]) -> PortableKernel:
    named = groupby((row for row in own if _machine(row)), key=_machine)
    devices = tuple(_on_machine(machine, list(rows)) for machine, rows in named)
    return PortableKernel(task, "", method, "", devices, _spread(devices))


def _on_machine(machine: str, rows: Sequence[MachineClaimRow]) -> KernelOnDevice:
    speeds = [speed for row in rows if (speed := _speed(row))]
    failed = [row for row in rows if not _is_right(row)]
    shown = (failed or rows)[0]
    mean = geometric_mean(speeds) if speeds else None
    return KernelOnDevice(machine, len(rows) - len(failed), len(rows), mean, shown.submission, shown.status)


def _claimed_machine(machine: str, rows: Sequence[MachineClaimRow]) -> ClaimedMachine:
    speeds = [(row.task, speed) for row in rows if (speed := _speed(row))]
    return ClaimedMachine(
        machine,
        len({row.submission for row in rows}),
        len(speeds),
        sum(speed < 1 for _, speed in speeds),
        len({task for task, _ in speeds}),
    )


def _spread(devices: Sequence[KernelOnDevice]) -> float | None:
    speeds = [one.speedup for one in devices if one.speedup is not None]
    return max(speeds) / min(speeds) if len(speeds) > 1 else None


def _is_right(row: MachineClaimRow) -> bool:
    return row.call_ok is True and row.exe_ok is True


def _speed(row: MachineClaimRow) -> float | None:
    """The speedup from its own times, else as claimed; None unless the kernel is correct and its times plausible."""
    found = row.recomputed_speedup or row.claimed_speedup
    return found if _is_right(row) and row.status == "passed" and found and found > 0 else None


def _stated(row: MachineClaimRow) -> Mapping[str, object]:
    return {**(row.facts or {}), **row.declared}


def _machine(row: MachineClaimRow) -> str:
    stated = _stated(row)
    return printable(str(stated.get("golden_machine") or stated.get("device") or ""))


def _method(row: MachineClaimRow) -> str:
    """Agent and model as stated; a submission that states no agent is a method of its own."""
    stated = _stated(row)
    agent = str(stated.get("agent") or f"Submission {row.submission}")
    return entry_name(agent, str(stated["model"]) if stated.get("model") else None)
