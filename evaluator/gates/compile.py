"""Does the source become something that can be called, with the task's toolchain and for the target architecture?

HIP: built in the sandbox for this processor and for gfx942. Triton: imported, and every case's launches compiled.
"""

from __future__ import annotations

from contextlib import suppress

from evaluator.backends.cpu import TARGET
from evaluator.errors import BaselineError
from evaluator.gates.context import Context
from evaluator.gates.isa import first_error, note_build, note_launches
from evaluator.judge.builds import Build, build
from evaluator.judge.draws import contents_of, draws_of
from evaluator.judge.rejection import Rejection
from evaluator.judge.side import Side
from evaluator.sandbox import WorkerError, WorkerFault

NAME = "compile"


def check(context: Context) -> Rejection | None:
    """Build and load the candidate; leaves a loaded worker for the correctness gate."""
    side = context.candidate_side()
    if side.language == "hip":
        made = build(side, context.backend.toolchain)
        _note_build(context, made)
        if rejection := _rejection(made):
            return rejection
        side.product = made.product
    context.runner = side.runner(cross_compile=True)
    if side.language == "python":
        try:
            _compile_cases(context)
        except WorkerFault:
            with suppress(WorkerError):
                note_launches(context)  # for the record; the fault decides
            raise
    return None


def build_trusted(side: Side, context: Context) -> None:
    """The baseline's product; it must build."""
    if side.language == "hip":
        made = build(side, context.backend.toolchain)
        if made.product is None:
            raise BaselineError(f"the baseline of {context.task.id} does not build: {made.cpu['log'][-500:]}")
        note_build(context, "baseline", made)
        side.product = made.product


def _rejection(made: Build) -> Rejection | None:
    """A source this runtime lacks something for, but which gfx942's compiler takes, is ours to run elsewhere."""
    target_ok = made.gfx942["checked"] and made.gfx942["ok"]
    if made.cpu["ok"]:
        if made.gfx942["checked"] and not made.gfx942["ok"]:
            log = made.gfx942["log"]
            return Rejection("target_compiler_error", f"{TARGET}: {first_error(log)}", log)
        return None if made.cpu["has_module"] else Rejection("no_module", "", made.cpu["log"])
    if made.cpu["fault"] == "timeout":
        return Rejection("build_time", made.cpu["log"] or "the compiler did not end", made.cpu["log"])
    if "#error" in made.cpu["log"]:  # the source refuses this compiler of its own will
        return Rejection("compiler_error", first_error(made.cpu["log"]), made.cpu["log"])
    if made.unsupported and (target_ok or not made.gfx942["checked"]):
        return Rejection("unsupported_feature", ", ".join(made.unsupported), made.cpu["log"])
    if target_ok:
        return Rejection("unsupported_feature", f"the cpu runtime: {first_error(made.cpu['log'])}", made.cpu["log"])
    return Rejection("compiler_error", first_error(made.cpu["log"]), made.cpu["log"])


def _note_build(context: Context, made: Build) -> None:
    context.seconds["build_cpu"] = 0.0 if made.cached else float(made.cpu["seconds"])
    context.seconds["build_gfx942"] = 0.0 if made.cached else float(made.gfx942["seconds"])
    note_build(context, "candidate", made)


def _compile_cases(context: Context) -> None:
    """Every case's launches, on one standard draw. A refusal is raised by the worker, as an exception of a compiler's.

    After anything else that goes wrong the device may be lost to the worker; the correctness gate will say.
    """
    assert context.runner is not None
    draw = draws_of(context.task)[0]
    for case in context.backend.cases(context.task):
        fine = context.runner.compile(case, contents_of(context.task, case, draw, context.seed))
        if not fine and context.backend.torch_device != "cpu":
            return
