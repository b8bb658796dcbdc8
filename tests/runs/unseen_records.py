"""Unseen records for tests: both sides correct everywhere, unless a case is given a quadrant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluator.records.measurements import Clock
from evaluator.records.reasons import Flag
from evaluator.records.record import PROTOCOL, HostInfo, SandboxRef, TaskRef
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.spec import TaskSpec
from evaluator.unseen.cases import UnseenCase
from evaluator.unseen.record import SideOutcome, UnseenCaseRecord, UnseenRecord

RIGHT = SideOutcome(True, None, None, 9, 1e-7, 4e-7)
WRONG = SideOutcome(False, "mismatch", "The output is wrong: element 3.", 0, 0.5, 4e-7)
UNKNOWN = SideOutcome(None, "host_fault", "The host failed.", 0, None, None)
SIDES = {
    "both_pass": (RIGHT, RIGHT),
    "opt_regression": (RIGHT, WRONG),
    "both_fail": (WRONG, WRONG),
    "opt_improvement": (WRONG, RIGHT),
    "evaluation_error": (RIGHT, UNKNOWN),
}


def make_unseen(
    task: TaskSpec,
    candidate: Candidate,
    cases: Sequence[UnseenCase],
    *,
    round_digest: str,
    generator: str,
    quadrants: Mapping[int, str] | None = None,
    log: str = "",
) -> UnseenRecord:
    """On cpu; `quadrants` by the position of a case."""
    found = tuple(_case(unseen, (quadrants or {}).get(index, "both_pass")) for index, unseen in enumerate(cases))
    return UnseenRecord(
        schema=1,
        protocol=PROTOCOL,
        evaluator="0.1.0",
        generator=generator,
        round=round_digest,
        started_at="2026-11-01T12:00:00+00:00",
        task=TaskRef(task.id, task.digest, task.category),
        candidate=candidate.ref(),
        baseline_kind="source",
        host=HostInfo("cpu", "cpu-x86_64", "cpu", {"torch": "2.13.0"}),
        sandbox=SandboxRef("bubblewrap", ("no network",)),
        flags=(Flag.FUNCTIONAL,) if any(case.clocks for case in found) else (),
        findings=(),
        cases=found,
        seconds={"total": 3.0},
        log=log,
    )


def _case(unseen: UnseenCase, quadrant: str) -> UnseenCaseRecord:
    baseline, candidate = SIDES[quadrant]
    return UnseenCaseRecord(
        id=unseen.case.id,
        axes=dict(unseen.case.axes),
        profile=unseen.case.profile,
        category=unseen.category,
        origin=unseen.origin,
        baseline=baseline,
        candidate=candidate,
        clocks={"functional": Clock((2.0,), (1.0,))} if quadrant == "both_pass" else {},
        ratio=None,
        sessions=(),
    )
