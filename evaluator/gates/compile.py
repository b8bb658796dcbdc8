"""The compile gate: can the source be built and called, with the task's toolchain and for the target architecture?

HIP sources are built in the sandbox for this host's device and for gfx942, and
translated to gfx950. Triton sources are imported, and the
launches of every case compiled, on a GPU ahead and over all cores.
"""

from __future__ import annotations

from contextlib import suppress

from evaluator.backends import cpu
from evaluator.backends.cpu import TARGET
from evaluator.errors import BaselineError
from evaluator.gates.ahead import compile_ahead
from evaluator.gates.context import Context
from evaluator.gates.isa import first_error, note_build, note_launches
from evaluator.gates.source import report
from evaluator.gates.symbols import findings_of
from evaluator.inside.excerpts import excerpt
from evaluator.judge.builds import Build, build
from evaluator.judge.draws import draws_of
from evaluator.judge.rejection import Rejection
from evaluator.judge.side import MAX_LOG, Side, blaming_baseline
from evaluator.sandbox import WorkerError, WorkerFault

NAME = "compile"


def check(context: Context) -> Rejection | None:
    """Build and load the candidate; leave a loaded worker for the correctness gate."""
    compile_ahead(context)
    if rejection := load(context, cross_compile=True):
        return rejection
    if context.candidate_side().language == "python":
        try:
            compile_cases(context)
        except WorkerFault:
            with suppress(WorkerError):
                note_launches(context)  # for the record; the fault decides
            raise
    return None


def load(context: Context, *, cross_compile: bool) -> Rejection | None:
    """Build a HIP source, then start a worker that has loaded the candidate: what is the same for all cases."""
    side = context.candidate_side()
    if side.language == "hip":
        with context.spending("build"), context.device_lock.released():
            made = build(side, context.backend.toolchain)
        _note_build(context, made)
        if made.not_portable:
            return _not_portable(context, ", ".join(made.not_portable))
        if rejection := _rejection(made, stands_in=context.backend.name == cpu.NAME):
            return rejection
        side.product = made.product
        report(context, NAME, side.source, findings_of(made.native.get("uses", {})))
    with context.device_lock.released():
        side.ready_sandbox()
    context.runner = side.runner(cross_compile=cross_compile)
    return None


def build_trusted(side: Side, context: Context) -> Rejection | None:
    """Build the baseline; return a Rejection if it is not portable to this host's device.

    Raises:
        BaselineError: it does not build.
    """
    if side.language == "hip":
        with blaming_baseline(context.task), context.spending("build"), context.device_lock.released():
            made = build(side, context.backend.toolchain)
        if made.not_portable:
            return _not_portable(context, f"the baseline, {', '.join(made.not_portable)}")
        if made.product is None:
            raise BaselineError(
                f"the baseline of {context.task.id} does not build: {excerpt(made.native['log'], MAX_LOG)}"
            )
        note_build(context, "baseline", made)
        side.product = made.product
    return None


def _rejection(made: Build, stands_in: bool) -> Rejection | None:
    """Translate failed builds. A source that only this host cannot build, while gfx942's compiler can, is not judged.

    `stands_in`: the host has no GPU and stands in for gfx942, so a source must also build for gfx942.
    """
    native, gfx942, log = made.native, made.gfx942, str(made.native["log"])
    target_ok = gfx942["checked"] and gfx942["ok"]
    if native["ok"]:
        if stands_in and gfx942["checked"] and not gfx942["ok"]:
            return Rejection("target_compiler_error", f"{TARGET}: {first_error(gfx942['log'])}", gfx942["log"])
        return None if native["has_module"] else Rejection("no_module", "", log)
    if native["fault"] == "timeout":
        return Rejection("build_time", log.strip().rpartition("\n")[2].removeprefix("error: "), log)
    if native["fault"] == "size" or "#error" in log:  # an #error directive is the source's own decision
        return Rejection("compiler_error", first_error(log), log)
    if made.unsupported and (target_ok or not gfx942["checked"]):
        return Rejection("unsupported_feature", ", ".join(made.unsupported), log)
    if target_ok:
        return Rejection("unsupported_feature", f"this host's compiler: {first_error(log)}", log)
    return Rejection("compiler_error", first_error(log), log)


def _not_portable(context: Context, where: str) -> Rejection:
    return Rejection("unsupported_feature", f"not portable to {context.backend.wave_size} lanes: {where}")


def _note_build(context: Context, made: Build) -> None:
    context.seconds[f"build_{context.backend.name}"] = 0.0 if made.cached else float(made.native["seconds"])
    context.seconds["build_gfx942"] = 0.0 if made.cached else float(made.gfx942["seconds"])
    context.seconds["build_gfx950"] = 0.0 if made.cached else float(made.gfx950["seconds"])
    note_build(context, "candidate", made)


def compile_cases(context: Context) -> list[str]:
    """Compile every case's launches on one standard draw; a compiler's refusal is raised as a WorkerFault.

    Returns the cases whose host code failed. After any such failure on a GPU the worker may have lost the device; the
    correctness gate finds the cause.
    """
    assert context.runner is not None
    draw, failed = draws_of(context.task)[0], list[str]()
    for case in context.backend.cases(context.task):
        fine = context.runner.compile(case, context.contents(case, draw))
        context.give_way()
        if not fine:
            failed.append(case.id)
            if context.backend.torch_device != "cpu":
                break
    return failed
