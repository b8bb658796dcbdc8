"""Test whether the elements of random outputs are independent, each of the others and of every other call's.

An element has a score: a number with mean 0 and variance 1 if its distribution is right, and 0 where it tells nothing.
Sums of independent scores have known sizes, so elements that share a random number show in a sum over the right pairs
or groups. Which ones share it is the author's choice, so all that are usual are tried: pairs at every distance (what
repeats every so many lanes, by rows, or in the other half), pairs that mirror each other, and blocks, columns and
positions of all calls (what is never drawn, or spread evenly on purpose).

Of a large output all elements of a call are compared with each other, and a window of them with the other calls: the
same in each call of a case, at a place that nobody else knows.

All bounds of chances are upper bounds: Bernstein's for independent terms, Freedman's for pairs that share
elements. `python -m scripts.random_outputs` simulates them.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field

import torch

FALSE_ALARM = 1e-11  # a test of a right kernel; an evaluation makes at most 50,000, so it errs in 5 of 10 million
KEPT = 1 << 16  # elements of each call that are compared with those of the other calls
ENOUGH = 1 << 16  # elements that a case needs in all calls together, to see a share that is off by 0.02
MOST_CALLS = 8  # of each kind of inputs, beyond the usual draws
LEAST_BLOCK = 16  # elements: where all are dropped, ten calls show it


def secret_window(count: int, columns: int) -> slice:
    """Return the elements of each call that are compared with those of the other calls: whole rows, if short enough."""
    step = columns if columns <= KEPT else 1
    kept = min(count, KEPT // step * step)
    return slice(first := step * secrets.randbelow((count - kept) // step + 1), first + kept)


def dependence(scores: torch.Tensor) -> str | None:
    """Return what one sequence of scores shows, or None."""
    return _pairs_apart(scores) or _blocks(scores[None])


@dataclass(slots=True)
class Trail:
    """What all calls of a case show together: each call's scores in the window, a row for each kind of score."""

    fourth: tuple[float, ...]  # the fourth moment of each score
    columns: int  # the last dimension of the output
    calls: dict[int, torch.Tensor] = field(default_factory=dict)  # by seed: equal seeds may give equal numbers

    def add(self, seed: int, scores: torch.Tensor) -> None:
        """Add the scores [kinds, elements] of a call."""
        self.calls.setdefault(seed, scores.clone())

    def repeated(self, seed: int, scores: torch.Tensor) -> bool:
        """Return whether a call with another seed had the same numbers, or their opposites."""
        mine = scores[0]
        earlier = [kept[0] for other, kept in self.calls.items() if other != seed]
        if not earlier or not bool(mine.any()):
            return False
        largest = max(float(one.abs().max()) for one in (mine, *earlier)) ** 2
        allowed = _allowed(float(mine.square().sum()), largest, tests=len(earlier))
        return bool((torch.stack(earlier) @ mine).abs().max() > allowed)

    @property
    def calls_needed(self) -> int:
        """How many more calls on each kind of inputs give enough elements."""
        known = sum(int((kept[0] != 0).sum()) for kept in self.calls.values())
        return min(MOST_CALLS, math.ceil(max(0, ENOUGH - known) / max(1, known / len(self.calls))))

    def problem(self) -> str | None:
        """Return what is wrong with all calls together, or None."""
        everything = torch.stack(list(self.calls.values()), 1)
        if not bool(everything[0].any()):
            return "no element tells whether it is random"
        for scores, fourth in zip(everything, self.fourth, strict=True):
            found = _pairs_apart(scores.reshape(-1)) or _blocks(scores)
            if (
                found := found
                or _lines(scores, self.columns)
                or _mirrored(scores, self.columns)
                or _uneven(scores, self.columns, fourth)
            ):
                return f"in {len(scores)} calls, {found}"
        return None


def _pairs_apart(scores: torch.Tensor) -> str | None:
    """Test the pairs at every distance, by the autocorrelation."""
    count = len(scores)
    if count < 2:
        return None
    size = 1 << (2 * count - 1).bit_length()
    sums = torch.fft.irfft(torch.fft.rfft(scores, size).abs().square(), size)[1:count].abs()
    squares = float(scores.square().sum())
    distance = int(sums.argmax())
    if float(sums[distance]) <= _allowed(squares, float(scores.abs().max()) ** 2, tests=count):
        return None
    return f"elements {distance + 1} apart are not independent: correlation {float(sums[distance]) / squares:.2f}"


def _blocks(scores: torch.Tensor) -> str | None:
    """Test the sums of blocks of 16, 32, 64, … elements and of all, counted from either end: what is never drawn."""
    largest, tests = float(scores.abs().max()), 4 * scores.shape[1]
    for sums, known, width in _sums_of_blocks(scores.sum(0), (scores != 0).sum(0).double()):
        excess = sums.abs() - _allowed_each(known, largest, tests)
        if bool((excess > 0).any()):
            at = int(excess.argmax())
            return f"a block of {width} elements is off by {float(sums[at] / known[at].sqrt()):.0f} standard deviations"
    return None


def _lines(scores: torch.Tensor, columns: int) -> str | None:
    """Test the sums of each column and of each row."""
    rows, largest = scores.shape[1] // columns, float(scores.abs().max())
    whole = scores[:, : rows * columns].view(len(scores), rows, columns)
    for what, others in (("column", (0, 1)), ("row", (0, 2))):
        known = (whole != 0).sum(others).double()
        excess = whole.sum(others).abs() - _allowed_each(known, largest, rows + columns)
        if bool((excess > 0).any()):
            return f"{what} {int(excess.argmax())} of those compared is not random"
    return None


def _sums_of_blocks(scores: torch.Tensor, counts: torch.Tensor) -> Iterator[tuple[torch.Tensor, torch.Tensor, int]]:
    """Yield the sums of blocks, how many scores each holds, and the width of its blocks."""
    yield scores.sum()[None], counts.sum()[None], len(scores)
    for ends in ((scores, counts), (scores.flip(0), counts.flip(0))):
        width = LEAST_BLOCK
        sums, known = (_added(each, width) for each in ends)
        while len(sums):
            yield sums, known, width
            sums, known, width = _added(sums, 2), _added(known, 2), 2 * width


def _added(values: torch.Tensor, width: int) -> torch.Tensor:
    return values[: len(values) // width * width].view(-1, width).sum(1)


def _mirrored(scores: torch.Tensor, columns: int) -> str | None:
    """Test the pairs at the same distance from both ends of a block."""
    for width in _widths(scores, columns):
        blocks = _in_blocks(scores, width)
        products = blocks[:, : width // 2] * blocks.flip(1)[:, : width // 2]
        total, largest = float(products.sum()), float(products.abs().max())
        if abs(total) > _allowed(float((products != 0).sum()), largest, tests=1):
            return f"elements that mirror each other in blocks of {width} are not independent"
    return None


def _uneven(scores: torch.Tensor, columns: int, fourth: float) -> str | None:
    """Test whether the sums of blocks, of columns or of positions are too much alike.

    A squared sum in units of its variance has mean 1 and variance 2 + (excess kurtosis) / (number of terms).
    """
    groups = {f"blocks of {width} elements": _in_blocks(scores, width) for width in _widths(scores, columns)}
    rows = scores.shape[1] // columns
    groups["columns"] = scores[:, : rows * columns].reshape(-1, columns).T
    groups["positions"] = scores.T
    for what, each in groups.items():
        counts = (each != 0).sum(1).double()
        each, counts = each[counts > 1], counts[counts > 1]
        squares = each.sum(1).square() / counts
        if float((1 - squares).sum()) > _allowed(float((2 + (fourth - 3) / counts).sum()), 1.0, tests=1):
            return f"the sums of {what} vary {float(squares.mean()):.2f} times as much as they should"
    return None


def _widths(scores: torch.Tensor, columns: int) -> list[int]:
    count = scores.shape[1]
    powers = {1 << power for power in range(1, count.bit_length())}
    return sorted(width for width in powers | {columns, count} if 2 <= width <= count)


def _in_blocks(scores: torch.Tensor, width: int) -> torch.Tensor:
    return scores[:, : scores.shape[1] // width * width].reshape(-1, width)


def _allowed(variance: float, largest: float, tests: int) -> float:
    """Return the largest sum, by Bernstein's bound, of terms of this variance together and this largest size."""
    return float(_allowed_each(torch.tensor(variance, dtype=torch.float64), largest, tests))


def _allowed_each(variance: torch.Tensor, largest: float, tests: int) -> torch.Tensor:
    exponent = math.log(2 * tests / FALSE_ALARM)
    linear = largest * exponent / 3
    return linear + (linear**2 + 2 * variance * exponent).sqrt()
