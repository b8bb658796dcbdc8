"""Calibrations: measurements of a device against itself, written by `doctor --health` and read by every evaluation.

They lie in the evaluator's state folder (decision 12). A host without one can time kernels, but its results are
flagged as uncalibrated.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from evaluator import codec
from evaluator.errors import HostError
from evaluator.records.moments import is_over
from evaluator.records.record import PROTOCOL, HostInfo
from evaluator.state import state_folder
from evaluator.thresholds import CALIBRATION_DAYS, bucket_of


@dataclass(frozen=True, slots=True)
class Floor:
    """A host's noise floor: standard deviation of log ratios between A/A sessions, and its degrees of freedom."""

    sd: float
    df: float


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The result of the A/A run behind a calibration, over cases of at least ELIGIBLE_NS."""

    accepted: bool
    pooled_sd: float  # of log ratios of sessions
    bias: float  # mean log ratio
    sessions: int
    cases: int


@dataclass(frozen=True, slots=True)
class DeviceCalibration:
    device: str  # uuid or serial of the card
    device_class: str
    made_at: str  # ISO 8601, UTC
    software: str  # driver, torch, Triton and protocol: the calibration is invalid with any others
    e0_ns: float  # an event pair around an empty kernel, launch hidden
    floors: Mapping[str, float]  # time bucket → standard deviation of A/A sessions
    floor_sessions: int
    canary_ns: tuple[float, float]  # a read and an arithmetic kernel of fixed size, with no candidate running
    cache_bytes_per_s: float  # the fastest read of a buffer that stays in the caches
    flops_per_s: float  # the fastest matrix product seen
    acceptance: Acceptance
    baselines_ns: Mapping[str, float] = field(default_factory=dict)  # "digest case-id" → T_dev of the baseline

    def floor(self, baseline_ns: float, candidate_ns: float) -> Floor | None:
        """The floor of a ratio of these times: each side adds half the variance of two sides as long as it is."""
        buckets = [bucket_of(time_ns) for time_ns in (baseline_ns, candidate_ns)]
        if not all(bucket in self.floors for bucket in buckets):
            return None
        return Floor(math.hypot(*(self.floors[bucket] for bucket in buckets)) / math.sqrt(2), self.floor_sessions - 1)

    def baseline_ns(self, task_digest: str, case_id: str) -> float | None:
        return self.baselines_ns.get(baseline_key(task_digest, case_id))


def read_calibration(host: HostInfo) -> DeviceCalibration | None:
    """The calibration of this host's device; None if there is none, it is too old or from the future, or software or
    protocol changed.

    Raises:
        HostError: the file is malformed.
    """
    path = _path(device_of(host.device_class, host.facts))
    if not path.is_file():
        return None
    try:
        found = codec.loads(DeviceCalibration, path.read_bytes())
    except codec.DecodeError as error:
        raise HostError(f"{path} is malformed; remove it and run `doctor --health` again: {error}") from error
    if not is_over(found.made_at):
        return None
    age = datetime.now(UTC) - datetime.fromisoformat(found.made_at)
    return found if found.software == software_of(host) and age < timedelta(days=CALIBRATION_DAYS) else None


def write_calibration(calibration: DeviceCalibration, folder: Path | None = None) -> Path:
    """Write atomically to `folder`, or where evaluations on this host read it; returns the path."""
    path = _path(calibration.device, folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.part")  # two evaluations on one card may write it at once
    temporary.write_text(codec.dumps(calibration), encoding="utf-8")
    temporary.replace(path)
    return path


def device_of(device_class: str, facts: Mapping[str, str]) -> str:
    """The device's identity: the card's UUID where the host's facts have it, otherwise the device class."""
    return facts.get("card_uuid") or device_class


def card_name(device: str) -> str:
    """Return the name of a card in committed files: the beginning of its identity's hash."""
    return hashlib.sha256(device.encode()).hexdigest()[:8]


def software_of(host: HostInfo) -> str:
    """Versions of driver, torch and Triton, and the protocol: what a calibration depends on beside the device."""
    found = [f"{name} {host.facts[name]}" for name in ("driver", "torch", "triton") if name in host.facts]
    return ", ".join([*found, f"protocol {PROTOCOL}"])


def baseline_key(task_digest: str, case_id: str) -> str:
    return f"{task_digest[:16]} {case_id}"


def _path(device: str, folder: Path | None = None) -> Path:
    return (folder or state_folder() / "calibration") / f"{re.sub(r'[^A-Za-z0-9_.-]', '_', device)}.json"
