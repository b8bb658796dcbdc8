"""What the compilers for AMD's targets say about every kernel of both sides, on whatever host: the ISA report.

HIP: said by the build. Triton: by the workers, after the correctness gate has launched everything. A number fails
nobody. What cannot run on gfx942 fails where the host stands in for it; elsewhere, and for other targets, it is noted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from evaluator.backends import cpu
from evaluator.errors import BaselineError
from evaluator.gates.context import Context
from evaluator.inside.isa.targets import GFX942, NOT_IN_TIME, TARGETS
from evaluator.judge.builds import Build
from evaluator.judge.rejection import Rejection, of_exception_class
from evaluator.judge.side import Runner, blaming_baseline
from evaluator.judge.timing.session import SideName
from evaluator.records.record import ISA_NUMBERS, Finding, IsaReport

GATE = "compile"  # findings about kernels belong to it
COMPILED, FAILED, NOT_CHECKED = "compiled", "failed", "not checked: "
MAX_KERNELS, MAX_TEXT, MAX_NUMBER = 400, 200, 1e12  # what a record keeps of a worker's word


def note_build(context: Context, side: SideName, made: Build) -> None:
    """The kernels of a HIP build, which is for gfx942 alone."""
    report = made.gfx942
    kernels = [{"kernel": kernel["name"], "target": GFX942.arch, **kernel} for kernel in report["kernels"]]
    context.isa += _reports(side, kernels)
    if side == "baseline":
        return
    outcome = COMPILED if report["ok"] else FAILED
    context.isa_checked[GFX942.arch] = outcome if report["checked"] else NOT_CHECKED + report["reason"]
    _find_spills(context)
    if not kernels and (report["ok"] or (not report["checked"] and _names_no_kernel(context))):
        _hold_without_kernel(context)


def note_launches(context: Context) -> Rejection | None:
    """The kernels that the candidate's Triton worker launched; a fault that the candidate swallowed counts."""
    reported = _reported(context)
    if isinstance(reported, Rejection):
        return reported
    kernels = reported.kernels
    context.isa += _reports("candidate", kernels)
    for target in TARGETS:
        _check(context, target.arch, [kernel for kernel in kernels if kernel["target"] == target.arch])
    _find_spills(context)
    if not kernels:
        _hold_without_kernel(context)
    return _problem(context, reported)


def launch_problem(context: Context) -> Rejection | None:
    """What the launches so far are turned away for; nothing else is said of them."""
    reported = _reported(context)
    return reported if isinstance(reported, Rejection) else _problem(context, reported)


def note_baseline(context: Context, runner: Runner) -> None:
    """The kernels that the baseline's worker launched.

    Raises:
        BaselineError: its report is none.
    """
    with blaming_baseline(context.task):
        kernels = runner.report().get("kernels")
    if not isinstance(kernels, list) or not all(map(_is_report, kernels)):
        raise BaselineError(f"the baseline of {context.task.id} gave a report that is none")
    context.isa += _reports("baseline", kernels)


def first_error(log: str) -> str:
    """The first line that names an error, else the last line."""
    lines = [line for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if "error:" in line]
    return (errors or lines[-1:] or ["the compiler said nothing"])[0]


class _Reported(NamedTuple):
    """What a worker says of its launches."""

    kernels: list[dict[str, Any]]
    faults: list[list[str]]


def _reported(context: Context) -> _Reported | Rejection:
    assert context.runner is not None
    match context.runner.report():
        case {"kernels": list() as kernels, "faults": list() as faults} if all(map(_is_report, kernels)) and all(
            map(_is_fault, faults)
        ):
            return _Reported(kernels, faults)
    return Rejection("forged_reply", "a report that is none")


def _problem(context: Context, reported: _Reported) -> Rejection | None:
    if reported.faults:
        return of_exception_class(*reported.faults[0])
    return _refusal(context, reported.kernels)


def _is_fault(fault: object) -> bool:
    """The class of an exception that a launch ended in, and its text."""
    return isinstance(fault, list) and len(fault) == 2 and all(isinstance(word, str) for word in fault)


def _is_report(kernel: object) -> bool:
    words = ("kernel", "target", "configuration")
    return (
        isinstance(kernel, dict)
        and all(isinstance(kernel.get(word), str) for word in words)
        and isinstance(kernel.get("error"), str | None)
        and isinstance(kernel.get("skippable"), bool)
    )


def _reports(side: SideName, kernels: Sequence[dict[str, Any]]) -> list[IsaReport]:
    return [
        IsaReport(
            side=side,
            target=kernel["target"][:MAX_TEXT],
            kernel=kernel["kernel"][:MAX_TEXT],
            configuration=kernel.get("configuration", "")[:MAX_TEXT],
            error=first_error(kernel["error"])[:MAX_TEXT] if kernel.get("error") else None,
            numbers={name: _number(kernel.get(name)) for name in ISA_NUMBERS},
        )
        for kernel in kernels[:MAX_KERNELS]
    ]


def _number(value: object) -> int | None:
    """A number that can be true; everything else is "not given"."""
    return value if type(value) is int and 0 <= value < MAX_NUMBER else None


def _check(context: Context, target: str, kernels: Sequence[dict[str, Any]]) -> None:
    """A kernel may fail in some configurations: an autotuner goes on with the others."""
    if not kernels:
        context.isa_checked[target] = f"{NOT_CHECKED}no kernel was launched"
        return
    running = {kernel["kernel"] for kernel in kernels if kernel["error"] is None}
    failed = [kernel for kernel in kernels if kernel["error"] is not None]
    lost = [kernel for kernel in failed if not kernel["skippable"] or kernel["kernel"] not in running]
    late = [kernel for kernel in lost if kernel["error"].startswith(NOT_IN_TIME)]
    if lost and len(late) == len(lost):  # the compiler refused nothing
        context.isa_checked[target] = f"{NOT_CHECKED}{_said(late[0])}"
        return
    context.isa_checked[target] = FAILED if lost else COMPILED
    if lost:
        context.findings.append(Finding(GATE, "target_failed", f"On {target} {_said(lost[0])}."))


def _refusal(context: Context, kernels: Sequence[dict[str, Any]]) -> Rejection | None:
    """Only a host without a GPU stands in for gfx942; what a compiler refuses there fails, launched or swallowed."""
    if context.backend.name != cpu.NAME:
        return None
    ours = (kernel for kernel in kernels if kernel["target"] == GFX942.arch)
    refused = next((kernel for kernel in ours if kernel["error"] is not None and not kernel["skippable"]), None)
    return None if refused is None else Rejection("target_compiler_error", f"{GFX942.arch}: {_said(refused)}")


def _said(kernel: dict[str, Any]) -> str:
    return f"{kernel['kernel']}: {first_error(kernel['error'])}"[:MAX_TEXT]


def _find_spills(context: Context) -> None:
    """Registers that did not suffice: slow, and no fault."""
    for target in TARGETS:
        ours = [one for one in context.isa if one.side == "candidate" and one.target == target.arch]
        names = dict.fromkeys(one.kernel for one in ours if _spills(one))
        if names:
            text = f"On {target.arch} registers do not suffice, so memory holds some, in {', '.join(names)}."
            context.findings.append(Finding(GATE, "spills", text[:MAX_TEXT]))


def _spills(report: IsaReport) -> bool:
    return any(report.numbers[name] for name in ("vgpr_spills", "sgpr_spills", "scratch_bytes"))


def _names_no_kernel(context: Context) -> bool:
    """What can be said of a HIP source where no compiler for gfx942 is."""
    side = context.candidate_side()
    return b"__global__" not in side.files[side.source]


def _hold_without_kernel(context: Context) -> None:
    """Only eager PyTorch, torch2hip's baseline, may answer without a kernel."""
    if context.task.category == "torch2hip" and context.candidate_side().language == "python":
        return
    context.hold(Finding(GATE, "no_kernel", "the answer was computed without a kernel of the candidate's"))
