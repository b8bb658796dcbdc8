"""The ISA report: resource usage of every kernel of both sides, as compilers for AMD's targets report it on any host.

For HIP it comes from the build, whose code for gfx942 is translated to gfx950, for Triton from the workers after the
correctness gate has launched every kernel. No number fails a candidate. A kernel that cannot run on gfx942 fails on a
host that stands in for gfx942; elsewhere, and for other targets, it is a finding.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from evaluator.backends import cpu
from evaluator.errors import BaselineError
from evaluator.gates.context import Context
from evaluator.host_paths import without_host_paths
from evaluator.inside.excerpts import cut
from evaluator.inside.isa.targets import GFX942, GFX950, NOT_IN_TIME, TARGETS
from evaluator.judge.builds import Build
from evaluator.judge.rejection import Rejection, of_exception_class
from evaluator.judge.side import Runner, blaming_baseline
from evaluator.judge.timing.session import SideName
from evaluator.judge.traces import base_name
from evaluator.records.record import ISA_NUMBERS, TRANSLATED, Finding, IsaReport

GATE = "compile"  # the gate that the findings name
COMPILED, FAILED, NOT_CHECKED = "compiled", "failed", "not checked: "
EMPTY_BYTES = 4  # the instruction that ends a kernel
# Bounds on what a worker's report may put into a record.
MAX_KERNELS, MAX_TEXT, MAX_ERROR, MAX_NUMBER = 400, 200, 300, 1e12
_ERROR = re.compile(r"(?<![A-Za-z])(?:error|ERROR|fatal) {0,4}:")  # clang, nvcc and ptxas; no exception's class
_SUMMARY = re.compile(r"linker command failed|frontend command failed|ld returned \d+ exit status")


def note_build(context: Context, side: SideName, made: Build) -> None:
    """Add the kernels of a HIP build to the report. What is not translated to gfx950 is not checked, and no failure."""
    report, translated = made.gfx942, made.gfx950
    kernels = [{"kernel": kernel["name"], "target": GFX942.arch, **kernel} for kernel in report["kernels"]]
    context.isa += _reports(side, kernels)
    there = {"target": GFX950.arch, "configuration": TRANSLATED}
    context.isa += _reports(side, [{"kernel": kernel["name"], **there, **kernel} for kernel in translated["kernels"]])
    if side == "baseline":
        return
    outcome = COMPILED if report["ok"] else FAILED
    context.isa_checked[GFX942.arch] = outcome if report["checked"] else NOT_CHECKED + report["reason"]
    lack = None if translated["checked"] else NOT_CHECKED + _objection(translated["reason"])
    context.isa_checked[GFX950.arch] = lack or COMPILED
    _find_spills(context)
    if not kernels and (report["ok"] or (not report["checked"] and _names_no_kernel(context))):
        _hold_without_kernel(context)
    if kernels and len(empty := _empty_kernels(context)) == len(kernels):
        _hold_empty(context, empty)


def note_ran(context: Context) -> Rejection | None:
    """Hold a HIP candidate that ran a kernel here which is empty on gfx942: its source knows where it is compiled.

    A kernel that is empty everywhere never runs: the compiler drops its calls.
    """
    assert context.runner is not None
    ran = context.runner.report().get("ran")
    if not isinstance(ran, list) or not all(isinstance(name, str) for name in ran):
        return Rejection("forged_reply", "a malformed report of kernels")
    empty, full = _empty_kernels(context), _filled_kernels(context)
    bases = {base_name(name) for name in empty} - {base_name(name) for name in full}
    found = [name for name in ran if name[:MAX_TEXT] in empty or base_name(name) in bases]
    if found and not any(finding.code == "empty_on_target" for finding in context.findings):
        _hold_empty(context, found)
    return None


def note_launches(context: Context) -> Rejection | None:
    """Add the kernels that the candidate's Triton worker launched; reject faults, also those the candidate caught."""
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
    """Return the rejection for the launches so far, if any, without adding to the report."""
    reported = _reported(context)
    return reported if isinstance(reported, Rejection) else _problem(context, reported)


def is_baseline_known(context: Context) -> bool:
    """Return whether an earlier evaluation has compiled the kernels that the baseline launches on these cases."""
    return _key_of_baseline(context) in context.baseline_kernels


def note_baseline(context: Context, runner: Runner) -> None:
    """Add the kernels that the baseline launches to the report, by its worker unless they are known.

    Raises:
        BaselineError: the worker's report is malformed.
    """
    key = _key_of_baseline(context)
    kernels: object = context.baseline_kernels.get(key)
    if kernels is None:
        with blaming_baseline(context.task), context.device_lock.released():
            kernels = runner.report().get("kernels")
    if not isinstance(kernels, list) or not all(map(_is_report, kernels)):
        raise BaselineError(f"the baseline of {context.task.id} gave a malformed ISA report")
    if not any(str(kernel.get("error")).startswith(NOT_IN_TIME) for kernel in kernels):
        context.baseline_kernels[key] = kernels
    context.isa += _reports("baseline", kernels)


def _key_of_baseline(context: Context) -> tuple[str, ...]:
    return (context.task.digest, *(case.id for case in context.backend.cases(context.task)))


def first_error(log: str) -> str:
    """Return the line of a compiler's or linker's output that names the first error, else the last line."""
    lines = [line for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if _ERROR.search(line)]
    causes = [line for line in errors if not _SUMMARY.search(line)]
    missing = [line for line in lines if "undefined reference" in line]
    return (causes or missing or errors or lines[-1:] or ["the compiler printed nothing"])[0]


class _Reported(NamedTuple):
    """A worker's report of its launches: its kernels, and faults as [exception class, text]."""

    kernels: list[dict[str, Any]]
    faults: list[list[str]]


def _reported(context: Context) -> _Reported | Rejection:
    assert context.runner is not None
    with context.device_lock.released():  # it compiles for AMD's targets, for minutes
        report = context.runner.report()
    match report:
        case {"kernels": list() as kernels, "faults": list() as faults} if all(map(_is_report, kernels)) and all(
            map(_is_fault, faults)
        ):
            return _Reported(kernels, faults)
    return Rejection("forged_reply", "a malformed ISA report")


def _problem(context: Context, reported: _Reported) -> Rejection | None:
    if reported.faults:
        return of_exception_class(*reported.faults[0])
    return _refusal(context, reported.kernels)


def _is_fault(fault: object) -> bool:
    """Return whether it is [exception class, text]."""
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
            target=cut(kernel["target"], MAX_TEXT),
            kernel=cut(kernel["kernel"], MAX_TEXT),
            configuration=cut(kernel.get("configuration", ""), MAX_TEXT),
            error=_objection(kernel["error"]) if kernel.get("error") else None,
            numbers={name: _number(kernel.get(name)) for name in ISA_NUMBERS},
        )
        for kernel in kernels[:MAX_KERNELS]
    ]


def _number(value: object) -> int | None:
    """Return the value if it is a plausible integer, else None."""
    return value if type(value) is int and 0 <= value < MAX_NUMBER else None


def _check(context: Context, target: str, kernels: Sequence[dict[str, Any]]) -> None:
    """Set the outcome for a target. A kernel may fail in configurations that an autotuner can skip."""
    if not kernels:
        context.isa_checked[target] = f"{NOT_CHECKED}no kernel was launched"
        return
    running = {kernel["kernel"] for kernel in kernels if kernel["error"] is None}
    failed = [kernel for kernel in kernels if kernel["error"] is not None]
    lost = [kernel for kernel in failed if not kernel["skippable"] or kernel["kernel"] not in running]
    late = [kernel for kernel in lost if kernel["error"].startswith(NOT_IN_TIME)]
    if lost and len(late) == len(lost):  # the compiler refused nothing
        context.isa_checked[target] = f"{NOT_CHECKED}{_error_line(late[0])}"
        return
    context.isa_checked[target] = FAILED if lost else COMPILED
    if lost:
        context.findings.append(Finding(GATE, "target_failed", f"On {target} {_error_line(lost[0])}."))


def _refusal(context: Context, kernels: Sequence[dict[str, Any]]) -> Rejection | None:
    """Reject kernels that do not compile for gfx942, on a host without a GPU, which stands in for gfx942."""
    if context.backend.name != cpu.NAME:
        return None
    ours = (kernel for kernel in kernels if kernel["target"] == GFX942.arch)
    refused = next((kernel for kernel in ours if kernel["error"] is not None and not kernel["skippable"]), None)
    return None if refused is None else Rejection("target_compiler_error", f"{GFX942.arch}: {_error_line(refused)}")


def _error_line(kernel: dict[str, Any]) -> str:
    return f"{cut(kernel['kernel'], MAX_TEXT)}: {_objection(kernel['error'])}"


def _objection(error: str) -> str:
    """Return why a kernel does not compile: the exception or signal, then the first error that the compiler printed."""
    first, _, others = without_host_paths(error).strip().partition("\n")
    printed = next((line.strip() for line in others.splitlines() if _ERROR.search(line)), "")
    return cut(f"{first}: {printed}" if printed else first, MAX_ERROR)


def _find_spills(context: Context) -> None:
    """Report register spills as findings: slow, but allowed."""
    for target in TARGETS:
        ours = [one for one in context.isa if one.side == "candidate" and one.target == target.arch]
        names = dict.fromkeys(one.kernel for one in ours if _spills(one))
        if names:
            text = f"On {target.arch} registers spill to memory in {', '.join(names)}."
            context.findings.append(Finding(GATE, "spills", cut(text, MAX_TEXT)))


def _spills(report: IsaReport) -> bool:
    return any(report.numbers[name] for name in ("vgpr_spills", "sgpr_spills", "scratch_bytes"))


def _empty_kernels(context: Context) -> list[str]:
    return [one.kernel for one in _on_gfx942(context) if (one.numbers["code_bytes"] or 0) <= EMPTY_BYTES]


def _filled_kernels(context: Context) -> list[str]:
    return [one.kernel for one in _on_gfx942(context) if (one.numbers["code_bytes"] or 0) > EMPTY_BYTES]


def _on_gfx942(context: Context) -> list[IsaReport]:
    """Return the candidate's kernels whose code size on gfx942 is known."""
    ours = (one for one in context.isa if one.side == "candidate" and one.target == GFX942.arch)
    return [one for one in ours if one.numbers["code_bytes"] is not None]


def _hold_empty(context: Context, kernels: Sequence[str]) -> None:
    text = f"On {GFX942.arch} these kernels do nothing: {', '.join(kernels)}"
    context.hold(Finding(GATE, "empty_on_target", f"{text[:MAX_TEXT]}."))


def _names_no_kernel(context: Context) -> bool:
    """Return whether a HIP source defines no kernel: the only check without a compiler for gfx942."""
    side = context.candidate_side()
    return b"__global__" not in side.files[side.source]


def _hold_without_kernel(context: Context) -> None:
    """Put a result without any kernel on hold, except for the lines of the library."""
    if context.is_library_line:
        return
    context.hold(Finding(GATE, "no_kernel", "the output was computed without any kernel of the candidate"))
