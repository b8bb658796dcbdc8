"""What AMD's compilers say of a result's kernels: for each target a sentence, and both sides in one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from evaluator.records.record import Record
from leaderboard.formatting import NONE
from leaderboard.tables import Cell, Column, Table, table

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
SAID = {"compiled": "every kernel of the candidate compiles and fits", "failed": "a kernel does not compile or fit"}


@dataclass(frozen=True, slots=True)
class KernelReport:
    """What the compiler for `target` says of one kernel of one side, in one configuration."""

    side: str
    target: str
    kernel: str
    configuration: str
    error: str | None
    numbers: dict[str, int | None]


@dataclass(frozen=True, slots=True)
class TargetSection:
    sentence: str
    table: Table


Pair = tuple[KernelReport | None, KernelReport | None]  # baseline and candidate


def kernels(record: Record | None) -> tuple[KernelReport, ...]:
    return tuple(
        KernelReport(one.side, one.target, one.kernel, one.configuration, one.error, dict(one.numbers))
        for one in (record.isa if record else ())
    )


def sections(found: Sequence[KernelReport], checked: Mapping[str, str]) -> tuple[TargetSection, ...]:
    """One for each target that was asked for or is reported on."""
    targets = dict.fromkeys([*checked, *(kernel.target for kernel in found)])
    return tuple(_section(target, [one for one in found if one.target == target], checked) for target in targets)


def _section(target: str, found: Sequence[KernelReport], checked: Mapping[str, str]) -> TargetSection:
    name = f"{target} ({CARDS[target]})" if target in CARDS else target
    outcome = checked.get(target, "not checked: the candidate's kernels were not reached")
    return TargetSection(f"{name}: {SAID.get(outcome, outcome)}.", _table(target, name, found))


def _table(target: str, name: str, found: Sequence[KernelReport]) -> Table:
    names = [number for number in LABELS if any(kernel.numbers.get(number) is not None for kernel in found)]
    columns = (
        Column("kernel", "Kernel", is_code=True),
        Column("configuration", "Configuration", on_page=False),
        *(Column(f"baseline_{number}", LABELS[number], is_number=True, on_page=False) for number in names),
        *(Column(f"candidate_{number}", LABELS[number], is_number=True) for number in names),
        Column("baseline_error", "Error", on_page=False),
        Column("candidate_error", "Error", on_page=False),
    )
    caption = f"Kernels on {name}, baseline → candidate where they differ"
    rows = [_cells(pair, names) for pair in _pairs(found)]
    return table(f"isa-{target}", caption, columns, rows, "No kernel was compiled for it.")


def _pairs(found: Sequence[KernelReport]) -> list[Pair]:
    """Baseline beside candidate, as alike as can be; what has no counterpart stands alone.

    Both sides launch for the same cases in the same order, so groups of one size are paired in order.
    """
    ours = [kernel for kernel in found if kernel.side == "baseline"]
    theirs = [kernel for kernel in found if kernel.side == "candidate"]
    partners: dict[int, int] = {}  # place among theirs → place among ours
    for length in (4, 2, 1):  # all the same; the configuration at least; the name at least
        open_ours = _places(ours, set(partners.values()), length)
        for key, places in _places(theirs, set(partners), length).items():
            if len(others := open_ours.get(key, [])) == len(places):
                partners |= zip(places, others, strict=True)
    paired = [(ours[partners[place]] if place in partners else None, kernel) for place, kernel in enumerate(theirs)]
    return [*paired, *((kernel, None) for place, kernel in enumerate(ours) if place not in partners.values())]


def _places(found: Sequence[KernelReport], taken: Set[int], length: int) -> dict[tuple[object, ...], list[int]]:
    """Places of those that are not taken, by the first parts of what they are known by."""
    places: dict[tuple[object, ...], list[int]] = {}
    for place, one in enumerate(found):
        if place not in taken:
            key = (one.kernel, one.configuration, one.numbers.get("num_warps"), one.numbers.get("num_stages"))
            places.setdefault(key[:length], []).append(place)
    return places


def _cells(pair: Pair, names: Sequence[str]) -> tuple[Cell, ...]:
    before, after = pair
    kernel = after or before
    assert kernel is not None
    return (
        Cell(kernel.kernel, kernel.kernel, note=_note(pair)),
        Cell(kernel.configuration, kernel.configuration),
        *(Cell("", _value(before, name)) for name in names),
        *(_number(name, _value(before, name), _value(after, name)) for name in names),
        *(Cell("", one.error if one else None) for one in pair),
    )


def _note(pair: Pair) -> str:
    """Which configuration, whose kernel, and why it does not run."""
    before, after = pair
    kernel = after or before
    assert kernel is not None
    said = [kernel.configuration]
    if before and after and before.configuration != after.configuration:
        said = [f"{before.configuration} → {after.configuration}"]
    said += [] if before and after else ["candidate's only" if after else "baseline's only"]
    said += [f"fails: {kernel.error}"] if kernel.error else []
    return "; ".join(filter(None, said))


def _value(kernel: KernelReport | None, name: str) -> int | None:
    return kernel.numbers.get(name) if kernel else None


def _number(name: str, before: int | None, after: int | None) -> Cell:
    """A difference has a mark; colour only where one direction is bad in itself."""
    if before is None or after is None or before == after:
        value = before if after is None else after
        return Cell(NONE, None) if value is None else Cell(str(value), after)
    rises = after > before
    tone = ("bad" if rises else "good") if name in BETTER_ZERO else "ours"
    return Cell(f"{before} → {after}", after, tone=tone, mark="▴" if rises else "▾")
