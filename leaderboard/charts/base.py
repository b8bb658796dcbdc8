"""The parts that all charts share: title, description, height and template; and the sheet that a chart travels on."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
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
MARK = " " * 9  # the width of the mark and letter before a name in the legend


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


LINE = 18.0  # pixels
HEADING_LETTERS, LINE_LETTERS = 66, 100  # that fit into 620 pixels
SheetLine = tuple[float, str, str]  # baseline in pixels, CSS class, text


@dataclass(frozen=True, slots=True)
class Sheet:
    """A chart as a file of its own, which says what it shows and where it is from. SVG breaks no lines: this does."""

    chart: Chart
    subject: str = ""  # suite, category, device class and protocol; or what else the page is about
    source: tuple[str, ...] = ()  # day and address

    @property
    def above(self) -> list[SheetLine]:
        heading, subject = wrap(self.chart.title, HEADING_LETTERS), wrap(self.subject, LINE_LETTERS)
        return _placed(14, [*(("heading", text) for text in heading), *(("tick", text) for text in subject)])

    @property
    def chart_y(self) -> float:
        return LINE * len(self.above) + 12

    @property
    def below(self) -> list[SheetLine]:
        texts = [line for text in (self.chart.note, *self.source) for line in wrap(text, LINE_LETTERS)]
        return _placed(self.chart_y + self.chart.height + 22, [("tick", text) for text in texts])

    @property
    def height(self) -> float:
        """The height with a margin of 16 pixels at both ends."""
        return 2 * 16 + self.chart_y + self.chart.height + (10 + LINE * len(self.below) if self.below else 0)


def _placed(y: float, lines: list[tuple[str, str]]) -> list[SheetLine]:
    return [(y + LINE * index, *line) for index, line in enumerate(lines)]
