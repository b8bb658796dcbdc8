"""What is measured of one candidate's code, and medians over several."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median
from typing import Any, Literal, NamedTuple

from leaderboard.formatting import NONE
from leaderboard.pages.base import count_cell
from leaderboard.tables import Cell, Field, Row, Table, fields, table, text_field

METRIC = "code-quality"
PartName = Literal["kernel", "host"]
PARTS: tuple[PartName, ...] = ("kernel", "host")
NO_OPERATOR = "no operator, so no index"
NO_INDEX = "not measured: radon reads Python alone"
UNMEASURED = "Not measured yet. `python manage.py measure_quality` measures what is stored."
NO_CANDIDATE = "No candidate was submitted, so there is no code."


@dataclass(frozen=True, slots=True)
class CodePart:
    """Lines are logical ones of Python, or those of C++ that are neither blank nor a comment."""

    functions: int
    lines: int
    mean_complexity: float | None  # of its functions; None without one
    max_complexity: int | None
    maintainability: float | None  # None for C++, and where there is no operator


@dataclass(frozen=True, slots=True)
class CodeQuality:
    """A part is None where the candidate has none, or where nothing was measured for the reason given."""

    language: str | None  # python or cpp
    kernel: CodePart | None
    host: CodePart | None
    not_measured_because: str | None

    def part(self, name: PartName) -> CodePart | None:
        return self.kernel if name == "kernel" else self.host


@dataclass(frozen=True, slots=True)
class Medians:
    """Medians over the candidates that have the part. `maintainability_of` of them have an index."""

    candidates: int
    lines: float
    mean_complexity: float | None  # median of the means of candidates
    max_complexity: float | None
    maintainability: float | None
    maintainability_of: int


def quality_of(stored: dict[str, Any] | None) -> CodeQuality | None:
    """Read what the database holds; None: not measured yet."""
    if stored is None:
        return None
    parts = {name: CodePart(**stored[name]) if stored.get(name) else None for name in PARTS}
    return CodeQuality(stored.get("language"), parts["kernel"], parts["host"], stored.get("because"))


def medians(found: Iterable[CodeQuality], name: PartName) -> Medians | None:
    """The medians of one part; None where no candidate has it."""
    parts = [part for one in found if (part := one.part(name)) is not None]
    if not parts:
        return None
    indexes = [part.maintainability for part in parts if part.maintainability is not None]
    means = [part.mean_complexity for part in parts if part.mean_complexity is not None]
    largest = [part.max_complexity for part in parts if part.max_complexity is not None]
    return Medians(
        candidates=len(parts),
        lines=median(part.lines for part in parts),
        mean_complexity=median(means) if means else None,
        max_complexity=float(median(largest)) if largest else None,
        maintainability=median(indexes) if indexes else None,
        maintainability_of=len(indexes),
    )


class _Line(NamedTuple):
    name: PartName
    part: CodePart
    language: str | None


def quality_table(found: CodeQuality | None, *, has_candidate: bool) -> Table:
    """The parts of one result's candidate."""
    parts = [(name, found.part(name)) for name in PARTS] if found else []
    lines = [_Line(name, part, found.language if found else None) for name, part in parts if part is not None]
    columns: tuple[Field[_Line], ...] = fields(
        text_field("part", "Part", lambda line: line.name),
        Field("functions", "Functions", lambda line: count_cell(line.part.functions), is_number=True),
        Field("lines", "Lines of code", lambda line: count_cell(line.part.lines), is_number=True),
        _figure("mean_complexity", "Mean complexity", lambda line: _number(line.part.mean_complexity)),
        _figure("max_complexity", "Largest complexity", lambda line: _number(line.part.max_complexity)),
        _figure("maintainability", "Maintainability index", _index_cell),
    )
    caption = "The candidate's own code: cyclomatic complexity of its functions, and maintainability"
    return table("quality", caption, columns, lines, _empty(found, has_candidate=has_candidate))


def median_fields(
    name: PartName, read: Callable[[Row], Medians | None], *, lines: bool = True
) -> tuple[Field[Row], ...]:
    """The columns of one part's medians."""

    def number(value: Callable[[Medians], float | None], note: Callable[[Medians], str]) -> Callable[[Row], Cell]:
        def cell(row: Row) -> Cell:
            if (found := read(row)) is None or (shown := value(found)) is None:
                return Cell(NONE)
            return Cell(shown_number(shown), shown, note=note(found))

        return cell

    label = name.capitalize()
    index = number(lambda one: one.maintainability, lambda one: f"of {one.maintainability_of}")
    most = number(lambda one: one.max_complexity, lambda one: f"mean {shown_number(one.mean_complexity)}")
    length = number(lambda one: one.lines, lambda one: f"of {one.candidates}")
    return (
        _figure(f"{name}_maintainability", f"{label}: index", index),
        _hidden(f"{name}_maintainability_of", read, lambda one: one.maintainability_of),
        _figure(f"{name}_max_complexity", f"{label}: complexity", most),
        _hidden(f"{name}_mean_complexity", read, lambda one: one.mean_complexity),
        Field(f"{name}_lines", f"{label}: lines", length, is_number=True, on_page=lines),
        _hidden(f"{name}_candidates", read, lambda one: one.candidates),
    )


def _figure(key: str, label: str, cell: Callable[[Row], Cell]) -> Field[Row]:
    return Field(key, label, cell, is_number=True, metric=METRIC)


def _hidden(key: str, read: Callable[[Row], Medians | None], value: Callable[[Medians], float | None]) -> Field[Row]:
    def cell(row: Row) -> Cell:
        found = read(row)
        return Cell("", value(found) if found else None)

    return Field(key, "", cell, on_page=False)


def _empty(found: CodeQuality | None, *, has_candidate: bool) -> str:
    if not has_candidate:
        return NO_CANDIDATE
    return f"Not measured: {found.not_measured_because}." if found and found.not_measured_because else UNMEASURED


def _number(value: float | None) -> Cell:
    return Cell(NONE) if value is None else Cell(shown_number(value), value)


def _index_cell(line: _Line) -> Cell:
    if line.part.maintainability is None:
        return Cell(NONE, note=NO_OPERATOR if line.language == "python" else NO_INDEX)
    return _number(line.part.maintainability)


def shown_number(value: float | None) -> str:
    """With one decimal, where it has one: counts and their medians are mostly whole."""
    return NONE if value is None else f"{value:.1f}".removesuffix(".0")
