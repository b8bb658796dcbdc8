"""Make records from the contexts of an evaluation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from evaluator import VERSION
from evaluator.gates.context import CaseState, Context
from evaluator.gates.unseen import Half, UnseenTrial
from evaluator.host_paths import without_host_paths
from evaluator.inside.excerpts import excerpt
from evaluator.judge.rejection import Rejection
from evaluator.records.measurements import FUNCTIONAL
from evaluator.records.reasons import Flag, Status
from evaluator.records.record import (
    LOG_BYTES,
    PROTOCOL,
    SCHEMA_VERSION,
    CaseRecord,
    GateOutcome,
    Record,
    SandboxRef,
    TaskRef,
)
from evaluator.unseen.record import (
    NOT_JUDGED_STATUSES,
    UNSEEN_SCHEMA_VERSION,
    SideOutcome,
    UnseenCaseRecord,
    UnseenRecord,
)


def record_of(
    context: Context, started_at: datetime, outcomes: list[GateOutcome], rejection: Rejection | None, gate: str | None
) -> Record:
    return Record(
        schema=SCHEMA_VERSION,
        protocol=PROTOCOL,
        evaluator=VERSION,
        started_at=started_at.isoformat(timespec="seconds"),
        task=_task_ref(context),
        candidate=context.candidate_files.ref(),
        baseline_kind=_baseline_kind(context),
        host=context.backend.host(),
        sandbox=_sandbox_ref(context),
        status=rejection.status if rejection else Status.PASSED,
        gate=gate,
        reason=rejection.reason if rejection else None,
        message=rejection.sentence if rejection else None,
        flags=tuple(sorted(context.flags)),
        findings=tuple(context.findings),
        gates=tuple(outcomes),
        cases=tuple(_case_record(state, timed=rejection is None) for state in context.cases.values()),
        isa=tuple(context.isa),
        isa_checked=context.isa_checked,
        seconds=_rounded(context),
        log=_log(context, [rejection] if rejection else []),
        order_seed=context.order_seed if context.emulates else None,
    )


def unseen_record_of(
    context: Context, started_at: datetime, trials: Sequence[UnseenTrial], round_digest: str, generator: str
) -> UnseenRecord:
    """Make the record of a session on unseen cases; flags, findings and log are from the candidate's context."""
    cases = tuple(_unseen_case_record(trial) for trial in trials)
    flags = context.flags - {Flag.FUNCTIONAL}
    if any(FUNCTIONAL in case.clocks for case in cases):
        flags |= {Flag.FUNCTIONAL}
    return UnseenRecord(
        schema=UNSEEN_SCHEMA_VERSION,
        protocol=PROTOCOL,
        evaluator=VERSION,
        generator=generator,
        round=round_digest,
        started_at=started_at.isoformat(timespec="seconds"),
        task=_task_ref(context),
        candidate=context.candidate_files.ref(),
        baseline_kind=_baseline_kind(context),
        host=context.backend.host(),
        sandbox=_sandbox_ref(context),
        flags=tuple(sorted(flags)),
        findings=tuple(dict.fromkeys(context.findings)),
        cases=cases,
        seconds=_rounded(context),
        log=_log(context, [trial.candidate.rejection for trial in trials if trial.candidate.rejection]),
        order_seed=context.order_seed if context.emulates else None,
    )


def log_of(printed: str) -> str:
    """Return a record's log of what was printed: its beginning and end, without this host's folders."""
    return excerpt(without_host_paths(printed), LOG_BYTES)


def _case_record(state: CaseState, timed: bool) -> CaseRecord:
    """Make a case's record; it has times only if the candidate passed."""
    return CaseRecord(
        id=state.case.id,
        axes=dict(state.case.axes),
        profile=state.case.profile,
        split="seen",
        correct=state.correct,
        draws=state.draws,
        relative_rmse=state.relative_rmse,
        allowed_rmse=state.allowed_rmse,
        baseline_rmse=max([error.largest for error in state.baseline_errors.values() if error], default=None),
        first_call_ms=state.first_call_ms,
        clocks=dict(state.clocks) if timed else {},
        speedup=math.exp(state.ratio.log_ratio) if timed and state.ratio else None,
        ratio=state.ratio if timed else None,
        sessions=tuple(state.sessions),
        coverage=state.coverage,
        baselines=dict(state.baselines) if timed else {},
    )


def _unseen_case_record(trial: UnseenTrial) -> UnseenCaseRecord:
    """Make an unseen case's record; it has times only if both sides are correct."""
    case, state = trial.unseen.case, trial.candidate.state
    return UnseenCaseRecord(
        id=case.id,
        axes=dict(case.axes),
        profile=case.profile,
        category=trial.unseen.category,
        origin=trial.unseen.origin,
        baseline=_outcome(trial.baseline),
        candidate=_outcome(trial.candidate),
        clocks=dict(state.clocks) if trial.both_right else {},
        ratio=state.ratio if trial.both_right else None,
        sessions=tuple(state.sessions) if trial.both_right else (),
    )


def _outcome(half: Half) -> SideOutcome:
    rejection, state = half.rejection, half.state
    unjudged = rejection is not None and rejection.status in NOT_JUDGED_STATUSES
    return SideOutcome(
        correct=None if unjudged else rejection is None,
        reason=rejection.reason if rejection else None,
        message=rejection.sentence if rejection else None,
        draws=state.draws,
        relative_rmse=state.relative_rmse,
        allowed_rmse=state.allowed_rmse,
    )


def _task_ref(context: Context) -> TaskRef:
    return TaskRef(context.task.id, context.task.digest, context.task.category)


def _baseline_kind(context: Context) -> Literal["source", "eager"]:
    return "eager" if context.task.starts_from_torch else "source"


def _sandbox_ref(context: Context) -> SandboxRef | None:
    sandbox = context.candidate.sandbox if context.candidate else None
    return SandboxRef(sandbox.kind, sandbox.strength) if sandbox else None


def _rounded(context: Context) -> dict[str, float]:
    return {name: round(seconds, 4) for name, seconds in context.seconds.items()}


def _log(context: Context, rejections: Sequence[Rejection]) -> str:
    printed = context.candidate.log if context.candidate else []
    texts = dict.fromkeys([*context.log, *printed, *(rejection.log for rejection in rejections)])
    return log_of("\n".join(filter(None, texts)))
