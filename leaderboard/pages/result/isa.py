"""Reports of AMD's compilers on a result's kernels: for each target a sentence, and both sides in one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from evaluator.records.record import TRANSLATED, Record
from leaderboard.formatting import NONE
from leaderboard.tables import Cell, Field, Table, fields, hidden, table

CARDS = {"gfx942": "MI300X", "gfx950": "MI355X"}
LABELS = {
    "vgpr": "VGPR",
    "agpr": "AGPR",
    "sgpr": "SGPR",
    "lds_bytes": "LDS, bytes",
    "scratch_bytes": "Scratch, bytes",
    "vgpr_spills": "VGPR spills",
    "sgpr_spills": "SGPR spills",
    "occupancy": "Waves per SIMD",
    "mfma": "MFMA",
    "code_bytes": "Code, bytes",
    "num_warps": "Warps",
    "num_stages": "Stages",
}
BETTER_ZERO = ("scratch_bytes", "vgpr_spills", "sgpr_spills")
ORIGIN = (
    "Another compiler translates clang's code for gfx942, its device libraries included: what differs from gfx942 may "
    "come from the compilers."
)
COMPILED = {"compiled": "every kernel of the candidate compiles and fits", "failed": "a kernel does not compile or fit"}


@dataclass(frozen=True, slots=True)
class KernelReport:
    """The compiler's numbers for one kernel of one side on `target`, in one configuration."""

    side: str
    target: str
    kernel: str
    configuration: str
    error: str | None
    numbers: dict[str, int | None]


class KernelPair(NamedTuple):
    """A kernel of the baseline beside its counterpart in the candidate; one of them may be None."""

    baseline: KernelReport | None
    candidate: KernelReport | None

    @property
    def kernel(self) -> KernelReport:
        found = self.candidate or self.baseline
        assert found is not None
        return found


@dataclass(frozen=True, slots=True)
class TargetSection:
    sentence: str
    table: Table


def kernels(record: Record | None) -> tuple[KernelReport, ...]:
    return tuple(
        KernelReport(one.side, one.target, one.kernel, one.configuration, one.error, dict(one.numbers))
        for one in (record.isa if record else ())
    )


def sections(found: Sequence[KernelReport], checked: Mapping[str, str]) -> tuple[TargetSection, ...]:
    """Return one section for each target that was compiled for; `checked` maps targets to their outcomes."""
    targets = dict.fromkeys([*checked, *(kernel.target for kernel in found)])
    return tuple(_section(target, [one for one in found if one.target == target], checked) for target in targets)


def _section(target: str, found: Sequence[KernelReport], checked: Mapping[str, str]) -> TargetSection:
    name = f"{target} ({CARDS[target]})" if target in CARDS else target
    outcome = checked.get(target, "not checked: the candidate's kernels were not reached")
    origin = f" {ORIGIN}" if any(kernel.configuration == TRANSLATED for kernel in found) else ""
    return TargetSection(f"{name}: {COMPILED.get(outcome, outcome)}.{origin}", _table(target, name, found))


def _table(target: str, name: str, found: Sequence[KernelReport]) -> Table:
    numbers = [number for number in LABELS if any(kernel.numbers.get(number) is not None for kernel in found)]
    columns: tuple[Field[KernelPair], ...] = fields(
        Field(
            "kernel",
            "Kernel",
            lambda pair: Cell(pair.kernel.kernel, pair.kernel.kernel, note=_note(pair)),
            is_code=True,
        ),
        hidden("configuration", lambda pair: pair.kernel.configuration),
        (_baseline_field(number) for number in numbers),
        (_candidate_field(number) for number in numbers),
        hidden("baseline_error", lambda pair: pair.baseline.error if pair.baseline else None),
        hidden("candidate_error", lambda pair: pair.candidate.error if pair.candidate else None),
    )
    caption = f"Kernels on {name}, baseline → candidate where they differ"
    return table(f"isa-{target}", caption, columns, _pairs(found), f"No kernel was compiled for {name}.")


def _pairs(found: Sequence[KernelReport]) -> list[KernelPair]:
    """Match kernels of both sides, as alike as can be; one without a counterpart makes a pair of its own.

    Both sides launch for the same cases in the same order, so groups of one size are paired in order.
    """
    baseline = [kernel for kernel in found if kernel.side == "baseline"]
    candidate = [kernel for kernel in found if kernel.side == "candidate"]
    partners: dict[int, int] = {}  # index in candidate → index in baseline
    for length in (4, 2, 1):  # all the same; the configuration at least; the name at least
        free = _indexes(baseline, set(partners.values()), length)
        for key, indexes in _indexes(candidate, set(partners), length).items():
            if len(others := free.get(key, [])) == len(indexes):
                partners |= zip(indexes, others, strict=True)
    paired = [
        KernelPair(baseline[partners[index]] if index in partners else None, kernel)
        for index, kernel in enumerate(candidate)
    ]
    rest = [kernel for index, kernel in enumerate(baseline) if index not in partners.values()]
    return [*paired, *(KernelPair(kernel, None) for kernel in rest)]


def _indexes(found: Sequence[KernelReport], taken: Set[int], length: int) -> dict[tuple[object, ...], list[int]]:
    """Group the indexes that are not taken by the first `length` parts of (name, configuration, warps, stages)."""
    indexes: dict[tuple[object, ...], list[int]] = {}
    for index, one in enumerate(found):
        if index not in taken:
            key = (one.kernel, one.configuration, one.numbers.get("num_warps"), one.numbers.get("num_stages"))
            indexes.setdefault(key[:length], []).append(index)
    return indexes


def _baseline_field(number: str) -> Field[KernelPair]:
    return hidden(f"baseline_{number}", lambda pair: _value(pair.baseline, number))


def _candidate_field(number: str) -> Field[KernelPair]:
    def cell(pair: KernelPair) -> Cell:
        return _number_cell(number, _value(pair.baseline, number), _value(pair.candidate, number))

    return Field(f"candidate_{number}", LABELS[number], cell, is_number=True)


def _note(pair: KernelPair) -> str:
    """The configuration, which side the kernel is of where only one has it, and why it does not compile."""
    before, after = pair
    parts = [] if pair.kernel.configuration == TRANSLATED else [pair.kernel.configuration]
    if before and after and before.configuration != after.configuration:
        parts = [f"{before.configuration} → {after.configuration}"]
    parts += [] if before and after else ["candidate's only" if after else "baseline's only"]
    parts += [f"fails: {pair.kernel.error}"] if pair.kernel.error else []
    return "; ".join(filter(None, parts))


def _value(kernel: KernelReport | None, number: str) -> int | None:
    return kernel.numbers.get(number) if kernel else None


def _number_cell(number: str, before: int | None, after: int | None) -> Cell:
    """The candidate's number, with both and a mark where they differ; coloured only where more is always worse."""
    if before is None or after is None or before == after:
        value = before if after is None else after
        return Cell(NONE, None) if value is None else Cell(str(value), after)
    rises = after > before
    tone = ("bad" if rises else "good") if number in BETTER_ZERO else "ours"
    return Cell(f"{before} → {after}", after, tone=tone, mark="▴" if rises else "▾")
