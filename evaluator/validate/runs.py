"""Checks that run a task's own candidates through the whole pipeline."""

from __future__ import annotations

from collections.abc import Iterator

from evaluator.inside.isa.targets import GFX942
from evaluator.records.measurements import FUNCTIONAL
from evaluator.records.reasons import Status
from evaluator.records.record import Record
from evaluator.tasks import candidate
from evaluator.validate.subject import Subject

CALL_BUDGET_MS = 2000.0  # for the fastest call of a case: the format's one second, on a busy host


def baseline(subject: Subject) -> Iterator[str]:
    """The baseline passes every small case."""
    yield from _problems_of(subject.record(candidate.baseline(subject.task)), "passed", subject)


def expert(subject: Subject) -> Iterator[str]:
    """The expert passes every small case; a plain task has none."""
    if not subject.task.is_plain:
        yield from _problems_of(subject.record(candidate.overlay(subject.task, "expert", "expert")), "passed", subject)


def variants(subject: Subject) -> Iterator[str]:
    """Each variant gets the status that it states."""
    for name in subject.task.variants:
        record = subject.record(candidate.overlay(subject.task, f"variants/{name}", f"variants/{name}"))
        wanted = (subject.task.folder / "variants" / name / "expected").read_text(encoding="utf-8").strip()
        yield from (f"{name}: {problem}" for problem in _problems_of(record, wanted, subject))


def gfx942(subject: Subject) -> Iterator[str]:
    """The kernels of the task's solution and of the baseline, if it has any, compile for gfx942."""
    for name, record in _records(subject):
        if name == "baseline" and subject.task.starts_from_torch:
            continue  # it has no kernels of its own
        if (outcome := record.isa_checked.get(GFX942.arch, "not reached")) != "compiled":
            yield f"{name}: {outcome}"


def cpu_time(subject: Subject) -> Iterator[str]:
    """No call of the baseline or of the task's solution on a small case takes too long for the cpu backend."""
    for name, record in _records(subject):
        for case in record.cases:
            times = case.clocks[FUNCTIONAL].candidate_ms if FUNCTIONAL in case.clocks else ()
            if not times:
                yield f"{name}: {case.id}: not timed"
            elif min(times) > CALL_BUDGET_MS:
                yield f"{name}: {case.id}: {min(times):.0f} ms a call; at most {CALL_BUDGET_MS:.0f}"


def _records(subject: Subject) -> Iterator[tuple[str, Record]]:
    """The records of the baseline and of the task's own right candidate, if it ships one."""
    yield "baseline", subject.record(candidate.baseline(subject.task))
    if (solution := subject.task.solution) is not None:
        yield solution, subject.record(candidate.overlay(subject.task, solution, solution))


def _problems_of(record: Record, wanted: str, subject: Subject) -> Iterator[str]:
    if record.status.value != wanted:
        why = [record.message or "", *(line for line in record.log.splitlines() if "error:" in line)][:2]
        yield ": ".join([f"seen {record.status.value}; expected {wanted}", *filter(None, why)])
    elif record.status is Status.PASSED:
        correct = {case.id for case in record.cases if case.correct}
        yield from (f"{case.id}: not checked" for case in subject.small_cases if case.id not in correct)
