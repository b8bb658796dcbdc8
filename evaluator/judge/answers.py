"""All outputs of one call, judged together: the one place that says whether an answer is right.

Unique outputs are compared with the reference, each by itself. Those that are not unique must be finite; the task's
relations then judge all outputs of the call at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch

from evaluator.judge.compare import Comparison, Deviation, compare, deviation, not_finite, worst_of
from evaluator.judge.draws import Contents
from evaluator.judge.dropout import kept_of
from evaluator.judge.quantization import quantised_name
from evaluator.judge.reference import Reference
from evaluator.judge.relations import relation_comparisons, relation_errors
from evaluator.tasks.spec import Case

Outputs = Mapping[str, torch.Tensor]


def comparisons(
    source: Reference,
    case: Case,
    contents: Contents,
    outputs: Outputs,
    wanted: Outputs,
    *,
    baseline: Deviation | None,
    least_scales: Mapping[str, float],
) -> Iterator[Comparison]:
    """Yield a verdict on each output and relation, up to the first that is wrong.

    `wanted`: the reference's outputs. Others as in `compare`.
    """
    for one in _of_outputs(source, case, outputs, wanted, baseline, least_scales):
        yield one
        if one.reason is not None:
            return
    if source.task.relations:
        relations = baseline.relations if baseline else {}
        yield from relation_comparisons(source, case, contents, outputs, wanted, relations)


def deviation_of(
    source: Reference,
    case: Case,
    contents: Contents,
    outputs: Outputs,
    wanted: Outputs,
    least_scales: Mapping[str, float],
) -> Deviation | None:
    """Return the largest deviations over all outputs and relations; None if none can be computed.

    What is random, or quantised, deviates by its nature, and would widen the bounds of the others.
    """
    task, deviations = source.task, list[Deviation | None]()
    for spec in task.outputs:
        is_compared = spec.unique and spec.sampled is None and spec.contract is None
        if is_compared and not (spec.dropout and spec.dropout.hidden):
            output, reference = outputs[spec.name], wanted[spec.name]
            if spec.dropout is not None:
                output, reference = kept_of(output, reference, spec.dropout, case)
            deviations.append(deviation(output, reference, least_scales.get(spec.name, 0.0)))
    found = worst_of(deviations)
    if not task.relations or any(not_finite(outputs[one.name], one) for one in task.outputs if not one.unique):
        return found
    inexact = {relation.name for relation in task.relations if not relation.exact}
    errors = relation_errors(source, contents, outputs, wanted)
    return worst_of([found, Deviation(0.0, 0.0, {name: errors[name] for name in errors if name in inexact})])


def _of_outputs(
    source: Reference,
    case: Case,
    outputs: Outputs,
    wanted: Outputs,
    baseline: Deviation | None,
    least_scales: Mapping[str, float],
) -> Iterator[Comparison]:
    for spec in source.task.outputs:
        output = outputs[spec.name]
        if not spec.unique:
            yield not_finite(output, spec) or Comparison(None, f"{spec.name}: judged by relations")
            continue
        yield compare(
            output,
            wanted[spec.name],
            spec=spec,
            tolerance=source.task.tolerance.get(source.task.dtype_of(spec.dtype, case)),
            case=case,
            baseline=baseline,
            least_scale=least_scales.get(spec.name, 0.0),
            honest=wanted.get(quantised_name(spec.name)),
            least_error=least_scales.get(quantised_name(spec.name), 0.0),
        )
