"""The contract of a quantised output: three measures against the full-precision result, all of which must hold.

KernelBench-X (arXiv 2605.04956, section 3 and table 6) asks for a cosine of at least 0.90 to 0.95, a relative L1 error
of at most 0.05 to 0.10 and an RMSE of at most 0.10 to 0.15, which is absolute. Honest kernels miss some of these: an
RMSE grows with √K, and four bits leave an L1 error of 0.11. So the judge quantises the inputs itself and calls the
reference on them. What that honest result misses is bounded by its own error times a margin, on the same contents.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch

from evaluator.judge.draws import Contents
from evaluator.tasks.spec import Groups, Quantization

# Simulated on 165 to 262,144 outputs with K from 67 to 4096: scales rounded to half precision, ties upwards and an
# output in half precision make up to 1.06 times the honest RMSE. Eight bits truncated make 2.0 times and more, seven
# bits 1.7 to 2.1 times, four bits truncated 1.4 to 2.2 times. The divisor is part of the form: of contents that max/127
# meets exactly, as some special ones are, max/128 misses what the honest result does not.
MARGIN = 1.25
# The largest error of a single element was up to 1.2 times the honest one; what is missing is further off.
ELEMENT_MARGIN = 2.0
# Both are wider by this over √n for n outputs, since two errors of the same kind differ by chance. Then kernels with a
# scale for every 32 numbers, or with scales in half precision, failed on none of 18,000 draws of 45 to 1024 outputs,
# with outliers or without; without it one in 700 did.
SPREAD = 8.0
# On standard inputs, a scale for every 32 numbers leaves 0.6 to 0.8 of the honest error, and a product of unquantised
# numbers that is rounded to bfloat16 has 0.13 to 0.21 of that of eight bits. Fewer outputs tell too little.
TOO_EXACT, ENOUGH_OUTPUTS = 0.25, 64
TINY = 1e-100  # so that nothing is divided by 0


class ErrorMeasures(NamedTuple):
    cosine: float
    l1: float
    rmse: float


NO_ERROR = ErrorMeasures(cosine=1.0, l1=0.0, rmse=0.0)


@dataclass(frozen=True, slots=True)
class ContractResult:
    """`missed`: the measures beyond their bound, in words; `missed_as_printed`: those beyond the printed thresholds.

    `share`: its RMSE over that of the honest result; None where that has no error, or too few elements.
    """

    missed: tuple[str, ...]
    missed_as_printed: tuple[str, ...]
    measures: ErrorMeasures | None
    allowed: ErrorMeasures | None
    share: float | None


@dataclass(slots=True)
class ContractEvidence:
    """What the right calls of one output showed in a case, or in all."""

    calls: int = 0
    calls_that_miss: int = 0  # the printed thresholds
    worst: ErrorMeasures = NO_ERROR
    share: float | None = None  # the smallest on standard inputs

    def add(self, result: ContractResult, *, is_standard: bool) -> None:
        share = result.share if is_standard else None
        self.join(ContractEvidence(1, bool(result.missed_as_printed), result.measures or self.worst, share))

    def join(self, other: ContractEvidence) -> None:
        self.calls += other.calls
        self.calls_that_miss += other.calls_that_miss
        (cosine, *errors), (other_cosine, *others) = self.worst, other.worst
        self.worst = ErrorMeasures(min(cosine, other_cosine), *map(max, errors, others))
        self.share = min((one for one in (self.share, other.share) if one is not None), default=None)

    @property
    def is_too_exact(self) -> bool:
        """Whether a call had a smaller error than quantised numbers leave."""
        return self.share is not None and self.share < TOO_EXACT

    def printed_verdict(self, contract: Quantization) -> str:
        if not self.calls_that_miss:
            return f"meets the thresholds as printed in all {self.calls} calls"
        missed = ", ".join(_missed(self.worst, _printed(contract)))
        calls = f"{self.calls_that_miss} of {self.calls} calls"
        return f"misses the thresholds as printed in {calls}, at worst with {missed}: {contract.because}"


def quantised_name(output: str) -> str:
    """The name under which a reference's outputs hold the honest result of a quantised output."""
    return f"{output}, quantised"


def quantised_inputs(contents: Contents, contract: Quantization) -> Contents:
    """Return contents in float64 with the contract's inputs quantised and dequantised."""
    rounded = dict(contents)
    for name, groups in contract.inputs:
        value = rounded[name]
        if isinstance(value, torch.Tensor):  # an absent input is None
            rounded[name] = quantise(value, groups)
    return rounded


def quantise(values: torch.Tensor, groups: Groups) -> torch.Tensor:
    """Return q·s for each group: s = max|x| / m, q = x / s to the nearest whole number, ties to even.

    m = 2^(bits − 1) − 1, the symmetric form of KernelBench-X's tasks with a zero point of 0; s is 1 where all are zero.
    """
    most = 2 ** (groups.bits - 1) - 1
    if groups.size is None:
        return _rounded(values, groups.along, most)
    moved = values.movedim(groups.along[0], -1)
    length = moved.shape[-1]
    padded = torch.nn.functional.pad(moved, (0, -length % groups.size))
    whole = _rounded(padded.reshape(*moved.shape[:-1], -1, groups.size), (-1,), most).flatten(-2)
    return whole[..., :length].movedim(-1, groups.along[0])


def _rounded(values: torch.Tensor, along: tuple[int, ...], most: int) -> torch.Tensor:
    scale = values.abs().amax(along, keepdim=True) / most
    scale = torch.where(scale == 0, 1.0, scale)
    return torch.round(values / scale) * scale


def measures_of(output: torch.Tensor, reference: torch.Tensor) -> ErrorMeasures:
    """Return Σor / √(Σo²·Σr²), Σ|o − r| / Σ|r| and √(mean (o − r)²), as in KernelBench-X's appendix C.

    NaN where a measure is undefined, as the cosine of zeros is.
    """
    error = output - reference
    norms = float(output.square().sum().sqrt() * reference.square().sum().sqrt())
    cosine = float((output * reference).sum()) / norms if norms else math.nan
    size = float(reference.abs().sum())
    l1 = float(error.abs().sum()) / size if size else math.nan
    return ErrorMeasures(cosine, l1, float(error.square().mean().sqrt()))


def judge_contract(
    output: torch.Tensor,
    reference: torch.Tensor,
    honest: torch.Tensor,
    contract: Quantization,
    least_error: float = 0.0,
) -> ContractResult:
    """Judge finite values in float64 of one output against the reference and the honest result.

    `least_error`: the usual RMSE of an honest result this short, since that of a few values may be small by chance.
    Where the reference is zero throughout, nothing is relative to it, and only zeros are right.
    """
    if not reference.numel():
        return ContractResult(("no finite value to compare",), (), None, None, None)
    if not bool(reference.any()):
        wrong = ("values other than zero",) if bool(output.any()) else ()
        return ContractResult(wrong, wrong, None, None, None)
    seen, printed = measures_of(output, reference), _printed(contract)
    own = measures_of(honest, reference)
    size, mean = (max(float(one), TINY) for one in (reference.square().mean().sqrt(), reference.abs().mean()))
    margin = MARGIN + SPREAD / math.sqrt(reference.numel())
    allowed = ErrorMeasures(
        min(printed.cosine, 1 - margin**2 * max(1 - own.cosine, (least_error / size) ** 2 / 2)),
        max(printed.l1, margin * max(own.l1, least_error / mean)),
        max(printed.rmse, margin * max(own.rmse, least_error)),
    )
    outside = _far_off(output, reference, honest, least_error)
    missed = _missed(seen, allowed) + ((f"{outside} of {reference.numel()} values far off",) if outside else ())
    tells = reference.numel() >= ENOUGH_OUTPUTS and own.rmse > 1e-9 * float(reference.square().mean().sqrt())
    return ContractResult(missed, _missed(seen, printed), seen, allowed, seen.rmse / own.rmse if tells else None)


def _printed(contract: Quantization) -> ErrorMeasures:
    return ErrorMeasures(contract.cosine, contract.l1, contract.rmse)


def _far_off(output: torch.Tensor, reference: torch.Tensor, honest: torch.Tensor, least_error: float) -> int:
    """Return how many elements are further off than any element of the honest result, relative to RMS + |r|."""
    scale = reference.square().mean().sqrt() + reference.abs()
    worst = max(float(((honest - reference).abs() / scale).max()), torch.finfo(torch.float16).eps)
    margin = ELEMENT_MARGIN + SPREAD / math.sqrt(reference.numel())
    return int(((output - reference).abs() > margin * (worst * scale).clamp_min(least_error)).sum())


def _missed(seen: ErrorMeasures, bound: ErrorMeasures) -> tuple[str, ...]:
    """Name the measures that do not hold; a comparison with NaN is false, so one that is undefined does not."""
    found = []
    if not seen.cosine >= bound.cosine:
        found.append(f"cosine {seen.cosine:.4f} < {bound.cosine:.4f}")
    if not seen.l1 <= bound.l1:
        found.append(f"L1 {seen.l1:.4f} > {bound.l1:.4f}")
    if not seen.rmse <= bound.rmse:
        found.append(f"RMSE {seen.rmse:.4g} > {bound.rmse:.4g}")
    return tuple(found)
