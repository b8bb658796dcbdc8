"""The parts that all charts share: title, description, height and template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Series:
    key: str  # CSS class with its colour
    label: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Tick:
    """A tick of an axis at a percentage of the width or at a height in pixels."""

    at: float
    text: str
    anchor: Anchor = "middle"


NARROW_NAME = 43  # characters that fit into 288 pixels
MARK = " " * 9  # the width of the mark and number before a name in the legend


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    marks: ClassVar[str]  # template of its marks
    slug: str
    title: str
    description: str  # one or two sentences, for people who cannot see it
    height: float
    note: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Texts on lines of their own, which cannot be wrapped."""
        return ()

    @property
    def is_wide(self) -> bool:
        """True if it keeps its width on a narrow screen and scrolls there."""
        return any(len(name) > NARROW_NAME for name in self.names)

    @property
    def standalone_height(self) -> float:
        """The height with a heading and a margin."""
        return self.height + 2 * 16 + 30
