"""What the cross-compilers say about every kernel, for the record; no number of theirs fails anybody.

HIP: reported by the build. Triton: by the worker, after the correctness gate has launched everything.
"""

from __future__ import annotations

from evaluator.backends.cpu import TARGET
from evaluator.gates.context import Context
from evaluator.judge.builds import Build
from evaluator.judge.rejection import Rejection, of_exception_class
from evaluator.records import Finding, IsaReport

GATE = "compile"  # findings about kernels belong to it
REPORT_WORDS = ("name", "kernel", "target", "ok", "error", "skippable")  # of a kernel's report: not numbers
MAX_KERNELS, MAX_NAME, MAX_NUMBERS = 200, 200, 30  # what a record keeps of a worker's word


def note_build(context: Context, made: Build) -> None:
    """The kernels of a HIP build."""
    checked = made.gfx942["checked"]
    context.isa_checked[TARGET] = ("compiled" if made.gfx942["ok"] else "failed") if checked else made.gfx942["reason"]
    context.isa += [_report(str(kernel["name"]), kernel) for kernel in made.gfx942["kernels"]]
    if made.gfx942["ok"] and not made.gfx942["kernels"]:
        _hold_without_kernel(context)


def note_launches(context: Context) -> Rejection | None:
    """The kernels that a Triton worker launched; a fault that the candidate swallowed counts."""
    assert context.runner is not None
    report = context.runner.report()
    match report:
        case {"kernels": list() as kernels, "faults": list() as faults} if all(map(_is_report, kernels)):
            pass
        case _:
            return Rejection("forged_reply", "a report that is none")
    context.isa += [_report(kernel["kernel"], kernel) for kernel in kernels[:MAX_KERNELS]]
    refused = [kernel for kernel in kernels if not kernel["ok"] and not kernel["skippable"]]
    context.isa_checked[TARGET] = ("failed" if refused else "compiled") if kernels else "no kernel was launched"
    if not kernels:
        _hold_without_kernel(context)
    match faults:
        case [[str() as name, str() as text], *_]:
            return of_exception_class(name, text)
    if refused:
        first = refused[0]
        return Rejection("target_compiler_error", f"{TARGET}: {first['kernel']}: {first_error(str(first['error']))}")
    return None


def first_error(log: str) -> str:
    """The first line that names an error, else the last line."""
    lines = [line for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if "error:" in line]
    return (errors or lines[-1:] or ["the compiler said nothing"])[0]


def _is_report(kernel: object) -> bool:
    return isinstance(kernel, dict) and isinstance(kernel.get("kernel"), str) and {"ok", "skippable"} <= kernel.keys()


def _hold_without_kernel(context: Context) -> None:
    """Only eager PyTorch, torch2hip's baseline, may answer without a kernel."""
    if context.task.category == "torch2hip" and context.candidate_side().language == "python":
        return
    context.hold(Finding(GATE, "no_kernel", "the answer was computed without a kernel of the candidate's"))


def _report(name: str, kernel: dict[str, object]) -> IsaReport:
    numbers = {key[:40]: _number(value) for key, value in kernel.items() if key not in REPORT_WORDS}
    return IsaReport(TARGET, name[:MAX_NAME], dict(list(numbers.items())[:MAX_NUMBERS]))


def _number(value: object) -> int | float | None:
    """A number that can be true; everything else is "not given"."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) < 1e12 else None
