"""Limits on reading a bundle; anything beyond them is refused before it is held in memory."""

from __future__ import annotations

import time
from dataclasses import dataclass

from evaluator.bundles.problems import BundleError, BundleProblem

# Of what is in memory until the whole bundle is read; members' bytes lie in a file.
VALUES = 4_000_000  # of JSON and YAML, 64 to 100 bytes each; the largest real results have 40,000
LINES = 1_000_000  # of JSON, one per measurement, about 400 bytes each
MEASUREMENTS = 1_000_000  # of our own records
MAX_PROBLEMS, MAX_FINDINGS = 1_000, 1_000  # of all problems, and of findings with one code; more are only counted


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """Limits on an archive. A run of 196 tasks with sources, reports and logs has some 3,000 members and 20 MiB."""

    archive_bytes: int = 128 << 20  # packed
    members: int = 20_000  # folders included
    member_bytes: int = 32 << 20  # the largest record of a GPU run, with its raw times, is below 2 MiB
    total_bytes: int = 512 << 20
    ratio: int = 200  # unpacked to packed; JSON of measurements has 10 to 40
    ratio_from_bytes: int = 16 << 20  # below it, any ratio is allowed: a small file may be all zeros
    depth: int = 16  # parts of a path
    name_characters: int = 300
    seconds: float = 60.0
    problems: int = 200  # listed; more are only counted


LIMITS = ReadLimits()


class Budget:
    """Counts what reading one bundle costs, and raises BundleError beyond the limits."""

    def __init__(self, place: str, packed_bytes: int, limits: ReadLimits) -> None:
        self.place, self.packed_bytes, self.limits = place, packed_bytes, limits
        self.unpacked_bytes, self.members = 0, 0
        self._end = time.monotonic() + limits.seconds
        if packed_bytes > limits.archive_bytes:
            self.refuse(f"{packed_bytes >> 20} MiB", f"at most {limits.archive_bytes >> 20} MiB")

    def unpack(self, count: int) -> None:
        """Count bytes that were unpacked, or that a directory declares."""
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
            self.refuse("a bundle that takes too long to read", f"at most {self.limits.seconds:g} s")

    def refuse(self, seen: str, expected: str) -> None:
        hint = "Leave out build products, caches and repositories: results, sources and reports are enough"
        raise BundleError([BundleProblem(self.place, seen, expected, hint)])
