"""Problems of a bundle: each has its place, what was seen there, what was expected, and a hint."""

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
    """The whole bundle is refused; `problems` has every reason."""

    def __init__(self, problems: Sequence[BundleProblem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


def shown(value: object, characters: int = SHOWN_CHARACTERS) -> str:
    """A value from outside as a short text that is safe for terminals."""
    text = value if isinstance(value, str) else repr(value)
    text = plain_text(text[: 2 * characters].replace("\n", " "))
    text = "".join(f"\\u{ord(letter):04x}" if is_invisible(letter) else letter for letter in text)
    return text if len(text) <= characters else f"{text[:characters]}…"


def is_invisible(letter: str) -> bool:
    """Whether a character is an invisible mark, such as a joiner or a direction mark, which can disguise a name."""
    return not letter.isascii() and unicodedata.category(letter) in ("Cf", "Zl", "Zp")


def shown_place(path: str) -> str:
    """A path as safe text, longer than other values, since its end is what identifies it."""
    return shown(path, PLACE_CHARACTERS)
