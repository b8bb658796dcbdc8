"""How much of a bundle is read at most. Everything above is refused before it is held in memory."""

from __future__ import annotations

import time
from dataclasses import dataclass

from evaluator.bundles.problems import BundleError, BundleProblem

# Of what is held in memory until a bundle is read whole; members lie in a file until they are asked for.
VALUES = 4_000_000  # of JSON and YAML: 64 to 100 bytes each; the largest real results have 40,000
LINES = 1_000_000  # of JSON, one a measurement: about 400 bytes
MEASUREMENTS = 1_000_000  # of our own records
PROBLEMS_KEPT, FINDINGS_KEPT = 1_000, 1_000  # all problems; findings of one code; the rest is counted


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """Defaults: a run of 196 tasks with sources, reports and logs has some 3,000 members and 20 MiB."""

    archive_bytes: int = 128 << 20  # as it lies on disk
    members: int = 20_000  # folders included
    member_bytes: int = 32 << 20  # the largest record of a GPU run, with its raw times, is below 2 MiB
    total_bytes: int = 512 << 20
    ratio: int = 200  # unpacked to packed; JSON of measurements has 10 to 40
    ratio_from_bytes: int = 16 << 20  # a small file may be all zeros
    depth: int = 16  # parts of a path
    name_characters: int = 300
    seconds: float = 60.0
    problems: int = 200  # shown; the rest is counted


LIMITS = ReadLimits()


class Budget:
    """What reading one bundle has cost so far; raises BundleError where it costs too much."""

    def __init__(self, place: str, packed_bytes: int, limits: ReadLimits) -> None:
        self.place, self.packed_bytes, self.limits = place, packed_bytes, limits
        self.unpacked_bytes, self.members = 0, 0
        self._end = time.monotonic() + limits.seconds
        if packed_bytes > limits.archive_bytes:
            self.refuse(f"{packed_bytes >> 20} MiB", f"at most {limits.archive_bytes >> 20} MiB")

    def unpack(self, count: int) -> None:
        """`count` more bytes were unpacked, or are said to be there."""
        self.unpacked_bytes += count
        if self.unpacked_bytes > self.limits.total_bytes:
            self.refuse("more", f"at most {self.limits.total_bytes >> 20} MiB in all")
        allowed = max(self.limits.ratio_from_bytes, self.limits.ratio * self.packed_bytes)
        if self.unpacked_bytes > allowed:
            self.refuse("more", f"at most {self.limits.ratio} times its size when unpacked")
        self.tick()

    def count_member(self) -> None:
        self.members += 1
        if self.members > self.limits.members:
            self.refuse("more", f"at most {self.limits.members} files and folders")
        self.tick()

    def tick(self) -> None:
        if time.monotonic() > self._end:
            self.refuse("still not read whole", f"to be read within {self.limits.seconds:g} s")

    def refuse(self, seen: str, expected: str) -> None:
        hint = "Leave build products, caches and repositories out: results, sources and reports are enough"
        raise BundleError([BundleProblem(self.place, seen, expected, hint)])
