"""The bundles in the repository are small, and their speedups and intervals follow from the blocks that they hold."""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from statistics import fmean, median, variance
from typing import Any

import pytest

from evaluator import codec
from evaluator.bundles.archives.archive import read_members
from evaluator.distributions import f_quantile, t_quantile
from evaluator.judge.timing.estimate import RatioEstimate, estimate, widened
from evaluator.judge.timing.overhead import EventPair, value_of
from evaluator.records.calibration import DeviceCalibration
from evaluator.records.measurements import T_DEV, Ratio
from evaluator.records.record import Record, read_record
from evaluator.state import REPOSITORY
from evaluator.thresholds import BLOCKS, REFERENCE_E0_NS, REPLACED_BLOCKS, bucket_of, least_ns
from evaluator.unseen.record import UnseenRecord, read_unseen
from scripts.slim_bundle import main
from tests.bundles.made import read_bundle

COMMITTED = sorted((REPOSITORY / "tasks" / "bundles").iterdir())
SLIM = REPOSITORY / "tasks" / "bundles" / "h200-sxm-smoke-block_tuner.tar.zst"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle whose blocks have ten readings a side, whose medians are those of a slim one."""
    path = tmp_path_factory.mktemp("bundle") / "run.zip"
    with zipfile.ZipFile(path, "w") as bundle:
        for name, data in read_members(SLIM).items():
            bundle.writestr(name, _with_readings(data) if name.startswith("records/") else data)
    return path


def _with_readings(data: bytes) -> bytes:
    record = json.loads(data)
    record["findings"] = [finding for finding in record["findings"] if finding["code"] != "slim"]
    for block in _blocks(record):
        for side in ("baseline_ns", "candidate_ns"):
            block[side] = [block[side][0] * (1 + step / 1e4) for step in (-4, -3, -2, -1, 0, 0, 1, 2, 3, 4)]
    return json.dumps(record, sort_keys=True).encode()


def _blocks(record: dict[str, Any]) -> list[dict[str, Any]]:
    return [block for case in record["cases"] for session in case["sessions"] for block in session["blocks"]]


@pytest.fixture(scope="module")
def slim(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bundle") / "slim.tar.zst"
    assert main([str(whole), str(path)]) == 0
    return path


def test_it_keeps_the_median_of_each_block_and_says_what_is_gone(whole: Path, slim: Path) -> None:
    before, after = read_members(whole), read_members(slim)
    assert list(after) == sorted(before)
    for name in (name for name in before if name.startswith("records/")):
        old, new = json.loads(before[name]), json.loads(after[name])
        for one, other in zip(_blocks(old), _blocks(new), strict=True):
            for side in ("baseline_ns", "candidate_ns"):
                assert other[side] == [pytest.approx(median(one[side]), rel=1e-5)]
        texts = [finding["text"] for finding in new["findings"] if finding["code"] == "slim"]
        assert len(texts) == bool(_blocks(old))
        assert all(text.endswith(f"not kept; the whole record's sha256 is {_digest(before[name])}.") for text in texts)


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def test_it_says_the_same_of_every_case(whole: Path, slim: Path) -> None:
    bundle = read_bundle(slim)
    assert bundle.problems == ()
    for one, other in zip(read_bundle(whole).entries, bundle.entries, strict=True):
        assert _verdict(other.record) == _verdict(one.record)
        for old, new in zip(one.record.cases, other.record.cases, strict=True):
            assert (new.id, new.correct, new.ratio, len(new.sessions)) == (
                old.id,
                old.correct,
                old.ratio,
                len(old.sessions),
            )


def test_what_is_slim_stays_as_it_is(tmp_path: Path) -> None:
    again = tmp_path / "again.tar.zst"
    assert main([str(SLIM), str(again)]) == 0
    assert again.read_bytes() == SLIM.read_bytes()


def test_without_both_files_the_usage_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(SLIM)]) == 2
    assert "usage: scripts/slim_bundle.py" in capsys.readouterr().err


def test_what_is_no_bundle_is_refused_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target, text, broken = tmp_path / "slim.tar.zst", tmp_path / "notes.json", tmp_path / "broken.zip"
    text.write_text("{}", encoding="utf-8")
    with zipfile.ZipFile(broken, "w") as bundle:
        bundle.writestr("run.json", '{"tasks": []}')
        bundle.writestr("records/a.json", "{}")
    seen = {tmp_path / "none.zip": "No such file", text: "seen no run.json in it", broken: "broken.zip: records/a.json"}
    for path, says in seen.items():
        assert main([str(path), str(target)]) == 1
        assert says in capsys.readouterr().err
    assert not target.exists()


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.name)
def test_a_committed_bundle_has_at_most_8_kb_a_task(path: Path) -> None:
    assert path.stat().st_size <= 8000 * len(json.loads(read_members(path)["run.json"])["tasks"])


@pytest.mark.parametrize("path", [path for path in COMMITTED if "h200" in path.name], ids=lambda path: path.name)
def test_ratio_and_interval_follow_from_the_blocks_of_a_committed_bundle(path: Path) -> None:
    files = read_members(path)
    calibrations = {
        found.device: found
        for name, data in files.items()
        if name.startswith("calibrations/") and (found := codec.loads(DeviceCalibration, data))
    }
    checked = 0
    for record in _records(files):
        for case in record.cases:
            if case.ratio is not None:
                again = _again(case, calibrations[record.host.facts["card_uuid"]], record.protocol)
                for name in ("log_ratio", "low", "high"):
                    said, seen = getattr(case.ratio, name), getattr(again, name)
                    assert (said is None) == (seen is None), (record.task.id, case.id, name)
                    assert said is None or said == pytest.approx(seen, abs=3e-5), (record.task.id, case.id, name)
                checked += 1
    assert checked >= 20


def _records(files: Any) -> Iterator[Record | UnseenRecord]:
    for name, data in files.items():
        if name.startswith("records/"):
            yield read_record(data)
        elif name.startswith("unseen/"):
            yield read_unseen(data)


def _again(case: Any, calibration: DeviceCalibration, protocol: str) -> Ratio:
    """The case's ratio from its blocks alone, by the rule of its protocol."""
    values, errors, device_class = list[list[float]](), [0.0], calibration.device_class
    clock = case.clocks[T_DEV]
    baseline_ns, candidate_ns = median(clock.baseline_ms) * 1e6, median(clock.candidate_ms) * 1e6
    for session in case.sessions:
        counting = [block for block in session.blocks if block.void is None]
        disturbed = len(counting) < BLOCKS and len(session.blocks) == BLOCKS + REPLACED_BLOCKS
        used = session.blocks if disturbed else counting
        excess_ns = error_ns = 0.0
        if session.event_pair_ns:
            excess_ns, error_ns = EventPair(*session.event_pair_ns).excess_ns(REFERENCE_E0_NS[device_class])
        if session.void is None:
            values.append([value for block in used if (value := value_of(block, excess_ns)) is not None])
            errors.append(error_ns * abs(1 / candidate_ns - 1 / baseline_ns))
    if protocol in ("arena-1", "arena-2"):
        found = _until_arena_2(values, calibration.floors[bucket_of(baseline_ns)], calibration.floor_sessions - 1)
        least = max(3_000.0, 2 * calibration.e0_ns)
    else:
        found = widened(estimate(values, calibration.floor(baseline_ns, candidate_ns)), max(errors))
        least = least_ns(device_class)
    shift, censored = min(0.0, math.log(candidate_ns / least)), candidate_ns < least
    low, high = (end + shift if math.isfinite(end) else None for end in (found.low, found.high))
    return Ratio(found.log_ratio + shift, None, None, low, None if censored else high, True, censored, False)


def _until_arena_2(sessions: list[list[float]], floor: float, df: int) -> RatioEstimate:
    """The floor of the baseline's time alone, as if it were known exactly, or the spread that is far above it."""
    means, count = [fmean(blocks) for blocks in sessions], len(sessions)
    spread = fmean(variance(blocks) / len(blocks) for blocks in sessions) + floor**2
    quantile = t_quantile(0.975, math.inf)
    if count > 1 and variance(means) > spread * f_quantile(0.99, count - 1, df):
        spread, quantile = variance(means), t_quantile(0.975, count - 1)
    half = quantile * math.sqrt(spread / count)
    return RatioEstimate(fmean(means), spread / count, math.nan, fmean(means) - half, fmean(means) + half)


def _verdict(record: Record) -> tuple[object, ...]:
    return record.status, record.flags, record.protocol, record.candidate, record.task, record.host
