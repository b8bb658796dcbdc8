"""The key `relations` of config.yaml: what holds of every right answer, where there are several.

tasks/README.md explains it; evaluator/judge/relations.py judges by it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from evaluator.tasks.fields import Fields
from evaluator.tasks.spec import ITEMSIZE, Axis, Bound, Output, Relation, TaskSpec

FILE = "relations.py"
NAME = re.compile(r"[a-z][a-z0-9_]*")
FLOATS = tuple(dtype for dtype in ITEMSIZE if "float" in dtype)


def read_relations(value: Fields, outputs: tuple[Output, ...], axes: Mapping[str, Axis]) -> tuple[Relation, ...]:
    """Read all relations; each needs a bound for every floating dtype that the outputs it judges can have."""
    judged = [output for output in outputs if not output.unique]
    possible = [axes[one.dtype].values if one.dtype in axes else (one.dtype,) for one in judged]
    wanted = [dtype for dtype in FLOATS if any(dtype in dtypes for dtypes in possible)]
    return tuple(_relation(name, item, wanted, set(axes)) for name, item in value.children(NAME))


def _relation(name: str, value: Fields, wanted: list[str], axes: set[str]) -> Relation:
    if "exact" in value:
        value.only(("exact",))
        return Relation(name, {}, exact=value.string("exact", None))
    value.only(FLOATS)
    if not wanted:
        value.problem("exact", None, "a reason, since no output that is not unique is of floating point")
    for dtype in wanted:
        if dtype not in value:
            value.problem(dtype, None, "a bound, since outputs that are not unique can have this dtype; or `exact`")
    return Relation(name, {dtype: _bound(value.mapping(dtype), axes) for dtype in value.raw if dtype in FLOATS})


def _bound(value: Fields, axes: set[str]) -> Bound:
    value.only(("c", "n", "because"))
    c = float(value.number("c", None, low=0))
    return Bound(c, value.expression("n", axes), value.string("because", None))


def check_relations(task: TaskSpec, arena: Fields, files: Mapping[str, bytes]) -> None:
    """Report what does not fit together: outputs that are not unique, the key `relations` and the file."""
    names, judged = [one.name for one in task.relations], [output for output in task.outputs if not output.unique]
    if names and not judged:
        arena.problem("relations", names, "an output with `unique: false`, which they judge")
    if judged and not names:
        arena.problem("relations", names, f"relations that judge {', '.join(one.name for one in judged)}")
    if names and FILE not in files:
        arena.problem("relations", names, f"a file {FILE} in the folder")
    if FILE in files and not names:
        arena.problem("relations", names, f"the relations that {FILE} computes")
