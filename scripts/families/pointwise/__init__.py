"""Pointwise operators of KernelBench-X: one formula for every element, from PyTorch to one Triton kernel."""

from __future__ import annotations

from evaluator.tasks.fields import Fields
from scripts.families.layout import paragraphs
from scripts.families.pointwise.config import config
from scripts.families.pointwise.operator import Operator
from scripts.families.pointwise.sources import candidate, module, reference
from scripts.families.pointwise.table import rows

__all__ = ["folder", "rows"]


def folder(task_id: str, row: Fields) -> dict[str, bytes]:
    """The files of a task by path."""
    name = task_id.rpartition("/")[2]
    operator = Operator(name, str(row.raw["category"]), row)
    title, (second, right, wrong) = operator.text("title"), map(operator.part, ("second", "right", "wrong"))
    asked = f"Write `{name}.py`, with Triton kernels and a `forward` function of the same meaning."
    files = {
        "config.yaml": config(operator),
        "description.md": paragraphs(f"{operator.text('description').strip()} {asked}"),
        "module.py": module(operator, f"{title}, in plain PyTorch."),
        "reference.py": reference(operator, f"{title}, by PyTorch.", operator.part("reference")["code"]),
        "variants/second.py": reference(operator, second["says"], second["code"]),
        f"variants/right/{name}.py": candidate(operator, right["says"], right["code"]),
        "variants/right/expected": "passed\n",
        f"variants/wrong/{name}.py": candidate(operator, wrong["says"], wrong["code"]),
        "variants/wrong/expected": "wrong_output\n",
    }
    return {path: text.encode() for path, text in files.items()}
