"""Heat maps: rows of cells with a share as text and as one of five shades."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from leaderboard.charts.base import Chart

LEGEND, HEADER = 30.0, 22.0
ROW_LABEL, CELL, ROW_GAP = 20.0, 40.0, 10.0
GAP = 0.6  # percent of the width between cells
STEPS = (0.5, 0.75, 0.9, 1.0)  # the shade of a share is the number of steps that it reaches
Steps = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class HeatCell:
    column: str
    share: float | None  # None where there are no data
    text: str
    aside: str
    shade: str
    x: float
    width: float

    @property
    def middle(self) -> float:
        return round(self.x + self.width / 2, 3)


@dataclass(frozen=True, slots=True)
class HeatRow:
    label: str
    note: str
    y: float  # baseline of the label
    cells: tuple[HeatCell, ...]

    @property
    def cell_y(self) -> float:
        return self.y + 6

    @property
    def text_y(self) -> float:
        return self.cell_y + 18

    @property
    def aside_y(self) -> float:
        return self.cell_y + 33


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatChart(Chart):
    marks: ClassVar[str] = "charts/_heat.svg"
    columns: tuple[tuple[float, str], ...]  # middle and name
    rows: tuple[HeatRow, ...]
    steps: Steps = STEPS

    @property
    def is_wide(self) -> bool:
        return True

    @property
    def header_y(self) -> float:
        return LEGEND + 12

    @property
    def legend(self) -> list[tuple[float, str, str]]:
        """Position, shade and label of each step."""
        texts = [f"{step:.0%}".replace("%", "\u00a0%") for step in self.steps]
        last = texts[-1] if self.steps[-1] == 1 else f"from {texts[-1]}"
        labels = (f"below {texts[0]}", *(f"from {text}" for text in texts[:-1]), last)
        return [(100 / len(labels) * i, f"step-{i}", label) for i, label in enumerate(labels)]


GivenCell = tuple[float | None, str, str]  # share, text, second line
GivenRow = tuple[str, str, Sequence[GivenCell]]  # label, note, a cell for each column


def heat_map(
    slug: str,
    title: str,
    description: str,
    columns: Sequence[str],
    given: Sequence[GivenRow],
    note: str = "",
    steps: Steps = STEPS,
) -> HeatChart:
    width = round((100 - GAP * (len(columns) - 1)) / len(columns), 3)
    starts = [round(index * (width + GAP), 3) for index in range(len(columns))]
    y, rows = LEGEND + HEADER, []
    for label, aside, cells in given:
        placed = zip(columns, starts, cells, strict=True)
        drawn = tuple(HeatCell(name, *cell, _shade(cell[0], steps), x, width) for name, x, cell in placed)
        rows.append(HeatRow(label, aside, y + 14, drawn))
        y += ROW_LABEL + CELL + ROW_GAP
    return HeatChart(
        slug=slug,
        title=title,
        description=description,
        height=y,
        note=note,
        columns=tuple((round(x + width / 2, 3), name) for name, x in zip(columns, starts, strict=True)),
        rows=tuple(rows),
        steps=steps,
    )


def _shade(share: float | None, steps: Steps) -> str:
    return "empty" if share is None else f"step-{sum(share >= step for step in steps)}"
