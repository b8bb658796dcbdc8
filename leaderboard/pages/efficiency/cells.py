"""Achieved rates and their shares of peaks as cells and sentences, alike on every page that shows them."""

from __future__ import annotations

from collections.abc import Callable

from evaluator.tasks.roofline import Efficiency
from leaderboard.formatting import NBSP, NONE, percent, significant
from leaderboard.tables import Cell, Field, Row

GIGA, TERA = 1e9, 1e12
FASTER_THAN_MEMORY = (
    "IOU is above 100 %: the candidate need not move all the bytes that the task's model counts, or some of them were "
    "still in the L2 cache."
)
FASTER_THAN_UNITS = (
    "MFU is above 100 %: the model counts operations that the candidate does not need, its arithmetic ran on faster "
    "units than its dtype's (float32 in TF32), or the device above its boost clock."
)


def share_cell(share: float | None, note: str = "") -> Cell:
    """A share of a peak; above 100 % as it is, with a mark."""
    if share is None:
        return Cell(NONE, note=note)
    is_above = share > 1
    return Cell(percent(share), share, note=note, mark="▲" if is_above else "", tone="open" if is_above else "")


def rate_text(value: float, unit: str) -> str:
    """A rate with its unit, such as 31.2 TFLOP/s."""
    return f"{significant(value)}{NBSP}{unit}"


def rate_cell(value: float | None, scale: float) -> Cell:
    return Cell(NONE) if value is None else Cell(significant(value / scale), value / scale)


def findings(*found: Efficiency) -> tuple[str, ...]:
    """What to know of shares above 100 %, which are shown as they are and change no status; each once."""
    pairs = [pair for one in found for pair in ((one.iou, FASTER_THAN_MEMORY), (one.mfu, FASTER_THAN_UNITS))]
    return tuple(dict.fromkeys(text for share, text in pairs if share is not None and share > 1))


def fields_of(read: Callable[[Row], Efficiency | None]) -> tuple[Field[Row], ...]:
    """Columns of achieved rates and of their shares of the peaks, with a link to each formula."""

    def value(row: Row, name: str) -> float | None:
        found = read(row)
        number: float | None = getattr(found, name) if found else None
        return number

    def share(name: str, label: str, metric: str) -> Field[Row]:
        return Field(name, label, lambda row: share_cell(value(row, name)), is_number=True, metric=metric)

    return (
        Field(
            "gb_per_s",
            "GB/s",
            lambda row: rate_cell(value(row, "bytes_per_s"), GIGA),
            is_number=True,
            metric="throughput",
        ),
        Field(
            "tflop_per_s",
            "TFLOP/s",
            lambda row: rate_cell(value(row, "flops_per_s"), TERA),
            is_number=True,
            metric="throughput",
        ),
        share("iou", "IOU", "iou"),
        share("mfu", "MFU", "mfu"),
        share("score", "Score", "hardware-score"),
    )
