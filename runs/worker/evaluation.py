"""Evaluates attempts: takes one from the queue, runs its session or candidate, and stores the verdict.

A worker process has one evaluator, which is replaced after a fault.
"""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable

from evaluator.records.reasons import Status
from evaluator.records.record import Record
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.spec import TaskSpec
from runs import agents, candidates, disk
from runs.log_context import about, also
from runs.models import Host, Result
from runs.services import code_quality, hosts, leases, spending, unseen
from runs.services.leases import Lease
from runs.worker import session
from runs.worker.evaluator import WorkerEvaluator
from runs.worker.heartbeat import Heartbeat, Interrupted
from runs.worker.retrying import stored

# Reasons after which a GPU may be in a state that spoils the next verdict; on a CPU only the process dies.
DEVICE_ERRORS = ("out_of_bounds", "device_error", "segfault", "aborted", "call_time", "repeated_fault")
log = logging.getLogger(__name__)


def prepare(host: Host) -> None:
    """Open the evaluator, try known kernels and report the host, before the first attempt.

    Raises:
        HostError: this machine cannot evaluate for the host's device class.
    """
    _EVALUATOR.take(host)
    is_fit(host)
    evaluating = _EVALUATOR.take(host)
    facts, calibration = evaluating.host().facts, evaluating.calibration()
    hosts.host_started(host=host, facts=facts, calibration=calibration, agents=agents.missing_on_this_host())


def is_fit(host: Host) -> bool:
    """Return whether the host may take work. After a start or a device error, known kernels decide.

    If they fail in fresh processes, too, the host is quarantined until a person lifts it.
    """
    if not host.may_take_work:
        return False
    if not disk.has_room():
        log.error("%s takes no work: %s", host, disk.shown_room())
        return False
    if not _EVALUATOR.is_tried:
        try:
            failed = Heartbeat(None).during(lambda: _EVALUATOR.failure(host))
        except Interrupted:  # the worker must stop
            _EVALUATOR.close()
            return False
        if failed:
            _EVALUATOR.close()
            hosts.quarantine_host(host=host, reason=failed, actor=f"worker of {host}")
    return _EVALUATOR.is_tried


def evaluate_next(*, host: Host, worker: str, must_stop: Callable[[], bool] = lambda: False) -> bool:
    """Take the next attempt of the queue, evaluate its candidate and store the verdict.

    Return False if nothing waits, the attempt was released or lost, or the host may take no work.
    """
    lease = leases.lease_next(host=host, worker=worker) if is_fit(host) else None
    if lease is None or spending.stop_at_cap(lease=lease):
        return False
    with about(attempt=lease.attempt_id):
        is_written = _evaluate(lease, host, worker, must_stop)
        log.info("verdict stored" if is_written else "no verdict stored")
    is_fit(host)  # now, so that a quarantine is known before the next attempt arrives
    return is_written


def close_evaluator() -> None:
    _EVALUATOR.close()
    _EVALUATOR.is_tried = False


_EVALUATOR = WorkerEvaluator()


def _evaluate(lease: Lease, host: Host, worker: str, must_stop: Callable[[], bool]) -> bool:
    def work() -> bool:
        if must_stop():  # the stop came after the lease began and before signals were handled
            raise Interrupted(signal.SIGTERM)
        record = _record_of(lease, host)
        return stored(lambda: leases.record_verdict(lease=lease, record=record), f"attempt {lease.attempt_id}")

    try:
        return Heartbeat(lease).during(work)
    except Interrupted as interruption:
        log.warning("attempt %s: interrupted by %s", lease.attempt_id, interruption)
        _EVALUATOR.close()
        if interruption.is_stop:
            leases.release_attempt(lease=lease, because=f"worker {worker} was stopped", is_fault=False)
    except Exception as error:  # the boundary of the job: any error here is a fault of ours, never of the candidate
        log.exception("attempt %s: a fault of ours", lease.attempt_id)
        close_evaluator()
        leases.release_attempt(lease=lease, because=f"{type(error).__name__}: {error}")
    return False


def _record_of(lease: Lease, host: Host) -> Record:
    related = ("task", "run__configuration__agent", "run__configuration__model", "run__device_class")
    result = Result.objects.select_related(*related).get(attempts=lease.attempt_id)
    also(result=result.pk, run=result.run_id)
    log.info("%s is evaluated on %s", result.task, host)
    spec = candidates.spec_of(result.task)
    if agents.needs_session(result):
        _write(lease, host, result, spec)
    candidate = candidates.candidate_of(result)
    uploaded = result.run.is_from_outside
    record = _EVALUATOR.take(host).evaluate(spec, candidate, uploaded=uploaded)
    if (record.task.digest, record.candidate.digest) != (result.task.digest, candidate.digest):
        raise RuntimeError("the record is of another task or candidate than the row")
    if record.status is Status.ERRORED or _may_spoil(host, record.reason):
        _EVALUATOR.is_tried = False
    _try_unseen_cases(lease, host, spec, candidate, uploaded)
    code_quality.measure_result(result=result)
    return record


def _write(lease: Lease, host: Host, result: Result, spec: TaskSpec) -> None:
    """Run the session of a built-in agent; its candidate becomes the result's."""
    made = session.run_session(lease, result, spec, _EVALUATOR.take(host))
    crashed = any(one.status is Status.CRASHED for one in made.iterations)
    if crashed and not host.device_class.is_functional:
        close_evaluator()  # use fresh processes for the verdict, and try known kernels before the next attempt
    result.refresh_from_db(fields=("candidate_digest", "candidate_files", "candidate_problems"))


def _try_unseen_cases(lease: Lease, host: Host, spec: TaskSpec, candidate: Candidate, uploaded: bool) -> None:
    """Evaluate the candidate on the unseen cases of the run's round, if there is one. A fault never costs the verdict.

    The log gets no message of an error: it may name a case, or quote a candidate that prints its shapes.
    """
    try:
        job = unseen.begin_unseen(lease=lease)
        if job is None:
            return
        record = _EVALUATOR.take(host).evaluate_unseen(
            spec, candidate, job.cases, round_digest=job.round_hash, generator=job.generator, uploaded=uploaded
        )
        unseen.record_unseen(lease=lease, job=job, record=record)
        if any(_may_spoil(host, case.candidate.reason) for case in record.cases):
            _EVALUATOR.is_tried = False
    except Exception as error:  # a boundary, as in `_evaluate`
        log.error("attempt %s: a fault of ours on unseen cases: %s", lease.attempt_id, type(error).__name__)
        close_evaluator()
        unseen.fail_unseen(lease=lease, because=f"{type(error).__name__}: {error}")


def _may_spoil(host: Host, reason: str | None) -> bool:
    return not host.device_class.is_functional and reason in DEVICE_ERRORS
