"""Calibrate a device: E0, peak rates, the spread of A/A sessions, and the usual times of baselines.

Every evaluation on this host reads the resulting calibration. A host that fails the acceptance test (decision 12) gets
one too: it is shown as not accepted, and its results are not ranked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import fmean, median, stdev

from evaluator.errors import BaselineError, HostError
from evaluator.health.trial import health_task
from evaluator.judge.side import LOAD_S
from evaluator.judge.timing.remote import canary_ns, heat
from evaluator.judge.timing.session import CaseTimes
from evaluator.pipeline import Evaluator
from evaluator.records.calibration import Acceptance, DeviceCalibration, baseline_key, device_of, software_of
from evaluator.tasks.spec import TaskSpec
from evaluator.thresholds import AA_BIAS, AA_SD, AA_SESSIONS, ELIGIBLE_NS, bucket_of

EMPTY_PAIRS, IDLE_CANARIES, WARM_ROUNDS = 50, 20, 20
LEAST_SESSIONS = 2  # a spread needs at least two
BASELINE_SESSIONS = 3
Progress = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class CaseAa:
    """One case timed against itself: the log ratio of each session, and the case's own time."""

    case: str
    time_ns: float
    log_ratios: tuple[float, ...]
    within_sd: float  # sd of blocks, pooled over sessions


def calibrate(
    evaluator: Evaluator, tasks: Sequence[TaskSpec], progress: Progress, sessions: int = AA_SESSIONS
) -> DeviceCalibration:
    """Run A/A sessions of the health task, then of the baselines of these tasks; return the calibration.

    Raises:
        HostError: this host has no device clock.
        BaselineError: the health task's baseline fails, or has too few valid sessions.
    """
    backend = evaluator.backend
    if not backend.has_clock:
        raise HostError(f"the backend {backend.name} has no device clock to calibrate")
    figures = measure_instruments(evaluator)
    progress(f"an empty pair of events takes {figures.e0_ns / 1e3:.2f} us; canaries {figures.canary_ns}")
    pairs = against_itself(evaluator, health_task(), sessions, progress)
    baselines: dict[str, float] = {}
    for task in tasks:
        try:
            found = against_itself(evaluator, task, BASELINE_SESSIONS, progress)
        except BaselineError as error:  # one failing task does not stop the others
            progress(str(error))
            continue
        baselines |= {baseline_key(task.digest, pair.case): pair.time_ns for pair in found}
    return DeviceCalibration(
        device=device_of(backend.host().device_class, backend.host().facts),
        device_class=backend.device_class,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        software=software_of(backend.host()),
        e0_ns=figures.e0_ns,
        floors=floors(pairs),
        floor_sessions=min(len(pair.log_ratios) for pair in pairs),
        canary_ns=figures.canary_ns,
        cache_bytes_per_s=figures.bytes_per_s,
        flops_per_s=figures.flops_per_s,
        acceptance=acceptance(pairs),
        baselines_ns=baselines,
    )


def against_itself(evaluator: Evaluator, task: TaskSpec, sessions: int, progress: Progress) -> list[CaseAa]:
    """Run A/A sessions of the task's baseline, each with new workers; return a result per full case.

    Raises:
        BaselineError: a case has fewer than two valid sessions.
    """
    times: dict[str, list[CaseTimes]] = {}
    for index, session in enumerate(evaluator.time_baseline(task, sessions)):
        for case_id, found in session.items():
            times.setdefault(case_id, []).append(found)
        line = "  ".join(f"{found.baseline_ns / 1e3:.2f} us {fmean(found.values):+.4f}" for found in session.values())
        progress(f"{task.id}: session {index + 1} of {sessions}: {line}")
    short = [case_id for case_id, found in times.items() if len(found) < LEAST_SESSIONS]
    if short or not times:
        lacking = ", ".join(short) or "any case"
        raise BaselineError(f"{task.id}: fewer than {LEAST_SESSIONS} valid sessions for {lacking}")
    return [_case(case_id, found) for case_id, found in times.items()]


def floors(pairs: Sequence[CaseAa]) -> dict[str, float]:
    """Return time bucket → pooled sd between sessions of its cases."""
    buckets: dict[str, list[float]] = {}
    for pair in pairs:
        buckets.setdefault(bucket_of(pair.time_ns), []).append(stdev(pair.log_ratios))
    return {name: _pooled(found) for name, found in buckets.items()}


def acceptance(pairs: Sequence[CaseAa]) -> Acceptance:
    """Test acceptance (decision 12) on the cases that are long enough to claim a speedup for."""
    long = [pair for pair in pairs if pair.time_ns >= ELIGIBLE_NS]
    if not long:
        raise BaselineError(f"no case of the health task takes {ELIGIBLE_NS / 1e3:.0f} us on this device")
    sd, bias = _pooled([stdev(pair.log_ratios) for pair in long]), fmean(fmean(pair.log_ratios) for pair in long)
    sessions = min(len(pair.log_ratios) for pair in long)
    return Acceptance(sd <= AA_SD and abs(bias) <= AA_BIAS, sd, bias, sessions, len(long))


def report(pairs: Sequence[CaseAa]) -> Mapping[str, str]:
    """Return a line of text for each case."""
    return {
        pair.case: f"{pair.time_ns / 1e3:9.2f} us  within {pair.within_sd:.4f}  between {stdev(pair.log_ratios):.4f}"
        f"  mean {fmean(pair.log_ratios):+.4f}"
        for pair in pairs
    }


@dataclass(frozen=True, slots=True)
class DeviceFigures:
    """The device's properties, measured without any candidate."""

    e0_ns: float
    canary_ns: tuple[float, float]
    bytes_per_s: float
    flops_per_s: float


def measure_instruments(evaluator: Evaluator) -> DeviceFigures:
    """Measure E0, canaries and peak rates in a trusted worker, after a warm-up.

    Raises:
        HostError: the readings make no sense.
    """
    with evaluator.trusted_runner(health_task()) as runner:
        for _ in range(WARM_ROUNDS):
            heat(runner.worker)
        empty = runner.worker.call("time", timeout_s=LOAD_S, what="empty", count=EMPTY_PAIRS)["times_ns"]
        peaks = runner.worker.call("time", timeout_s=LOAD_S, what="peaks")
        canaries = [canary_ns(runner.worker) for _ in range(IDLE_CANARIES)]
    usual = (median(read for read, _ in canaries), median(compute for _, compute in canaries))
    match empty, peaks:
        case list(), {"bytes_per_s": float() as read, "flops_per_s": float() as flops}:
            figures = DeviceFigures(median(map(float, empty)), usual, read, flops)
            if all(math.isfinite(value) and value > 0 for value in (figures.e0_ns, read, flops)):
                return figures
    raise HostError(f"the instruments returned {empty!r:.100}, {peaks!r:.100}")


def _case(case_id: str, times: Sequence[CaseTimes]) -> CaseAa:
    within = [stdev(found.values) for found in times]
    ratios = tuple(fmean(found.values) for found in times)
    return CaseAa(case_id, median(found.baseline_ns for found in times), ratios, _pooled(within))


def _pooled(sds: Sequence[float]) -> float:
    return math.sqrt(fmean(sd * sd for sd in sds))
