"""How large the elements of short outputs usually are, for cases that nobody has looked at before.

A single output may come out near zero by chance. Relative to itself its error is then large, whoever computed it: of
single dot products of 10 numbers in float32, right in every order, 3 % were "wrong", of 1000 numbers 1 %; with scales
of 32 draws 0.2 % (of 8 draws now and then 2 %), and that with a quarter of what tasks allow. Outputs with more elements
bring their scale along.
"""

from __future__ import annotations

import math

import torch

from evaluator.gates.context import Context
from evaluator.judge.draws import Draw, draws_of
from evaluator.tasks.spec import Case

FEW_ELEMENTS = 64
DRAWS, FROM = 32, 2000  # references a kind of draw, and where their numbers begin: none that is judged has one of these

Scales = dict[str, dict[str, float]]  # by the draw's name and the output's


def least_scales(context: Context, case: Case) -> Scales:
    short = [output.name for output in context.task.outputs if math.prod(output.reference_shape(case)) < FEW_ELEMENTS]
    kinds = {draw.name: draw.kind for draw in draws_of(context.task)} if short else {}
    return {name: _scales(context, case, kind, name, short) for name, kind in kinds.items()}


def _scales(context: Context, case: Case, kind: str, name: str, outputs: list[str]) -> dict[str, float]:
    """RMS of each output over the draws of a name."""
    found: dict[str, list[torch.Tensor]] = {}
    for index in range(DRAWS):
        contents = context.contents(case, Draw(kind, name, FROM + index))
        reference = context.reference.outputs(case, contents)
        for output in outputs:
            values = reference[output]
            found.setdefault(output, []).append(values[values.isfinite()].double().square().reshape(-1))
    return {output: float(torch.cat(squares).mean().sqrt().nan_to_num()) for output, squares in found.items()}
