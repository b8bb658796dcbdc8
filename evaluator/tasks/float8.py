"""The four 8-bit floats: the largest number of each, and which of them the compilers of an architecture know.

NVIDIA's cards have the forms of the Open Compute Project, e5m2 from the first and e4m3fn from sm_89 on; Triton refuses
the others there. AMD's CDNA 3 has the `fnuz` forms, without infinity and negative zero, and Triton converts all four on
every card of AMD. A CPU emulates all four. A case with a form that a device lacks is not run there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from evaluator.tasks.fields import Fields, is_number
from evaluator.tasks.spec import AxisValue, Case, TaskSpec

LARGEST = {"float8_e4m3fn": 448.0, "float8_e5m2": 57344.0, "float8_e4m3fnuz": 240.0, "float8_e5m2fnuz": 57344.0}
OF_AMD = frozenset({"float8_e4m3fnuz", "float8_e5m2fnuz"})
FIRST_WITH_E4M3 = 89


def lacking(architecture: str) -> frozenset[str]:
    """Return the 8-bit floats that an architecture does not have."""
    capability = re.fullmatch(r"sm_(\d+)", architecture)
    if capability is None:
        return frozenset()
    return OF_AMD if int(capability[1]) >= FIRST_WITH_E4M3 else OF_AMD | {"float8_e4m3fn"}


def runs_on(task: TaskSpec, case: Case, architecture: str) -> bool:
    """Return whether the architecture has every dtype of a case."""
    dtypes = [item.dtype for item in task.inputs if not item.is_number] + [output.dtype for output in task.outputs]
    return lacking(architecture).isdisjoint(task.dtype_of(dtype, case) for dtype in dtypes)


def check_range(special: Fields, dtypes: Sequence[AxisValue]) -> None:
    """Report special values beyond an 8-bit float, which would become NaN. Only e5m2 has an infinity."""
    for dtype in LARGEST.keys() & set(dtypes):
        most = math.inf if dtype == "float8_e5m2" else LARGEST[dtype]
        for name, values in special.raw.items():
            for value in values if isinstance(values, list) else ():
                is_infinite = value in (math.inf, -math.inf)
                if (is_infinite and most < math.inf) or (is_number(value) and abs(value) > LARGEST[dtype]):
                    special.problem(str(name), value, f"numbers of {dtype}, whose largest is {LARGEST[dtype]:.15g}")
