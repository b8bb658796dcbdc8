"""What is wrong with a bundle: place, what was seen there, what was expected, and what to do about it."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.codec import plain_text
from evaluator.errors import EvaluatorError

SHOWN_CHARACTERS = 120
PLACE_CHARACTERS = 400  # a path has 300 at most


@dataclass(frozen=True, slots=True)
class BundleProblem:
    """One reason to refuse a bundle."""

    place: str  # the member, then where in it
    seen: str
    expected: str
    hint: str = ""

    def __str__(self) -> str:
        hint = f". {self.hint}" if self.hint else ""
        return f"{self.place}: seen {self.seen}; expected {self.expected}{hint}"


class BundleError(EvaluatorError):
    """A bundle is refused as a whole; `problems` holds every one of them."""

    def __init__(self, problems: Sequence[BundleProblem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


def shown(value: object, characters: int = SHOWN_CHARACTERS) -> str:
    """A value from outside, as short text that every terminal can hold."""
    text = value if isinstance(value, str) else repr(value)
    text = plain_text(text[: 2 * characters].replace("\n", " "))
    text = "".join(f"\\u{ord(letter):04x}" if is_unseen(letter) else letter for letter in text)
    return text if len(text) <= characters else f"{text[:characters]}…"


def is_unseen(letter: str) -> bool:
    """Marks that join letters, break a line or turn it around: a name with one reads as another."""
    return not letter.isascii() and unicodedata.category(letter) in ("Cf", "Zl", "Zp")


def shown_place(path: str) -> str:
    """Longer than values are: the end of a path is what tells it."""
    return shown(path, PLACE_CHARACTERS)
