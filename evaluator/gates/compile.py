"""Does the source become something that can be called, with the task's toolchain and for the target architecture?

HIP: built in the sandbox for this processor and for gfx942. Triton: imported, and every case's launches compiled.
"""

from __future__ import annotations

from evaluator.backends.cpu import TARGET
from evaluator.errors import BaselineError
from evaluator.gates.context import Context
from evaluator.judge.builds import Build, build
from evaluator.judge.draws import contents_of, draws_of
from evaluator.judge.rejection import Rejection, of_exception_class
from evaluator.judge.side import Side
from evaluator.records import Finding, Flag, IsaReport

NAME = "compile"
REPORT_WORDS = ("name", "kernel", "target", "ok", "error", "skippable")  # of a kernel's report: not numbers
MAX_KERNELS, MAX_NAME, MAX_NUMBERS = 200, 200, 30  # what a record keeps of a worker's word


def check(context: Context) -> Rejection | None:
    """Build and load the candidate; leaves a loaded worker for the correctness gate."""
    side = context.candidate_side()
    if side.language == "hip":
        made = build(side, context.backend.toolchain)
        _note(context, made)
        if rejection := _rejection(made):
            return rejection
        side.product = made.product
    context.runner = side.runner(cross_compile=True)
    if side.language == "python":
        _compile_cases(context)
    return None


def build_trusted(side: Side, context: Context) -> None:
    """The baseline's product; it must build."""
    if side.language == "hip":
        made = build(side, context.backend.toolchain)
        if made.product is None:
            raise BaselineError(f"the baseline of {context.task.id} does not build: {made.cpu['log'][-500:]}")
        side.product = made.product


def _rejection(made: Build) -> Rejection | None:
    """A source this runtime lacks something for, but which gfx942's compiler takes, is ours to run elsewhere."""
    target_ok = made.gfx942["checked"] and made.gfx942["ok"]
    if made.cpu["ok"]:
        if made.gfx942["checked"] and not made.gfx942["ok"]:
            return Rejection("target_compiler_error", f"{TARGET}: {_first(made.gfx942['log'])}", made.gfx942["log"])
        return None if made.cpu["has_module"] else Rejection("no_module", "", made.cpu["log"])
    if made.cpu["fault"] == "timeout":
        return Rejection("build_time", made.cpu["log"] or "the compiler did not end", made.cpu["log"])
    if "#error" in made.cpu["log"]:  # the source refuses this compiler of its own will
        return Rejection("compiler_error", _first(made.cpu["log"]), made.cpu["log"])
    if made.unsupported and (target_ok or not made.gfx942["checked"]):
        return Rejection("unsupported_feature", ", ".join(made.unsupported), made.cpu["log"])
    if target_ok:
        return Rejection("unsupported_feature", f"the cpu runtime: {_first(made.cpu['log'])}", made.cpu["log"])
    return Rejection("compiler_error", _first(made.cpu["log"]), made.cpu["log"])


def _note(context: Context, made: Build) -> None:
    context.seconds["build_cpu"] = 0.0 if made.cached else float(made.cpu["seconds"])
    context.seconds["build_gfx942"] = 0.0 if made.cached else float(made.gfx942["seconds"])
    checked = made.gfx942["checked"]
    context.isa_checked[TARGET] = ("compiled" if made.gfx942["ok"] else "failed") if checked else made.gfx942["reason"]
    context.isa += [_isa(str(kernel["name"]), kernel) for kernel in made.gfx942["kernels"]]
    if made.gfx942["ok"] and not made.gfx942["kernels"]:
        _hold_without_kernel(context)


def _compile_cases(context: Context) -> None:
    """Every case's launches, on one standard draw. A refusal is raised by the worker as CompileFailed."""
    assert context.runner is not None
    draw = draws_of(context.task)[0]
    for case in context.backend.cases(context.task):
        context.runner.compile(case, contents_of(context.task, case, draw, context.seed))


def note_launches(context: Context) -> Rejection | None:
    """Triton's ISA reports, after the correctness gate has launched everything; a fault that was swallowed counts."""
    assert context.runner is not None
    report = context.runner.report()
    match report:
        case {"kernels": list() as kernels, "faults": list() as faults} if all(map(_is_report, kernels)):
            pass
        case _:
            return Rejection("forged_reply", "a report that is none")
    context.isa += [_isa(kernel["kernel"], kernel) for kernel in kernels[:MAX_KERNELS]]
    refused = [kernel for kernel in kernels if not kernel["ok"] and not kernel["skippable"]]
    context.isa_checked[TARGET] = ("failed" if refused else "compiled") if kernels else "no kernel was launched"
    if not kernels:
        _hold_without_kernel(context)
    match faults:
        case [[str() as name, str() as text], *_]:
            return of_exception_class(name, text)
    if refused:
        return Rejection(
            "target_compiler_error", f"{TARGET}: {refused[0]['kernel']}: {_first(str(refused[0]['error']))}"
        )
    return None


def _is_report(kernel: object) -> bool:
    return isinstance(kernel, dict) and isinstance(kernel.get("kernel"), str) and {"ok", "skippable"} <= kernel.keys()


def _hold_without_kernel(context: Context) -> None:
    """Only eager PyTorch, torch2hip's baseline, may answer without a kernel."""
    if context.task.category == "torch2hip" and context.candidate_side().language == "python":
        return
    context.flags.add(Flag.HOLD)
    context.findings.append(Finding(NAME, "no_kernel", "the answer was computed without a kernel of the candidate's"))


def _isa(name: str, kernel: dict[str, object]) -> IsaReport:
    numbers = {key[:40]: _number(value) for key, value in kernel.items() if key not in REPORT_WORDS}
    return IsaReport(TARGET, name[:MAX_NAME], dict(list(numbers.items())[:MAX_NUMBERS]))


def _number(value: object) -> int | float | None:
    """A number that can be true; everything else is "not given"."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) < 1e12 else None


def _first(log: str) -> str:
    """The first line that names an error, else the last line."""
    lines = [line for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if "error:" in line]
    return (errors or lines[-1:] or ["the compiler said nothing"])[0]
