"""Tables and the chart of kernels that ran on several devices, with the paper's figures beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from evaluator.bundles.kernelbenchx.golden import COPIES
from leaderboard.charts import Chart, GivenCurve, curves
from leaderboard.formatting import NBSP, NONE, rate_over, short, significant
from leaderboard.pages.base import board_url, count_cell, page_url, task_cell
from leaderboard.pages.portability.shared import (
    ClaimedMachine,
    DeviceSlower,
    KernelOnDevice,
    PortableKernel,
    SpreadLine,
)
from leaderboard.statistics.ratios import POINTS
from leaderboard.tables import Cell, Field, Table, fields, hidden, table, text_field
from leaderboard.words import ALL, STATUSES

NO_KERNEL = "No candidate has been evaluated on two device classes yet. Run the same candidates on another one."
NO_CLAIMS = "No runs of one method on two machines are public here yet. See Submit for how to hand them in."


def spreads_table(lines: Sequence[SpreadLine], suite: str) -> Table:
    columns: tuple[Field[SpreadLine], ...] = fields(
        Field("kernels", "Kernels", lambda one: Cell(one.kernels, one.kernels, note=_claimed(one.is_claimed))),
        hidden("is_claimed", lambda one: one.is_claimed),
        Field("pairs", "On two devices", lambda one: count_cell(one.found.pairs), is_number=True),
        Field("tasks", "Tasks", lambda one: count_cell(one.found.tasks), is_number=True),
        _factor_field("median", "Median", lambda one: one.found.median, "portability"),
        _factor_field("mean", "Mean", lambda one: one.found.mean),
        _factor_field("largest", "Largest", lambda one: one.found.largest),
        hidden("refused", lambda one: one.found.refused),
        (_at_most_field(at) for at in range(len(POINTS))),
    )
    caption = f"Largest over smallest speedup of one kernel over devices{f', on {suite}' if suite else ''}"
    return table("spreads", caption, columns, lines, NO_KERNEL)


def slower_table(rows: Sequence[DeviceSlower], protocol: str) -> Table:
    def rate(key: str, label: str, count: Callable[[DeviceSlower], int], metric: str = "") -> Field[DeviceSlower]:
        def cell(row: DeviceSlower) -> Cell:
            return Cell(rate_over(count(row), row.timed, row.tasks) if row.timed else NONE, count(row))

        return Field(key, label, cell, is_number=True, metric=metric)

    def device_cell(row: DeviceSlower) -> Cell:
        url = board_url(row.suite, row.version, True, ALL, row.device, protocol)
        return Cell(row.device_title, row.device, url)

    columns: tuple[Field[DeviceSlower], ...] = (
        Field("device", "Device class", device_cell),
        text_field("suite", "Suite", lambda row: f"{row.suite}@{row.version}"),
        Field("correct", "Correct", lambda row: count_cell(row.correct), is_number=True),
        Field("timed", "With a speed", lambda row: count_cell(row.timed), is_number=True),
        rate("below", "Interval below 1", lambda row: row.below, "slower"),
        rate("under", "Speedup below 1", lambda row: row.under),
        hidden("timed_tasks", lambda row: row.tasks),
    )
    caption = f"Correct results of entries that are slower than the baseline, by device class, under {protocol}"
    empty = f"No entry has a correct result under {protocol} on a device class with a clock."
    return table("slower", caption, columns, rows, empty)


def machines_table(machines: Sequence[ClaimedMachine]) -> Table:
    columns: tuple[Field[ClaimedMachine], ...] = (
        Field("machine", "Machine", _machine_cell),
        Field("runs", "Submitted runs", lambda one: count_cell(one.runs), is_number=True),
        Field("timed", "Correct, with a speed", lambda one: count_cell(one.timed), is_number=True),
        Field(
            "under",
            "Speedup below 1",
            lambda one: Cell(rate_over(one.under, one.timed, one.tasks) if one.timed else NONE, one.under),
            is_number=True,
            metric="slower",
        ),
        hidden("timed_tasks", lambda one: one.tasks),
    )
    caption = (
        "Claimed kernels of KernelBench-X that are slower than the baseline, by machine: claims, not measured here"
    )
    return table("claimed_machines", caption, columns, machines, NO_CLAIMS)


def disagreement_tables(
    measured: Sequence[PortableKernel], said: Sequence[PortableKernel], devices: Mapping[str, str]
) -> tuple[Table, Table]:
    caption = "Candidates that are right on one device class and wrong on another"
    columns: tuple[Field[PortableKernel], ...] = fields(
        Field("task", "Task", lambda one: task_cell(one.task)),
        Field("entry", "Configuration", _configuration_cell),
        hidden("candidate", lambda one: one.candidate),
        _devices_fields("right", "Right on", lambda one: one.right_on, "result", devices),
        _devices_fields("wrong", "Wrong on", lambda one: one.wrong_on, "result", devices),
    )
    claimed: tuple[Field[PortableKernel], ...] = fields(
        text_field("task", "Task", lambda one: one.task),
        Field("entry", "Method", lambda one: Cell(one.name, one.name, note="self-declared")),
        _devices_fields("right", "Right on", lambda one: one.right_on, "submission", {}),
        _devices_fields("wrong", "Wrong on", lambda one: one.wrong_on, "submission", {}),
    )
    said_caption = (
        "Tasks of submitted KernelBench-X runs that are right on one machine and wrong on another, as claimed"
    )
    none = "Every candidate on two device classes has the same verdict on both, or there is none yet."
    return (
        table("disagreements", caption, columns, measured, none),
        table("claimed_disagreements", said_caption, claimed, said, NO_CLAIMS),
    )


def charts(lines: Sequence[SpreadLine]) -> dict[str, Chart]:
    known = [one for one in lines if one.found.refused is None]
    if not known:
        return {}
    chart = curves(
        "spreads",
        "How far a kernel's speedup differs between devices",
        "For every ratio, the share of kernels whose largest speedup is at most that many times their smallest.",
        ("largest over smallest speedup", "share of kernels"),
        [GivenCurve(f"{one.kernels}{_claimed(one.is_claimed, ', ')}", POINTS, one.found.at_most) for one in known],
    )
    return {chart.slug: chart}


def _machine_cell(one: ClaimedMachine) -> Cell:
    copied = COPIES.get(one.machine)
    note = f"; its published baseline is that of {copied}" if copied else ""
    return Cell(one.machine, one.machine, note=f"self-declared{note}")


def _claimed(is_claimed: bool, before: str = "") -> str:
    return f"{before}as claimed" if is_claimed else ""


def _factor_field(
    key: str, label: str, value: Callable[[SpreadLine], float | None], metric: str = ""
) -> Field[SpreadLine]:
    def cell(one: SpreadLine) -> Cell:
        found = value(one)
        note = (one.found.refused or "") if metric else ""
        return Cell(NONE, note=note) if found is None else Cell(f"{significant(found)}×", found)

    return Field(key, label, cell, is_number=True, metric=metric)


def _at_most_field(at: int) -> Field[SpreadLine]:
    return hidden(f"at_most_{POINTS[at]:g}", lambda one: one.found.at_most[at] if one.found.at_most else None)


def _configuration_cell(one: PortableKernel) -> Cell:
    return Cell(one.name, one.configuration, page_url("configuration", one.configuration), short(one.candidate))


def _devices_fields(
    key: str,
    label: str,
    read: Callable[[PortableKernel], tuple[KernelOnDevice, ...]],
    page: str,
    titles: Mapping[str, str],
) -> tuple[Field[PortableKernel], ...]:
    """The devices with their counts, a link to the first of them, and its status where it is not right."""

    def cell(one: PortableKernel) -> Cell:
        found = read(one)
        text = ", ".join(
            f"{titles.get(each.device, each.device)} ({each.passed}{NBSP}of{NBSP}{each.runs})" for each in found
        )
        devices = " ".join(each.device for each in found)
        note = "" if key == "right" or not found else STATUSES[found[0].status].label
        return Cell(text or NONE, devices or None, page_url(page, found[0].shown) if found else "", note)

    return Field(f"{key}_on", label, cell), hidden(
        f"{key}_{page}", lambda one: found[0].shown if (found := read(one)) else None
    )
