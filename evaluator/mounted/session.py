"""Runs the gates of a mounted task on both sides, one after another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from time import monotonic

from evaluator.errors import TaskError
from evaluator.gates import source
from evaluator.judge.rejection import Rejection, rejection_of
from evaluator.mounted.asked import difference, lends_more
from evaluator.mounted.checkout import MountedTask, Stage
from evaluator.mounted.comparison import DRIFT, Times
from evaluator.mounted.report_formats import ScriptTimes
from evaluator.mounted.side import ScriptSide
from evaluator.records.reasons import Flag
from evaluator.records.record import GATE_NAMES, Finding, GateOutcome
from evaluator.sandbox import WorkerError
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.spec import task_digest, task_files
from evaluator.wording import counted

BASELINE_ONLY = "--baseline_only"  # the flag with which torch2hip's scripts time the PyTorch module
HOST_REASONS = ("unsupported_feature", "host_budget")  # reasons that already blame this host


@dataclass(slots=True)
class ScriptSession:
    """The state and results of one evaluation's gates."""

    task: MountedTask
    candidate_files: Candidate
    findings: list[Finding] = field(default_factory=list)
    flags: set[Flag] = field(default_factory=set)
    outcomes: list[GateOutcome] = field(default_factory=list)
    rejection: Rejection | None = None
    gate: str | None = None
    times: Times | None = None
    clock_covers_streams: bool = False  # the task's own script is the clock
    requirements: tuple[str, ...] = ()  # contracts are ours alone
    foreign_files: tuple[str, ...] = ()  # a checkout has none: they are among the candidate's problems
    is_library_line: bool = False
    seconds: dict[str, float] = field(default_factory=dict)
    printed: str = ""  # by the commands of the side that failed, else by the candidate's
    _baseline_failed: bool = False

    def run(self, baseline: ScriptSide, candidate: ScriptSide) -> None:
        """Run the gates in order until one rejects the candidate."""
        try:
            for name, check in zip(GATE_NAMES, self._gates(baseline, candidate), strict=True):
                self._run_gate(name, check)
        finally:
            baseline.close()
            candidate.close()
        self.printed = (baseline if self._baseline_failed else candidate).printed

    def run_apart(self, baseline: ScriptSide, candidate: ScriptSide) -> tuple[Rejection | None, Rejection | None]:
        """Run both sides independently, and time them if both pass; returns why each side fails, or None."""
        try:
            ours = None if self.task.writes_from_nothing else _first_rejection(baseline.compile, baseline.correctness)
            theirs = self.rejection or _first_rejection(self._source, candidate.compile, candidate.correctness)
            if ours is None and (theirs is None or self.task.writes_from_nothing):  # timing also checks a module
                ours, theirs = self._timed_apart(baseline, candidate, theirs)
            self._baseline_failed = ours is not None
            return ours, self._integrity(candidate) or theirs
        finally:
            baseline.close()
            candidate.close()
            both = (("baseline", baseline), ("candidate", candidate))
            shown = both if self._baseline_failed else both[1:]
            self.printed = "\n".join(f"{name}:\n{side.printed}" for name, side in shown if side.printed)

    def hold(self, finding: Finding) -> None:
        self.findings.append(finding)
        self.flags.add(Flag.HOLD)

    def _run_gate(self, name: str, check: Callable[[], Rejection | None]) -> None:
        if self.rejection is not None:
            self.outcomes.append(GateOutcome(name, "not_reached", 0.0))
            return
        begin = monotonic()
        try:
            self.rejection = check()
        except WorkerError as error:
            self.rejection = rejection_of(error)
        self.seconds[name] = monotonic() - begin
        self.gate = name if self.rejection else None
        self.outcomes.append(GateOutcome(name, "failed" if self.rejection else "passed", self.seconds[name]))

    def _gates(self, baseline: ScriptSide, candidate: ScriptSide) -> list[Callable[[], Rejection | None]]:
        return [
            self._source,
            lambda: self._both(baseline.compile, candidate.compile),
            lambda: self._both(baseline.correctness, candidate.correctness),
            lambda: self._performance(baseline, candidate),
            lambda: self._integrity(candidate),
        ]

    def _source(self) -> Rejection | None:
        for name in self.task.tests_in_editable:
            text = f"{name} has the task's own check or clock, and a candidate may change it"
            self.hold(Finding("source", "check_in_candidate", text))
        return source.check(self)

    def _both(
        self, baseline: Callable[[], Rejection | None], candidate: Callable[[], Rejection | None]
    ) -> Rejection | None:
        """Run a step on both sides, the baseline first: if it fails, the candidate is not judged."""
        return (None if self.task.writes_from_nothing else self._trusted(baseline)) or candidate()

    def _compare_exams(self, baseline: ScriptSide, candidate: ScriptSide) -> None:
        """Hold a candidate that was asked something else than the untouched file, where that has inputs or a check.

        Call it last: it runs commands again, and a killed worker is no verdict here.
        """
        if self.task.writes_from_nothing:
            return  # there is no untouched file
        ours = baseline.exam_of("correctness")
        if not lends_more(self.task, ours):
            return
        if not ours:
            text = "the candidate's file has inputs, sizes or a check, too, and what it asks cannot be observed"
            self.hold(Finding("correctness", "another_exam", text))
            return
        stages: tuple[Stage, ...] = ("correctness", "performance")
        for stage in stages:
            again = partial(baseline.exam_of, stage)
            if found := difference(ours if stage == "correctness" else again(), candidate.exam_of(stage), again):
                self.hold(Finding(stage, "another_exam", f"the candidate's file sets its own exam: {found}"))

    def _performance(self, baseline: ScriptSide, candidate: ScriptSide) -> Rejection | None:
        reports = list[tuple[ScriptTimes, ...]]()
        for side in (baseline, candidate, baseline):
            found = self._timed(side, trusted=side is baseline)
            if isinstance(found, Rejection):
                return found
            reports.append(found)
        self.times = Times(*reports)
        if unsteady := self.times.unsteadiness():
            return self._host_fault(unsteady)
        self._note_drift(self.times, candidate.pretend)
        rejection = _different_report(baseline, candidate) or self.times.difference()
        if rejection is None:
            self._compare_exams(baseline, candidate)
        return rejection

    def _note_drift(self, times: Times, pretend: bool) -> None:
        if times.drift > DRIFT and not pretend:  # interpreted times mean nothing
            text = f"the baseline took {times.drift:.0%} more or less time after the candidate than before"
            self.findings.append(Finding("performance", "baseline_drift", text))
            self.flags.add(Flag.NOISY)

    def _timed(self, side: ScriptSide, trusted: bool) -> tuple[ScriptTimes, ...] | Rejection:
        found = self._reported(side, trusted)
        return self._host_fault(found) if trusted and isinstance(found, Rejection) else found

    def _reported(self, side: ScriptSide, trusted: bool) -> tuple[ScriptTimes, ...] | Rejection:
        try:
            return side.performance(BASELINE_ONLY if trusted and self.task.writes_from_nothing else "")
        except WorkerError as error:
            return rejection_of(error)

    def _timed_apart(
        self, baseline: ScriptSide, candidate: ScriptSide, theirs: Rejection | None
    ) -> tuple[Rejection | None, Rejection | None]:
        """Time the baseline before and after the candidate; returns why each side cannot be timed, or None."""
        reports = list[tuple[ScriptTimes, ...]]()
        for side in (baseline, candidate, baseline):
            found = self._reported(side, trusted=side is baseline)
            if isinstance(found, Rejection):
                return (found, theirs) if side is baseline else (None, found)
            if theirs is not None:
                return None, theirs
            reports.append(found)
        times = Times(*reports)
        if unsteady := times.unsteadiness():
            return unsteady, None
        if (different := _different_report(baseline, candidate) or times.difference()) is None:
            self.times = times
            self._note_drift(times, candidate.pretend)
            self._compare_exams(baseline, candidate)
        return None, different

    def _trusted(self, step: Callable[[], Rejection | None]) -> Rejection | None:
        rejection = _first_rejection(step)
        return self._host_fault(rejection) if rejection else None

    def _host_fault(self, rejection: Rejection) -> Rejection:
        """The baseline's rejection as one that does not blame the candidate."""
        self._baseline_failed = True
        if rejection.reason in HOST_REASONS:
            return rejection
        return Rejection("baseline_unusable", f"{rejection.reason}: {rejection.detail}", rejection.log)

    def _integrity(self, candidate: ScriptSide) -> Rejection | None:
        """Check the task's folder and processes and output of the candidate; side.py checks files at each command."""
        if task_digest(task_files(self.task.folder)) != self.task.folder_digest:
            raise TaskError([f"{self.task.id} was edited while a candidate was evaluated for it"])
        if candidate.leftovers:
            left = counted(candidate.leftovers, "process was", "processes were")
            text = f"{left} still running when a command ended, and then killed"
            self.findings.append(Finding("integrity", "child_left_behind", text))
        for stage in sorted(candidate.printed_failures):
            text = f"the {stage} command exits with 0, but prints FAIL, or too much to search for it"
            self.hold(Finding(stage, "printed_failure", text))
        return None


def _first_rejection(*steps: Callable[[], Rejection | None]) -> Rejection | None:
    """The first rejection of these steps, without running the steps after it."""
    try:
        return next(filter(None, (step() for step in steps)), None)
    except WorkerError as error:
        return rejection_of(error)


def _different_report(baseline: ScriptSide, candidate: ScriptSide) -> Rejection | None:
    """A rejection if the candidate's times are in another report than the baseline's."""
    if candidate.report == baseline.report:
        return None
    printed = "the printed text"
    text = f"the times are in {candidate.report or printed}, the baseline's in {baseline.report or printed}"
    return Rejection("method_mismatch", text)
