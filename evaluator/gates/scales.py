"""The usual magnitude of short outputs, for unseen cases.

A single element may be near zero by chance, and then the relative error of any correct computation is large. Of single
dot products in float32, 3 % were "wrong" for 10 numbers and 1 % for 1000; with scales from 32 draws 0.2 % (from 8 draws
up to 2 %), with a quarter of the tolerance of tasks. Outputs with more elements need no such scale.
"""

from __future__ import annotations

import math

import torch

from evaluator.gates.context import Context
from evaluator.judge.draws import Draw, draws_of
from evaluator.judge.quantization import quantised_name
from evaluator.tasks.spec import Case

FEW_ELEMENTS = 64
DRAWS, FROM = 32, 2000  # references per kind of draw, and their first index: no judged draw has these indices

Scales = dict[str, dict[str, float]]  # draw's name → output's name → scale


def least_scales(context: Context, case: Case) -> Scales:
    """Return the least scale to which errors of short outputs are relative; longer outputs are left out.

    Of an output with a contract also the usual error of its honest result, under `quantised_name`.
    """
    short = [output.name for output in context.task.outputs if math.prod(output.reference_shape(case)) < FEW_ELEMENTS]
    kinds = {draw.name: draw.kind for draw in draws_of(context.task)} if short else {}
    return {name: _scales(context, case, kind, name, short) for name, kind in kinds.items()}


def _scales(context: Context, case: Case, kind: str, name: str, outputs: list[str]) -> dict[str, float]:
    """Return the RMS of each output over DRAWS draws, and that of an honest quantised output's error."""
    found: dict[str, list[torch.Tensor]] = {}
    for index in range(DRAWS):
        contents = context.contents(case, Draw(kind, name, FROM + index))
        reference = context.reference.outputs(case, contents)
        for output in outputs:
            values, quantised = reference[output].double(), reference.get(quantised_name(output))
            found.setdefault(output, []).append(values[values.isfinite()].square().reshape(-1))
            if quantised is not None:
                error = quantised.double() - values
                found.setdefault(quantised_name(output), []).append(error[error.isfinite()].square().reshape(-1))
    scales = {output: float(torch.cat(squares).mean().sqrt().nan_to_num()) for output, squares in found.items()}
    for output in outputs:
        if (key := quantised_name(output)) in scales:  # an honest scale in half precision is off by more than 0
            scales[key] = max(scales[key], torch.finfo(torch.float16).eps * scales[output])
    return scales
