"""How a task's contract, cases and results look as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leaderboard.formatting import NONE, significant
from leaderboard.pages.base import entry_name, page_url
from leaderboard.pages.task.contract import InputLine, TaskContract
from leaderboard.queries.generalization import TaskCaseRow
from leaderboard.queries.tasks import TaskResultRow
from leaderboard.tables import Cell, Column, RowGroup, Table, table
from leaderboard.words import CONFIG_CATEGORIES, role_note, status_cell


def cases_table(cases: Sequence[dict[str, Any]]) -> Table:
    names = sorted({name for case in cases for name in case["axes"]})
    columns = (
        Column("case", "Case", is_code=True),
        *(Column(name, name, is_number=True) for name in names),
        Column("profile", "Profile"),
    )
    rows = [
        (
            Cell(str(index), case["id"]),
            *(_axis_cell(case["axes"].get(name)) for name in names),
            Cell(case["profile"], case["profile"]),
        )
        for index, case in enumerate(cases, 1)
    ]
    return table("cases", "The seen cases. Hosts with a CPU only run the small ones.", columns, rows, "No cases.")


def unseen_table(cases: Sequence[TaskCaseRow]) -> Table:
    columns = (
        Column("case", "Case", is_code=True),
        Column("category", "Changed"),
        Column("profile", "Profile"),
        Column("round", "Round"),
        Column("origin", "Origin", on_page=False),
    )
    rows = [
        (
            Cell(one.case.replace(",", ", "), one.case),
            Cell(CONFIG_CATEGORIES[one.category], one.category),
            _text(one.profile),
            _text(one.round),
            _text(one.origin),
        )
        for one in cases
    ]
    caption = "Unseen cases that candidates were tried on, of rounds that are revealed"
    return table("unseen_cases", caption, columns, rows, "None yet: a round's cases are secret until it is revealed.")


def contract_tables(promised: TaskContract) -> tuple[Table, ...]:
    return _axes(promised), _inputs(promised), _outputs(promised), _tolerances(promised)


def results_table(rows: Sequence[TaskResultRow]) -> Table:
    columns = (
        Column("entry", "Entry"),
        Column("configuration", "Configuration", on_page=False),
        Column("status", "Status"),
        Column("message", "What happened"),
        Column("device_class", "Device class", is_code=True),
        Column("suite", "Suite"),
        Column("run", "Run", is_number=True),
    )
    groups = (
        RowGroup(tuple(_result_cells(row) for row in rows if row.is_published)),
        RowGroup(
            tuple(_result_cells(row) for row in rows if not row.is_published),
            "Not published",
            "Drafts: on no board, and they may still change.",
        ),
    )
    empty = "Nobody has tried this task yet. A run on a suite that holds it will."
    return Table("results", "Public answers first", columns, groups, empty)


def _axis_cell(value: object) -> Cell:
    if value is None:
        return Cell(NONE)
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return Cell(text, value if isinstance(value, int | str) else text)


def _result_cells(row: TaskResultRow) -> tuple[Cell, ...]:
    name = entry_name(row.agent, row.model)
    repeat = f"repeat {row.repeat}" if row.repeat else ""
    return (
        Cell(name, name, note=role_note(row.role, repeat)),
        Cell(row.configuration, row.configuration),
        status_cell(row.status, page_url("result", row.id)),
        Cell(row.message or NONE, row.message),
        Cell(row.device, row.device),
        Cell(f"{row.suite}@{row.version}", f"{row.suite}@{row.version}"),
        Cell(str(row.run_id), row.run_id, page_url("run", row.run_id)),
    )


def _axes(promised: TaskContract) -> Table:
    columns = (
        Column("axis", "Axis", is_code=True),
        Column("kind", "Kind"),
        Column("values", "Values"),
        Column("couplings", "Must hold", is_code=True),
    )
    rows = [
        (_text(axis.name), _text(axis.kind), _text(axis.values), _text("; ".join(axis.couplings) or NONE))
        for axis in promised.axes
    ]
    return table("axes", "Axes: what callers may vary", columns, rows, "The task has no axes.")


def _inputs(promised: TaskContract) -> Table:
    columns = (
        Column("input", "Input", is_code=True),
        Column("shape", "Shape", is_code=True),
        Column("dtype", "Type", is_code=True),
        Column("layout", "Layout", is_code=True),
        Column("drawn", "Values are drawn from"),
        Column("notes", "Notes"),
    )
    rows = [
        (
            *(_text(text or NONE) for text in (one.name, one.shape, one.dtype, one.layout)),
            Cell(one.drawn, one.drawn, note=_special(one)),
            _text("; ".join(one.notes) or NONE),
        )
        for one in promised.inputs
    ]
    return table("inputs", "Inputs", columns, rows, "The task has no inputs.")


def _special(one: InputLine) -> str:
    parts = [f"{name} {{{', '.join(values)}}}" for name, values in one.special.items()]
    return f"also draws of only: {'; '.join(parts)}" if parts else ""


def _outputs(promised: TaskContract) -> Table:
    columns = (
        Column("output", "Output", is_code=True),
        Column("shape", "Shape", is_code=True),
        Column("dtype", "Type", is_code=True),
        Column("notes", "Notes"),
    )
    rows = [
        (_text(one.name), _text(one.shape), _text(one.dtype), _text("; ".join(one.notes))) for one in promised.outputs
    ]
    return table("outputs", "Outputs", columns, rows, "The task has no outputs.")


def _tolerances(promised: TaskContract) -> Table:
    columns = (
        Column("dtype", "Type", is_code=True),
        Column("c", "c", is_number=True),
        Column("n", "n", is_code=True),
        Column("tau", "τ", is_number=True),
        Column("because", "Because"),
    )
    rows = [
        (
            _text(one.dtype),
            Cell(f"{one.c:g}", one.c),
            _text(one.n),
            Cell(significant(one.tau, 2), one.tau),
            _text(one.because),
        )
        for one in promised.tolerances
    ]
    empty = "No output is of floating point, so no tolerance is needed."
    return table("tolerances", "How close an output must be", columns, rows, empty)


def _text(text: str) -> Cell:
    return Cell(text, text)
