"""Further baselines of a task, each timed against the task's own in a session of its own, after all gates.

They decide nothing: one that fails, or that this host lacks, is a finding. Their times do not depend on the candidate,
and torch.compile takes half a minute and more: so they are timed where the task's own source is the candidate, as in a
run of the agent `baseline`, and not in a quick check with one session.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from statistics import fmean

from evaluator.errors import BaselineError, SandboxError
from evaluator.gates import performance
from evaluator.gates.context import Context
from evaluator.judge.rejection import Rejection, rejection_of
from evaluator.judge.side import Side
from evaluator.judge.timing.overhead import time_as_on_reference
from evaluator.judge.timing.slabs import Slabs
from evaluator.records.measurements import T_DEV, BaselineTimes
from evaluator.records.record import Finding
from evaluator.sandbox import WorkerError
from evaluator.tasks.baselines import baselines_of
from evaluator.thresholds import SESSIONS

FIRST_SESSION = 1000  # number of a baseline's session, from which its contents follow: no candidate's has it


def time_baselines(context: Context) -> None:
    """Time every further baseline of the task on every case, on a device clock only."""
    is_own = context.candidate_files.digest == context.baseline_files.digest
    if not is_own or not context.backend.has_clock or context.sessions < SESSIONS:
        return
    with context.spending("baselines"):
        for number, (kind, files) in enumerate(baselines_of(context.task).items(), FIRST_SESSION):
            side = context.open_side(files)
            try:
                problem = _time(context, kind, side, number)
            except (WorkerError, SandboxError, BaselineError, RuntimeError, MemoryError) as error:
                problem = rejection_of(error).sentence if isinstance(error, WorkerError) else str(error)
            finally:
                side.give_up_sandbox()
            if problem:
                context.findings.append(Finding(performance.NAME, "baseline_not_timed", f"{kind}: {problem}"))


def _time(context: Context, kind: str, side: Side, number: int) -> str | None:
    """Time one baseline on the cases that the candidate was timed on; return why a case could not be."""
    states = [state for state in context.cases.values() if state.times]
    with performance.paired(context, side, states) as pair:
        for state in states:
            slabs = Slabs(context.task, state.case, context.seed, number, context.backend.torch_device)
            judge = partial(performance.wrong, context, replace(state, contracts={}))
            found = time_as_on_reference(pair, slabs, judge, context.backend.device_class)
            if isinstance(found, Rejection):
                return f"case {state.case.id}, {found.detail}"
            ratio = math.exp(fmean(found.values))
            state.baselines[kind] = BaselineTimes(T_DEV, found.candidate_ns / 1e6, found.baseline_ns / 1e6, ratio)
    return None
