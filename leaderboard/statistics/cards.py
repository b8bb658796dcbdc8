"""What the difference of two entries owes to the cards on which they were measured.

A card may err in one direction on all tasks, so its errors are added up as they are, not averaged over tasks. Entries
whose results are on the same cards owe nothing to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leaderboard.statistics.results import Numbers, ResultMatrix

Index = int | NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class CardSpread:
    """Standard deviation of each task's log ratio from card to card, in the order of the matrices."""

    sds: Numbers
    df: int  # cards less one


@dataclass(frozen=True, slots=True, eq=False)
class CardPart:
    """The cards' part of the variance of a mean difference, or of each of several."""

    variance: Numbers | float = 0.0
    df: int = 1

    def added_to(self, variance: Numbers, df: int) -> tuple[Numbers, Numbers]:
        """Return the sum with another part, and its degrees of freedom: the cards', where they have any part.

        Those of Welch and Satterthwaite, between the two, make intervals that hold the truth in 92.6 to 95 % only.
        """
        return np.asarray(variance + self.variance), np.where(np.asarray(self.variance) > 0, min(df, self.df), df)


NO_CARDS = CardPart()


@dataclass(frozen=True, slots=True, eq=False)
class CardEffects:
    """Deviation of each entry's mean from each card's effect: entries × cards."""

    sds: Numbers
    df: int

    @classmethod
    def of(cls, entries: Sequence[ResultMatrix], spread: CardSpread | None) -> CardEffects:
        """Without a spread nothing is known of cards, and nothing is added for them."""
        if spread is None or not entries:
            return cls(np.zeros((len(entries), 1)), 1)
        cards = {card: at for at, card in enumerate(dict.fromkeys(card for one in entries for card in one.cards.flat))}
        sds = np.zeros((len(entries), len(cards)))
        for row, one in zip(sds, entries, strict=True):
            shares = np.broadcast_to(spread.sds[:, None] / one.cards.size, one.cards.shape)
            np.add.at(row, [cards[card] for card in one.cards.flat], shares.ravel())
        return cls(sds, spread.df)

    def between(self, first: Index, second: Index) -> CardPart:
        """Return the part of the differences of these entries."""
        return CardPart(np.square(self.sds[first] - self.sds[second]).sum(axis=-1), self.df)


def are_on_one_card(entries: Sequence[ResultMatrix]) -> bool:
    return len({card for one in entries for card in one.cards[one.known]}) <= 1
