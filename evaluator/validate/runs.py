"""Checks that run a task's own candidates through the whole pipeline on the cpu backend."""

from __future__ import annotations

from collections.abc import Iterator

from evaluator.inside.isa.targets import GFX942
from evaluator.records.measurements import FUNCTIONAL
from evaluator.records.reasons import Status
from evaluator.records.record import Record
from evaluator.tasks import candidate
from evaluator.validate.subject import Subject

CALL_BUDGET_MS = 2000.0  # of the fastest call of a case: the format's one second, on a busy host


def baseline(subject: Subject) -> Iterator[str]:
    """It is right on every small case and draw."""
    yield from _unlike(subject.record(candidate.baseline(subject.task)), "passed", subject)


def expert(subject: Subject) -> Iterator[str]:
    yield from _unlike(_expert(subject), "passed", subject)


def variants(subject: Subject) -> Iterator[str]:
    """Each gets the status that it says."""
    for name in subject.task.variants:
        record = subject.record(candidate.overlay(subject.task, f"variants/{name}", f"variants/{name}"))
        wanted = (subject.task.folder / "variants" / name / "expected").read_text(encoding="utf-8").strip()
        yield from (f"{name}: {problem}" for problem in _unlike(record, wanted, subject))


def gfx942(subject: Subject) -> Iterator[str]:
    """The expert's kernels and, where the baseline has any, its kernels compile for the target."""
    ours = subject.record(candidate.baseline(subject.task)) if subject.task.category != "torch2hip" else None
    for name, record in (("baseline", ours), ("expert", _expert(subject))):
        if record is not None and (said := record.isa_checked.get(GFX942.arch, "not reached")) != "compiled":
            yield f"{name}: {said}"


def cpu_time(subject: Subject) -> Iterator[str]:
    """No call of baseline or expert on a small case takes longer than what the cpu backend can afford."""
    for name, record in (("baseline", subject.record(candidate.baseline(subject.task))), ("expert", _expert(subject))):
        for case in record.cases:
            times = case.clocks[FUNCTIONAL].candidate_ms if FUNCTIONAL in case.clocks else ()
            if not times:
                yield f"{name}: {case.id}: not timed"
            elif min(times) > CALL_BUDGET_MS:
                yield f"{name}: {case.id}: {min(times):.0f} ms a call; at most {CALL_BUDGET_MS:.0f}"


def _expert(subject: Subject) -> Record:
    return subject.record(candidate.overlay(subject.task, "expert", "expert"))


def _unlike(record: Record, wanted: str, subject: Subject) -> Iterator[str]:
    if record.status.value != wanted:
        why = [record.message or "", *(line for line in record.log.splitlines() if "error:" in line)][:2]
        yield ": ".join([f"{record.status.value}, {wanted} was expected", *filter(None, why)])
    elif record.status is Status.PASSED:
        right = {case.id for case in record.cases if case.correct}
        yield from (f"{case.id}: not judged" for case in subject.small_cases if case.id not in right)
