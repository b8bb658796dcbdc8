"""What all kinds of charts share: what they are called, how tall they are, and which template draws their marks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Series:
    key: str  # the class that colours it
    label: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Tick:
    """A value of an axis with its place: percent across, or pixels down."""

    at: float
    text: str
    anchor: Anchor = "middle"


NARROW_NAME = 43  # characters that 288 pixels hold
MARK = " " * 9  # what stands before a name of a legend: its mark and its number


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    marks: ClassVar[str]  # the template that draws the kind
    slug: str
    title: str
    description: str  # one or two sentences: what it shows, for who cannot see it
    height: float
    note: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Texts that have a line of their own, which cannot be broken."""
        return ()

    @property
    def is_wide(self) -> bool:
        """Keeps its width on a narrow screen, and scrolls there."""
        return any(len(name) > NARROW_NAME for name in self.names)

    @property
    def standalone_height(self) -> float:
        """With a heading above and air around."""
        return self.height + 2 * 16 + 30
