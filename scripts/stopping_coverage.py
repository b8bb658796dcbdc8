"""Coverage of a case's interval when sessions and blocks end by its width, by simulation with known ratios.

usage: python scripts/stopping_coverage.py [--repeats N]    prints the table; 5000 repeats take two minutes on one core.

Blocks vary as those of the committed bundles from GPUs do, scale and heavy tails included. What differs between
sessions is a host's own spread, by the time of each side, once normal and once with heavy tails. The floor is an
estimate of that spread from as many A/A sessions as the committed calibrations have, or is not known.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot, log, sqrt
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from evaluator.bundles.archives.archive import read_members  # noqa: E402
from evaluator.judge.timing.estimate import RatioEstimate, estimate, has_narrow_blocks  # noqa: E402
from evaluator.records.calibration import Floor  # noqa: E402
from evaluator.thresholds import (  # noqa: E402
    BLOCKS,
    LEAST_BLOCKS,
    MAX_SESSIONS,
    SESSIONS,
    TIME_BUCKETS_NS,
    bucket_of,
)

BUNDLES = tuple(sorted((ROOT / "tasks" / "bundles").glob("h200-sxm-*")))
SEED = 20_261_130
# From the calibration of one H200: sd of the log ratio between A/A sessions, and what it is known with.
HOST_SD: Mapping[str, float] = {"5-10us": 0.0285, "10-50us": 0.0072, "50-500us": 0.0007, ">500us": 0.0004}
FLOOR_DF = 11
LOG_RATIOS = (0.0, 0.1, 0.7)  # none, a small and a large gain
TAILS_DF = 4  # of heavy-tailed spreads, scaled to the same sd
BEFORE = 3 * BLOCKS  # blocks of a case under arena-2, at least


@dataclass(frozen=True, slots=True)
class Noise:
    """What blocks of measured sessions differ from their session's mean: the sd of each session, and all in its sd."""

    scales: np.ndarray
    shapes: np.ndarray


@dataclass(frozen=True, slots=True)
class Scenario:
    shows: str
    baseline: str  # time bucket
    candidate: str
    knows_floor: bool = True
    has_tails: bool = False
    times_host: float = 1.0  # spread of this candidate's sessions, in that of the host's own

    @property
    def host_sd(self) -> float:
        return hypot(HOST_SD[self.baseline], HOST_SD[self.candidate]) / sqrt(2)


@dataclass(frozen=True, slots=True)
class CaseCoverage:
    share: float  # of intervals that contain the true ratio
    sessions: float
    blocks: float  # of all sessions of a case
    half_width: float  # the median


def scenarios() -> Iterator[Scenario]:
    """Every pair of buckets next to each other, the candidate not the slower one."""
    buckets = list(TIME_BUCKETS_NS)
    pairs = [(bucket, bucket) for bucket in buckets] + [(slow, fast) for fast, slow in pairwise(buckets)]
    for baseline, candidate in pairs:
        name = f"{baseline} to {candidate}"
        yield Scenario(name, baseline, candidate)
        yield Scenario(f"{name}, heavy tails", baseline, candidate, has_tails=True)
        yield Scenario(f"{name}, no floor", baseline, candidate, knows_floor=False)
        yield Scenario(f"{name}, twice the host's spread", baseline, candidate, times_host=2.0)


def measure(scenario: Scenario, noises: Mapping[str, Noise], repeats: int) -> CaseCoverage:
    """Time the same made-up case again and again."""
    draws = np.random.default_rng([SEED, *scenario.shows.encode()])
    held, sessions, counts, widths = 0, 0, 0, list[float]()
    for _ in range(repeats):
        truth = float(draws.choice(LOG_RATIOS if scenario.baseline == scenario.candidate else LOG_RATIOS[-1:]))
        found, taken = _case(scenario, truth, noises[scenario.baseline], draws)
        held += found.low <= truth <= found.high
        sessions += len(taken)
        counts += sum(map(len, taken))
        widths.append(found.half_width)
    return CaseCoverage(held / repeats, sessions / repeats, counts / repeats, median(widths))


def _case(
    scenario: Scenario, truth: float, noise: Noise, draws: np.random.Generator
) -> tuple[RatioEstimate, list[list[float]]]:
    """Time sessions of a case until the interval is narrow, as gates/performance does."""
    floor = None
    if scenario.knows_floor:
        floor = Floor(scenario.host_sd * sqrt(draws.chisquare(FLOOR_DF) / FLOOR_DF), FLOOR_DF)
    scale = draws.choice(noise.scales)
    taken = list[list[float]]()
    while True:
        shape = draws.standard_t(TAILS_DF) / sqrt(TAILS_DF / (TAILS_DF - 2)) if scenario.has_tails else draws.normal()
        shift = truth + scenario.times_host * scenario.host_sd * float(shape)
        taken.append(_session((shift + scale * draws.choice(noise.shapes, BLOCKS)).tolist(), floor))
        if len(taken) >= SESSIONS:
            found = estimate(taken, floor)
            if not found.is_wide or len(taken) == MAX_SESSIONS:
                return found, taken


def _session(blocks: list[float], floor: Floor | None) -> list[float]:
    """The first of these blocks, until there are enough."""
    counts = range(LEAST_BLOCKS, BLOCKS, 2)
    return blocks[: next((count for count in counts if has_narrow_blocks(blocks[:count], floor)), BLOCKS)]


def measured_noise(bundles: Sequence[Path] = BUNDLES) -> dict[str, Noise]:
    """The noise of blocks in all sessions of these bundles, by the baseline's time bucket."""
    found = defaultdict[str, list[np.ndarray]](list)
    for record in _records(bundles):
        for session in (session for case in record["cases"] for session in case["sessions"]):
            valid = [block for block in session["blocks"] if block["void"] is None]
            values = np.array([log(median(b["baseline_ns"])) - log(median(b["candidate_ns"])) for b in valid])
            if len(values) >= BLOCKS and values.std() > 0:
                bucket = bucket_of(median(time for block in valid for time in block["baseline_ns"]))
                found[bucket].append(values)
    return {bucket: _noise(sessions) for bucket, sessions in found.items()}


def _noise(sessions: Sequence[np.ndarray]) -> Noise:
    """Noise around the sessions' own means, which are closer to their blocks than the true ones: hence the factor."""
    scales = np.array([values.std(ddof=1) for values in sessions])
    shapes = [
        (values - values.mean()) / scale * sqrt(len(values) / (len(values) - 1))
        for values, scale in zip(sessions, scales, strict=True)
    ]
    return Noise(scales, np.concatenate(shapes))


def seconds_per_block(bundles: Sequence[Path] = BUNDLES) -> float:
    """The median, over the records of these bundles, of what a block took, canaries and copies included."""
    found = list[float]()
    for record in _records(bundles):
        if blocks := sum(len(session["blocks"]) for case in record["cases"] for session in case["sessions"]):
            found.append((record["seconds"]["timed"] - record["seconds"].get("judging", 0.0)) / blocks)
    return median(found)


def _records(bundles: Sequence[Path]) -> Iterator[dict[str, Any]]:
    for path in bundles:
        for name, data in read_members(path).items():
            if name.startswith("records/"):
                yield json.loads(data)


def main() -> None:
    parser = argparse.ArgumentParser(description="Coverage of a case's interval that ends its own measurement.")
    parser.add_argument("--repeats", type=int, default=5000)
    repeats = parser.parse_args().repeats
    noises, seconds = measured_noise(), seconds_per_block()
    sys.stdout.write(f"{'':<46} coverage  half-width  sessions  blocks (least before: {BEFORE})\n")
    saved = list[float]()
    for scenario in scenarios():
        found = measure(scenario, noises, repeats)
        numbers = f"{found.share:8.1%}  {found.half_width:10.4f}  {found.sessions:8.2f}  {found.blocks:6.1f}"
        sys.stdout.write(f"{scenario.shows:<46} {numbers}\n")
        if scenario.knows_floor and scenario.times_host == 1 and scenario.baseline != "5-10us":
            saved.append(BEFORE - found.blocks)
    sys.stdout.write(f"A case with a floor saves {fmean(saved):.0f} blocks of {1000 * seconds:.0f} ms on average.\n")


if __name__ == "__main__":
    main()
