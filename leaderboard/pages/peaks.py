"""The peak rates that hardware efficiency is held against: each device class and dtype, with its source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.tasks.peaks import KERNELBENCHX_MACHINES, PEAKS, Peaks
from evaluator.tasks.roofline import TF32_ROUNDING
from leaderboard.formatting import NONE, significant
from leaderboard.pages.base import Page, Query, by_slug
from leaderboard.tables import Cell, Field, Table, fields, hidden, table, text_field

RULES = (
    "Peaks are dense and at boost clock. Arithmetic is held against the fastest units that take the case's dtype: "
    "matrix units for 64, 16 and 8 bits where the device has them, int8 and FP8 each against its own.",
    "float32 is held against TF32 where the limit of relative RMSE by which the case was judged is at least 2⁻¹¹ "
    f"({significant(TF32_ROUNDING)}), the most by which TF32 rounds a factor. The limit is in each result's table of "
    "cases. It is the task's own, or four times the baseline's error where that is larger: a convolution that PyTorch "
    "computes in TF32 admits TF32. Elsewhere float32 is held against the units that keep all its bits.",
    "A dtype without a peak has no MFU and so no score. A task without operations has no MFU; its score is its IOU.",
    "The makers' own pages could not be opened where this table was written. The last column says against what each "
    "device's figures were compared instead, and what was not.",
    "No peak here was measured. A calibration measures reads from the caches, which are faster than device memory, and "
    "products of one dtype.",
)
NAMES = {
    "float64": "FP64",
    "float32": "FP32",
    "tf32": "TF32",
    "float16": "FP16",
    "bfloat16": "BF16",
    "float8_e4m3fn": "FP8",
    "int8": "INT8",
    "int32": "INT32",
}
_SAME = {"float8_e4m3fn": "float8_e4m3fnuz"}  # FP8 in AMD's form


@dataclass(frozen=True, slots=True)
class PeakRow:
    """One device class; rates in GB/s and TFLOP/s or TOP/s."""

    device_class: str
    title: str
    machine: str  # its name in KernelBench-X; empty if that does not have it
    gb_per_s: float
    tflop_per_s: dict[str, float]
    source: str
    url: str
    checked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PeaksPage(Page):
    rules: tuple[str, ...]
    peaks: tuple[PeakRow, ...]


def build(query: Query) -> PeaksPage:
    rows = tuple(map(_row, PEAKS.values()))
    return PeaksPage(
        title="Peak rates and their sources",
        lead="What the makers of GPUs promise. The measured share of it is a kernel's hardware efficiency.",
        tables=by_slug(_rates_table(rows), _sources_table(rows)),
        rules=RULES,
        peaks=rows,
    )


def _row(peaks: Peaks) -> PeakRow:
    machines = {device: machine for machine, device in KERNELBENCHX_MACHINES.items()}
    return PeakRow(
        peaks.device_class,
        peaks.title,
        machines.get(peaks.device_class, ""),
        peaks.bytes_per_s / 1e9,
        {name: rate / 1e12 for name, rate in peaks.flops_per_s.items()},
        peaks.source,
        peaks.url,
        peaks.checked,
    )


def _rates_table(rows: Sequence[PeakRow]) -> Table:
    columns: tuple[Field[PeakRow], ...] = fields(
        Field("title", "Device", lambda row: Cell(row.title, row.title, note=row.device_class)),
        hidden("device_class", lambda row: row.device_class),
        Field("gb_per_s", "GB/s", lambda row: Cell(f"{row.gb_per_s:g}", row.gb_per_s), is_number=True, metric="iou"),
        (_rate_field(name, label) for name, label in NAMES.items()),
        text_field("machine", "In KernelBench-X", lambda row: row.machine or NONE),
    )
    return table("peaks", "Peak rates: device memory, and 10¹² operations a second by dtype", columns, rows, "")


def _rate_field(name: str, label: str) -> Field[PeakRow]:
    def cell(row: PeakRow) -> Cell:
        rate = row.tflop_per_s.get(name, row.tflop_per_s.get(_SAME.get(name, name)))
        return Cell(NONE) if rate is None else Cell(f"{rate:g}", rate)

    return Field(name, label, cell, is_number=True)


def _sources_table(rows: Sequence[PeakRow]) -> Table:
    columns: tuple[Field[PeakRow], ...] = fields(
        Field("title", "Device", lambda row: Cell(row.title, row.title)),
        Field("source", "Source", lambda row: Cell(row.source, row.source, row.url)),
        hidden("url", lambda row: row.url or None),
        text_field("device_class", "Device class", lambda row: row.device_class, is_code=True),
        text_field("checked", "Checked", lambda row: row.checked),
    )
    caption = "Where each device's peaks are from, and against what they were compared"
    return table("sources", caption, columns, rows, "")
