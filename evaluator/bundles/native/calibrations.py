"""Reads the calibrations in ArenaBoard's own bundles: calibrations/<device>.json, the noise of each device of the run.

Not every bundle has them: a CPU has no device clock, and a device may never have been calibrated.
"""

from __future__ import annotations

from collections.abc import Iterator

from evaluator import codec
from evaluator.bundles.reading import Reading
from evaluator.records.calibration import DeviceCalibration
from evaluator.records.moments import PAST, is_over, is_timestamp
from evaluator.thresholds import AA_BIAS, AA_SD, TIME_BUCKETS_NS

FOLDER = "calibrations"
LONGEST_NS = 1e9


def calibrations_of(reading: Reading, device_class: str) -> tuple[DeviceCalibration, ...]:
    """The valid calibrations, sorted by file name; faults become problems of the reading."""
    names = sorted(path for path in reading.files if is_calibration(path))
    found = [_read(reading, name, device_class) for name in names]
    return tuple(one for one in found if one is not None)


def is_calibration(path: str) -> bool:
    folder, _, name = path.partition("/")
    return folder == FOLDER and name.endswith(".json") and "/" not in name


def _read(reading: Reading, name: str, device_class: str) -> DeviceCalibration | None:
    problems = len(reading.problems)
    raw = reading.mapping(name)
    if len(reading.problems) > problems:
        return None
    try:
        found = codec.decode(DeviceCalibration, raw)
    except codec.DecodeError as error:
        reading.ill_typed(name, error, "what `doctor --health` writes")
        return None
    for place, seen, expected in _out_of_bounds(found, device_class):
        reading.problem(f"{name}: {place}", seen, expected)
    return found if len(reading.problems) == problems else None


def _out_of_bounds(found: DeviceCalibration, device_class: str) -> Iterator[tuple[str, str, str]]:
    """Every fault of a calibration as its place, what is seen and what is expected."""
    acceptance = found.acceptance
    if not is_timestamp(found.made_at):
        yield "made_at", f"{found.made_at!r:.80}", "a timestamp with its time zone"
    elif not is_over(found.made_at):
        yield "made_at", found.made_at, PAST
    if found.device_class != device_class:
        yield "device_class", f"{found.device_class!r:.80}", f"{device_class}, as run.json says"
    if not 0 < found.e0_ns <= LONGEST_NS:
        yield "e0_ns", f"{found.e0_ns:g}", f"above 0, at most {LONGEST_NS:g}"
    if not found.floors.keys() <= TIME_BUCKETS_NS.keys() or any(sd < 0 for sd in found.floors.values()):
        yield "floors", f"{dict(found.floors)!r:.80}", f"standard deviations for some of {', '.join(TIME_BUCKETS_NS)}"
    if acceptance.pooled_sd < 0 or acceptance.sessions < 2 or acceptance.cases < 1:
        yield "acceptance", f"{acceptance!r:.120}", "a standard deviation over at least two sessions of a case"
    elif acceptance.accepted != (acceptance.pooled_sd <= AA_SD and abs(acceptance.bias) <= AA_BIAS):
        expected = f"accepted exactly if the sd is at most {AA_SD:g} and the bias at most {AA_BIAS:g}"
        seen = f"accepted={acceptance.accepted}, sd {acceptance.pooled_sd:g}, bias {acceptance.bias:g}"
        yield "acceptance", seen, expected
