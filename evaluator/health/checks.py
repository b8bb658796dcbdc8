"""The checks of `doctor --health`: one for each known kernel and each property of the device."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from evaluator.health.calibrate import calibrate
from evaluator.health.trial import trials
from evaluator.pipeline import Evaluator
from evaluator.records.calibration import DeviceCalibration, write_calibration
from evaluator.tasks.spec import TaskSpec
from evaluator.thresholds import AA_BIAS, AA_SD, REFERENCE_E0_NS
from evaluator.wording import counted


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """The result of one check."""

    name: str
    good: bool
    needed: bool  # if it fails, this host cannot evaluate
    text: str


def health_checks(
    evaluator: Evaluator, tasks: Sequence[TaskSpec], sessions: int, progress: Callable[[str], object]
) -> Iterator[HealthCheck]:
    """Check known kernels; on a host with a device clock, also calibrate it and write the calibration."""
    for trial in trials(evaluator):
        yield HealthCheck(trial.name, trial.good, True, trial.text)
    if not evaluator.backend.has_clock:
        yield HealthCheck(
            "device clock", True, False, f"{evaluator.backend.name} has none, so its times are functional"
        )
        return
    calibration = calibrate(evaluator, tasks, progress, sessions)
    yield from _figures(calibration)
    yield HealthCheck("calibration", True, False, f"written to {write_calibration(calibration)}")


def _figures(calibration: DeviceCalibration) -> Iterator[HealthCheck]:
    found = calibration.acceptance
    own_ns, reference_ns = calibration.e0_ns, REFERENCE_E0_NS.get(calibration.device_class)
    lacking = f"{calibration.device_class} is not in REFERENCE_E0_NS (evaluator/thresholds.py), so no case is eligible"
    text = lacking if reference_ns is None else f"frozen for {calibration.device_class}: {reference_ns / 1e3:.2f} us"
    yield HealthCheck("E0", own_ns > 0, True, f"{own_ns / 1e3:.2f} us; {text}")
    peaks = f"{calibration.cache_bytes_per_s:.3g} bytes/s from the caches, {calibration.flops_per_s:.3g} operations/s"
    yield HealthCheck("peaks", True, False, peaks)
    for bucket, sd in calibration.floors.items():
        yield HealthCheck(
            f"A/A {bucket}", True, False, f"sd {sd:.4f} between {counted(calibration.floor_sessions, 'session')}"
        )
    yield HealthCheck(
        "acceptance",
        found.accepted,
        False,
        f"pooled sd {found.pooled_sd:.4f} (at most {AA_SD}), bias {found.bias:+.4f} (at most {AA_BIAS}), "
        f"{counted(found.cases, 'case')}, {counted(found.sessions, 'session')}: "
        f"{'accepted' if found.accepted else 'not accepted, so results are not ranked'}",
    )
