"""Values of the portability page over kernels that ran on several devices: here, and as claimed elsewhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean, geometric_mean

import numpy as np

from evaluator.bundles.kernelbenchx.golden import SUITE
from leaderboard.formatting import factor, printable
from leaderboard.pages.base import entry_name
from leaderboard.pages.portability.facts import PortableTask
from leaderboard.queries.entrants import StandingRow
from leaderboard.queries.portability import CountedRow, MachineClaimRow
from leaderboard.statistics.ratios import SpeedupRatios, ratios
from leaderboard.statistics.results import Flags, Numbers


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
class DeviceSlower:
    """Counts of correct results of entries that count, on one suite and device class with a clock."""

    suite: str
    version: int
    device: str
    device_title: str
    correct: int
    timed: int  # with a speed
    tasks: int  # with such a result
    below: int  # the interval of the speedup ends below 1
    under: int  # the speedup is below 1


@dataclass(frozen=True, slots=True)
class Entrants:
    """What is known of the configurations and device classes that results of one suite name."""

    configurations: Mapping[str, StandingRow]
    boards: Mapping[str, StandingRow]  # of one suite, by device class
    functional: frozenset[str]  # device classes without a clock

    def is_entry(self, configuration: str) -> bool:
        return self.configurations[configuration].role == "entry"


@dataclass(frozen=True, slots=True)
class SharedCandidates:
    """What came of the candidates on several device classes. Pairs of task and ratio, of entries and of other lines."""

    entries: tuple[tuple[str, float], ...]
    lines: tuple[tuple[str, float], ...]
    disagreements: tuple[PortableKernel, ...]  # right on one device class, wrong on another


def entrants_of(rows: Sequence[StandingRow], suite: str) -> Entrants:
    """`suite`: whose current version the results are of."""
    return Entrants(
        {row.configuration: row for row in rows},
        {row.device: row for row in rows if row.suite == suite and row.suite_is_current},
        frozenset(row.device for row in rows if row.is_functional),
    )


def candidates(rows: Sequence[CountedRow], entrants: Entrants) -> SharedCandidates:
    """Those with results on two device classes. Only those that disagree are made in full: there may be thousands."""
    own = [row for row in rows if row.candidate]
    kernels: dict[tuple[str, str, str], int] = {}
    kernel = np.array([kernels.setdefault(_key(row), len(kernels)) for row in own], dtype=int)
    devices = {name: at for at, name in enumerate({row.device for row in own})}
    device = np.array([devices[row.device] for row in own], dtype=int)
    passed = np.array([row.is_correct for row in own], dtype=bool)
    has_clock = np.array([name not in entrants.functional for name in devices], dtype=bool)
    logs = np.array([row.cautious_log_speedup for row in own], dtype=float)  # None becomes NaN
    logs[~(passed & has_clock[device])] = np.nan

    def by_device(weights: Numbers | Flags) -> Numbers:
        """The sum over the results of each kernel on each device class."""
        sums = np.bincount(kernel * len(devices) + device, weights, len(kernels) * len(devices))
        return np.asarray(sums.reshape(len(kernels), len(devices)), dtype=float)

    runs, right, timed = by_device(np.ones(len(own))), by_device(passed), by_device(np.isfinite(logs))
    means = np.divide(by_device(np.nan_to_num(logs)), timed, out=np.full(timed.shape, np.nan), where=timed > 0)
    names, is_timed = list(kernels), np.flatnonzero((timed > 0).sum(axis=1) > 1)
    spreads = np.nanmax(means[is_timed], axis=1) - np.nanmin(means[is_timed], axis=1) if is_timed.size else ()
    ratios_of: dict[bool, list[tuple[str, float]]] = {True: [], False: []}
    for at, spread in zip(is_timed, spreads, strict=True):
        configuration, task, _ = names[at]
        ratios_of[entrants.is_entry(configuration)].append((task, factor(spread)))
    differs = ((runs > 0) & (right == runs)).any(axis=1) & (right < runs).any(axis=1)
    disagreeing = [own[at] for at in np.flatnonzero(differs[kernel])]
    disagreeing.sort(key=lambda row: (*_key(row), row.device, row.result))
    disagreements = tuple(_candidate(list(each), entrants) for _, each in groupby(disagreeing, key=_key))
    return SharedCandidates(tuple(ratios_of[True]), tuple(ratios_of[False]), disagreements)


def slower_by_device(rows: Sequence[CountedRow], entrants: Entrants) -> tuple[DeviceSlower, ...]:
    """Correct results of entries, for each device class with a clock."""
    found: dict[str, list[CountedRow]] = defaultdict(list)
    for row in rows:
        if row.is_correct and row.device not in entrants.functional and entrants.is_entry(row.configuration):
            found[row.device].append(row)
    return tuple(_slower(entrants.boards[device], own) for device, own in sorted(found.items()))


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


def _key(row: CountedRow) -> tuple[str, str, str]:
    return row.configuration, row.task, row.candidate


def _candidate(own: Sequence[CountedRow], entrants: Entrants) -> PortableKernel:
    """Its results, by device class."""
    first = own[0]
    who = entrants.configurations[first.configuration]
    each = groupby(own, key=lambda row: row.device)
    devices = tuple(_on_device(name, list(rows), entrants) for name, rows in each)
    name = entry_name(who.agent, who.model)
    return PortableKernel(first.task, first.configuration, name, first.candidate, devices, _spread(devices))


def _on_device(device: str, rows: Sequence[CountedRow], entrants: Entrants) -> KernelOnDevice:
    failed = [row for row in rows if not row.is_correct]
    timed = [row for row in rows if row.is_correct and row.device not in entrants.functional]
    logs = [row.cautious_log_speedup for row in timed if row.cautious_log_speedup is not None]
    shown = (failed or rows)[0]
    speedup = factor(fmean(logs)) if logs else None
    return KernelOnDevice(device, len(rows) - len(failed), len(rows), speedup, shown.result, shown.status)


def _slower(board: StandingRow, own: Sequence[CountedRow]) -> DeviceSlower:
    timed = [row for row in own if row.cautious_log_speedup is not None]
    return DeviceSlower(
        board.suite,
        board.version,
        board.device,
        board.device_title,
        correct=len(own),
        timed=len(timed),
        tasks=len({row.task for row in timed}),
        below=sum(row.high is not None and row.high < 0 for row in timed),
        under=sum(row.cautious_log_speedup is not None and row.cautious_log_speedup < 0 for row in timed),
    )


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
