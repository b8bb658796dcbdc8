"""Pseudorandom integers from a round's secret: SHA-256 over a counter, the same on every machine."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")
WORDS = 1 << 256  # as many values as one SHA-256 has


@dataclass(slots=True)
class CounterStream:
    """A stream of integers for one purpose, which nobody can predict or recompute without the secret."""

    prefix: bytes = field(repr=False)
    counter: int = 0

    def below(self, bound: int) -> int:
        """A uniform integer from 0 to bound - 1, bound ≤ 2 ** 256, by rejection sampling."""
        if not 1 <= bound <= WORDS:
            raise ValueError(f"seen a bound of {bound}; expected 1 to 2 ** 256")
        end = WORDS - WORDS % bound
        while (word := self._word()) >= end:
            pass
        return word % bound

    def between(self, low: int, high: int) -> int:
        """A uniform integer from low to high, both included."""
        return low + self.below(high - low + 1)

    def pick(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """`count` different items in random order."""
        left = list(items)
        return [left.pop(self.below(len(left))) for _ in range(count)]

    def _word(self) -> int:
        block = hashlib.sha256(self.prefix + self.counter.to_bytes(8, "big")).digest()
        self.counter += 1
        return int.from_bytes(block, "big")


def stream(generator: str, task_digest: str, secret: bytes, purpose: str) -> CounterStream:
    """The stream for one purpose. Each part of the key is preceded by its length, so that no two keys are equal."""
    words = (generator.encode(), task_digest.encode(), secret, purpose.encode())
    return CounterStream(b"".join(len(word).to_bytes(4, "big") + word for word in words))
