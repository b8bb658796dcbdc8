"""Compare outputs with the reference: two bounds, both relative to the reference's scale, and rules for NaN."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import torch

from evaluator.errors import TaskError
from evaluator.judge.dropout import kept_of
from evaluator.judge.quantization import ContractResult, judge_contract
from evaluator.judge.sampling import sampling_problem
from evaluator.tasks.spec import Case, Numbers, Output, Sampled, Tolerance
from evaluator.wording import ratio_text

BASELINE_FACTOR = 4.0  # a candidate may be this much worse than the task's own baseline


@dataclass(frozen=True, slots=True)
class Deviation:
    """The distance of float outputs from the reference: RMS error / scale, and the worst |y − r| / (scale + |r|).

    `relations`: errors of outputs that are not unique, by relation.
    """

    rmse: float
    worst: float
    relations: Mapping[str, float] = field(default_factory=dict)

    @property
    def largest(self) -> float:
        """The largest RMS error or error of a relation."""
        return max(self.rmse, *self.relations.values()) if self.relations else self.rmse


@dataclass(frozen=True, slots=True)
class Comparison:
    """The verdict on one output or relation; `reason` is None if it is right.

    A relation has its error in place of the relative RMSE. What must be exact has neither an error nor a bound.
    """

    reason: str | None
    detail: str
    relative_rmse: float | None = None
    allowed_rmse: float | None = None
    contract: tuple[str, ContractResult] | None = None  # of a quantised output, with its name


def compare(
    output: torch.Tensor,
    reference: torch.Tensor,
    *,
    spec: Output,
    tolerance: Tolerance | None,
    case: Case,
    baseline: Deviation | None,
    least_scale: float = 0.0,
    honest: torch.Tensor | None = None,
    least_error: float = 0.0,
) -> Comparison:
    """Compare one output tensor with the reference (float64) on its device; integers must be equal.

    Errors are relative to RMS(reference), or to `least_scale` or the dtype's least normal number if that is larger.
    Where the reference exceeds the dtype's largest number, or is within tau of it, the output may be infinity, since
    rounding to the dtype gives that. NaN is wrong even where the reference holds it, unless the task allows it. The
    reference of sampled outcomes holds probabilities; the samples must fit them. Of numbers, and where dropout is
    hidden, only NaN and infinities are found here, of other dropout only what is kept: `random_outputs` has the rest.
    An output with a contract is judged by its measures, beside those of the `honest` result, whose usual error is
    `least_error` where it is short. The parts of complex numbers count as one value.

    Raises:
        TaskError: the reference holds NaN where the task forbids it, so that no output could be right.
    """
    output = output.to(reference.device)
    if spec.varying and output.shape != reference.shape:
        lengths = f"{list(output.shape)}, for these inputs expected {list(reference.shape)}"
        return Comparison("wrong_shape", f"{spec.name} is {lengths}")
    if spec.nan == "forbidden" and bool(reference.isnan().any()):
        raise TaskError([f"{spec.name}: the reference holds NaN, which the task forbids"])
    if isinstance(spec.sampled, Numbers) or (spec.dropout and spec.dropout.hidden):
        return _not_finite(output, torch.zeros_like(output), spec) or Comparison(None, f"{spec.name}: finite")
    if isinstance(spec.sampled, Sampled):
        unlike = sampling_problem(output, reference)
        return Comparison("mismatch" if unlike else None, f"{spec.name}: {unlike or 'fits the distribution'}")
    if not output.dtype.is_floating_point:
        wrong = int((output.to(reference.dtype) != reference).sum())  # int64 or bool, as the reference
        detail = f"{spec.name}: {wrong} of {output.numel()} values differ"
        return Comparison("mismatch" if wrong else None, detail)
    if spec.dropout is not None:
        output, reference = kept_of(output, reference, spec.dropout, case)
    seen, wanted = output.double(), reference.double()
    tau = tolerance.tau if tolerance else 0.0
    seen = torch.where(_overflows(seen, wanted, output.dtype, tau), wanted, seen)
    if problem := _not_finite(seen, wanted, spec):
        return problem
    if spec.complex:
        seen, wanted = torch.view_as_complex(seen.contiguous()), torch.view_as_complex(wanted.contiguous())
    finite = wanted.isfinite()
    if spec.contract is not None:
        assert honest is not None, "the reference was called on quantised inputs too"
        stored = honest.to(output.dtype).double()  # its own error has the rounding of the output, too
        stored = torch.where(stored.isfinite(), stored, honest)
        result = judge_contract(seen[finite], wanted[finite], stored[finite], spec.contract, least_error)
        return _by_contract(spec.name, result, _scale(wanted[finite], output.dtype, least_scale))
    assert tolerance is not None, "the task reader demands one for every floating dtype"
    scale = _scale(wanted[finite], output.dtype, least_scale)
    return _close(seen[finite], wanted[finite], scale, spec.name, output.dtype, tolerance, case, baseline)


def _by_contract(name: str, result: ContractResult, scale: float) -> Comparison:
    if result.measures is None or result.allowed is None:
        return Comparison("mismatch" if result.missed else None, f"{name}: {', '.join(result.missed) or 'zeros'}")
    rmse, allowed = result.measures.rmse / scale, result.allowed.rmse / scale
    detail = f"{name}: {', '.join(result.missed) or f'relative error {rmse:.1e}, allowed {allowed:.1e}'}"
    return Comparison("mismatch" if result.missed else None, detail, rmse, allowed, (name, result))


def deviation(output: torch.Tensor, reference: torch.Tensor, least_scale: float = 0.0) -> Deviation | None:
    """Return the deviation where the reference is finite. None for exact dtypes, and for outputs of another length or
    that are not finite: those must not widen a candidate's tolerance."""
    if not output.dtype.is_floating_point or output.shape != reference.shape:
        return None
    seen, wanted = output.to(reference.device).double(), reference.double()
    finite = wanted.isfinite() & ~_overflows(seen, wanted, output.dtype, 0.0)
    error, wanted = (seen - wanted)[finite], wanted[finite]
    if not error.isfinite().all():
        return None
    if not error.numel() or float(error.abs().max()) == 0:
        return Deviation(0.0, 0.0)
    scale = _scale(wanted, output.dtype, least_scale)
    return Deviation(_rms(error) / scale, float((error.abs() / (scale + wanted.abs())).max()))


def worst_of(deviations: Iterable[Deviation | None]) -> Deviation | None:
    """Return the largest errors of all deviations that are known; None if none is."""
    known = [one for one in deviations if one is not None]
    if not known:
        return None
    relations = {name: max(one.relations.get(name, 0.0) for one in known) for one in known for name in one.relations}
    return Deviation(max(one.rmse for one in known), max(one.worst for one in known), relations)


def not_finite(seen: torch.Tensor, spec: Output) -> Comparison | None:
    """Return what is wrong with an output of which every value must be finite, or None."""
    if not seen.dtype.is_floating_point:
        return None
    wide = seen.double()  # PyTorch has no isinf for 8-bit floats
    return _not_finite(wide, torch.zeros_like(wide), spec)


def _scale(wanted: torch.Tensor, dtype: torch.dtype, least_scale: float) -> float:
    """Return the scale that errors are relative to: at least the dtype's smallest normal number.

    An output below that underflows to 0. If this counted as a relative error of 1, the baseline would allow candidates
    four times as much, and zeros would pass (ssd_chunk_scan's last state after 4000 steps).
    """
    return max(_rms(wanted) if wanted.numel() else 0.0, least_scale, torch.finfo(dtype).tiny)


def _overflows(seen: torch.Tensor, wanted: torch.Tensor, dtype: torch.dtype, tau: float) -> torch.Tensor:
    """Return where infinities are right: those with the reference's sign, where it exceeds the dtype's range."""
    infinite = seen.isinf()
    if not bool(infinite.any()):
        return infinite
    large = wanted.isfinite() & (wanted.abs() * (1 + tau) >= torch.finfo(dtype).max)
    return infinite & large & (seen.sign() == wanted.sign())


def _not_finite(seen: torch.Tensor, wanted: torch.Tensor, spec: Output) -> Comparison | None:
    nan = seen.isnan() if spec.nan == "forbidden" else seen.isnan() != wanted.isnan()
    if bool(nan.any()):
        return Comparison("nan", f"{spec.name}: {int(nan.sum())} of {seen.numel()} values")
    infinite = (seen.isinf() | wanted.isinf()) & (seen != wanted) & ~wanted.isnan()
    if bool(infinite.any()):
        return Comparison("infinite", f"{spec.name}: {int(infinite.sum())} of {seen.numel()} values")
    return None


def _close(
    seen: torch.Tensor,
    wanted: torch.Tensor,
    scale: float,
    name: str,
    dtype: torch.dtype,
    tolerance: Tolerance,
    case: Case,
    baseline: Deviation | None,
) -> Comparison:
    """Compare finite values with both bounds: at most four times the baseline's errors, or the task's tolerance.

    The baseline counts because of millions of elements a few are always far off, in correct outputs too.
    """
    if not wanted.numel():
        return Comparison(None, f"{name}: no finite value to compare", 0.0, 0.0)
    error = (seen - wanted).abs()
    rmse = _rms(error) / scale if float(error.max()) > 0 else 0.0
    noise = tolerance.c * eps_of(dtype) * math.sqrt(max(1.0, float(tolerance.n.value(case.numbers))))
    allowed = max(BASELINE_FACTOR * baseline.rmse if baseline else 0.0, noise)
    bound = max(BASELINE_FACTOR * baseline.worst if baseline else 0.0, tolerance.tau) * (scale + wanted.abs())
    outside = int((error > bound).sum())
    if rmse <= allowed and not outside:
        return Comparison(None, f"{name}: relative error {rmse:.1e}, allowed {allowed:.1e}", rmse, allowed)
    counts = f"{outside} of {wanted.numel()} values"
    if not float(bound.max()):  # no ratio: what is to be copied must be equal
        detail = f"{counts} differ, and none may; relative error {rmse:.1e}"
        return Comparison("mismatch", f"{name}: {detail}", rmse, allowed)
    worst = ratio_text(float((error / bound).max()))
    detail = f"{counts} outside their bound, the worst {worst} times; relative error {rmse:.1e}, allowed {allowed:.1e}"
    return Comparison("mismatch", f"{name}: {detail}", rmse, allowed)


def eps_of(dtype: torch.dtype) -> float:
    """Return the distance from 1 to the next number; torch 2.13 says 0.125 of e5m2fnuz, which has two bits after it."""
    return 0.25 if dtype == torch.float8_e5m2fnuz else torch.finfo(dtype).eps


def _rms(values: torch.Tensor) -> float:
    return float(values.abs().square().mean().sqrt())
