"""What a result of KernelBench says happened. "compiled": false also stands for crashes and faults of its evaluator."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from evaluator.bundles.reading import Reading
from evaluator.records.reasons import Status

Outcome = tuple[Status, str | None]

BUILD, RUN = "compilation_error", "runtime_error"
CUDA, GPU = OF_A_DEVICE = ("cuda_error", "gpu_error")
UNCAUGHT, OUTSIDE = "other_error", "error"  # of the evaluator: within an evaluation, and around it
MISMATCH, TIMING = "correctness_issue", "error_during_performance"
# Kind of error → the keys of its text, the fullest first. The first kind that a result has is what happened.
TEXTS: Mapping[str, tuple[str, ...]] = {
    CUDA: ("cuda_error",),
    GPU: ("error_message", "gpu_error"),
    BUILD: ("compilation_error",),
    RUN: ("runtime_error_traceback", "runtime_error"),
    UNCAUGHT: ("other_error",),
    OUTSIDE: ("error",),
    TIMING: ("error_during_performance",),
    MISMATCH: ("correctness_issue",),
}
OTHER_ARCHITECTURE = "no kernel image is available"
CANDIDATE = "ModelNew"  # the class that a candidate defines
OF_THE_HOST = re.compile(
    r"(?i)out of memory|no space left|busy or unavailable|no cuda-capable device|\becc error|gpu not attached"
    r"|driver version is insufficient|cuda is not available|cuda_home environment variable|ninja is required"
)
DEATH = re.compile(
    r"(?i)(?:cuda|hip) error|illegal memory access|misaligned address|device-side assert|segmentation fault|sigsegv"
)
TIMED_OUT = re.compile(r"(?i)\btime[ds]?[ -]out\b|timeout")
NOT_WRITTEN = re.compile(
    r"(?i)\bkernel\b[^.:]{0,60}\b(?:not found|missing|not exist|not generated)|\bno (?:kernel|code)\b"
)


def outcome(reading: Reading, place: str, task: str, raw: Mapping[str, Any]) -> Outcome:
    """Status and reason. A fault of the host or the evaluator is not judged, and noted."""
    found = metadata(raw)
    kind = next((kind for kind in TEXTS if _text(found, kind)), None)
    text = _text(found, kind) if kind else ""
    if any(OTHER_ARCHITECTURE in str(value) for value in found.values()):
        reading.find("wrong_architecture", place, task, task)
        return Status.NOT_JUDGED, "unsupported_feature"
    if raw.get("compiled") is True and raw.get("correctness") is True:
        return Status.PASSED, None
    if kind is None and raw.get("compiled") is not True and "hardware" not in found:
        kind, text = OUTSIDE, "no metadata, as of a problem that was never evaluated"
    ended = _of_kind(kind, text, is_compiled=raw.get("compiled") is True)
    if ended[0] is Status.NOT_JUDGED:
        reading.find("evaluator_fault", place, text, task)
    return ended


def message(raw: Mapping[str, Any]) -> str | None:
    """The text of the error that decided, not the name of its class; None if there is none."""
    found = metadata(raw)
    return next((text for kind in TEXTS if (text := _text(found, kind))), None)


def metadata(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    value = raw.get("metadata")
    return value if isinstance(value, dict) else {}


def _of_kind(kind: str | None, text: str, *, is_compiled: bool) -> Outcome:
    if kind == RUN:
        return Status.CRASHED, "raised"
    if kind in (*OF_A_DEVICE, BUILD, UNCAUGHT, OUTSIDE) and OF_THE_HOST.search(text):
        return Status.NOT_JUDGED, None
    if kind in OF_A_DEVICE or (kind in (UNCAUGHT, OUTSIDE) and DEATH.search(text)):
        return Status.CRASHED, "device_error"
    if kind in (UNCAUGHT, OUTSIDE) and TIMED_OUT.search(text):
        return Status.TIMED_OUT, "total_time"
    if kind == UNCAUGHT:
        return (Status.CRASHED, "raised") if CANDIDATE in text else (Status.NOT_JUDGED, None)
    if kind == OUTSIDE:
        return (Status.NOT_PRODUCED, "not_written") if NOT_WRITTEN.search(text) else (Status.NOT_JUDGED, None)
    if kind == MISMATCH and "shape" in text.lower():
        return Status.WRONG_OUTPUT, "wrong_shape"
    return (Status.WRONG_OUTPUT, "check_failed") if is_compiled else (Status.BUILD_FAILED, "compiler_error")


def _text(found: Mapping[str, Any], kind: str) -> str:
    return next((str(found[key]).strip() for key in TEXTS[kind] if str(found.get(key) or "").strip()), "")
