"""Integers that follow from a round's secret: SHA-256 over a counter, the same on every machine and in every Python."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")
WORDS = 1 << 256  # as many values as one SHA-256 has


@dataclass(slots=True)
class CounterStream:
    """The integers of one purpose, in order. Whoever lacks the secret can neither predict nor recompute them."""

    prefix: bytes = field(repr=False)
    counter: int = 0

    def below(self, bound: int) -> int:
        """A uniform integer from 0 to bound - 1, bound ≤ 2 ** 256: words of an incomplete last turn are passed over."""
        if not 1 <= bound <= WORDS:
            raise ValueError(f"a bound of {bound}; 1 to 2 ** 256 is expected")
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
        """That many different items, in an order of chance."""
        left = list(items)
        return [left.pop(self.below(len(left))) for _ in range(count)]

    def _word(self) -> int:
        block = hashlib.sha256(self.prefix + self.counter.to_bytes(8, "big")).digest()
        self.counter += 1
        return int.from_bytes(block, "big")


def stream(generator: str, task_digest: str, secret: bytes, purpose: str) -> CounterStream:
    """The integers for one purpose. Each word is preceded by its length, so that no two lists of words run together."""
    words = (generator.encode(), task_digest.encode(), secret, purpose.encode())
    return CounterStream(b"".join(len(word).to_bytes(4, "big") + word for word in words))
