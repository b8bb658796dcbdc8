"""From row to verdict and back: the only caller of evaluations. A worker process keeps one evaluator, on its bench."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable
from time import monotonic, sleep

from django.db import InterfaceError, OperationalError, connection

from evaluator.records.reasons import Status
from evaluator.records.record import Record
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.spec import TaskSpec
from runs import agents, archive, candidates
from runs.log_context import about, also
from runs.models import Host, Result
from runs.services import claims, hosts, spending, unseen
from runs.services.claims import Lease
from runs.worker import session
from runs.worker.evaluator import WorkerEvaluator
from runs.worker.heartbeat import Interrupted, Pulse

# What may leave a GPU in a state that spoils the next verdict; on a CPU it is the process that dies.
DEVICE_ERRORS = ("out_of_bounds", "device_error", "segfault", "aborted", "call_time", "repeated_fault")
DATABASE_S = 30.0  # so long a verdict waits for a database that does not answer
log = logging.getLogger(__name__)


def get_ready(host: Host) -> None:
    """Before the first attempt comes: open the evaluator, try known kernels, say what the host runs on.

    Raises:
        HostError: this machine cannot evaluate what the host's device class asks for.
    """
    _BENCH.take(host)
    is_fit(host)
    evaluating = _BENCH.take(host)
    facts, calibration = evaluating.host().facts, evaluating.calibration()
    hosts.host_started(host=host, facts=facts, calibration=calibration, agents=agents.lacking())


def is_fit(host: Host) -> bool:
    """May the host take work? After a start and after an error of the device known kernels decide.

    Where they go wrong in fresh processes too, the host is quarantined until a person lifts it.
    """
    if not host.may_claim:
        return False
    if not archive.has_room():
        log.error("%s takes no work: the disk of the archive is nearly full", host)
        return False
    if not _BENCH.is_tried:
        try:
            failed = Pulse(None).during(lambda: _BENCH.failure(host))
        except Interrupted:  # the worker must stop
            _BENCH.close()
            return False
        if failed:
            _BENCH.close()
            hosts.quarantine_host(host=host, reason=failed, actor=f"worker of {host}")
    return _BENCH.is_tried


def evaluate_oldest(*, host: Host, worker: str, is_told_to_stop: Callable[[], bool] = lambda: False) -> bool:
    """Claim the oldest attempt, evaluate its candidate, store the verdict.

    False: nothing waits, the attempt was given back, or the host is not fit.
    """
    claim = claims.claim_oldest(host=host, worker=worker) if is_fit(host) else None
    if claim is None or spending.stop_at_cap(claim=claim):
        return False
    with about(attempt=claim.attempt_id):
        is_written = _evaluate(claim, host, worker, is_told_to_stop)
        log.info("verdict stored" if is_written else "no verdict stored")
    is_fit(host)  # at once: a quarantine shows before the next attempt waits for it
    return is_written


def close_bench() -> None:
    _BENCH.close()
    _BENCH.is_tried = False


_BENCH = WorkerEvaluator()


def _evaluate(claim: Lease, host: Host, worker: str, is_told_to_stop: Callable[[], bool]) -> bool:
    def work() -> bool:
        if is_told_to_stop():  # between the claim and here: nobody raised it then
            raise Interrupted(signal.SIGTERM)
        return _stored(claim, _record_of(claim, host))

    try:
        return Pulse(claim).during(work)
    except Interrupted as interruption:
        log.warning("attempt %s: interrupted by %s", claim.attempt_id, interruption)
        _BENCH.close()
        if interruption.is_stop:
            claims.release_attempt(claim=claim, because=f"worker {worker} was stopped", is_fault=False)
    except Exception as error:  # the job's border: whatever happens behind it is ours, never the candidate's
        log.exception("attempt %s: a fault of ours", claim.attempt_id)
        close_bench()
        claims.release_attempt(claim=claim, because=f"{type(error).__name__}: {error}")
    return False


def _stored(claim: Lease, record: Record) -> bool:
    """What took minutes is not thrown away because the database is away for a moment."""
    until = monotonic() + DATABASE_S
    while True:
        try:
            return claims.record_verdict(claim=claim, record=record)
        except (OperationalError, InterfaceError) as error:
            if monotonic() > until:
                raise
            log.warning("attempt %s: its verdict waits for the database: %s", claim.attempt_id, error)
            connection.close()
            sleep(DATABASE_S / 60)


def _record_of(claim: Lease, host: Host) -> Record:
    related = ("task", "run__configuration__agent", "run__configuration__model", "run__device_class")
    result = Result.objects.select_related(*related).get(attempts=claim.attempt_id)
    also(result=result.pk, run=result.run_id)
    log.info("%s is evaluated on %s", result.task, host)
    spec = candidates.spec_of(result.task)
    if agents.awaits_session(result):
        _write(claim, host, result, spec)
    candidate = candidates.stored(result)
    uploaded = result.run.is_from_outside
    record = _BENCH.take(host).evaluate(spec, candidate, uploaded=uploaded)
    if (record.task.digest, record.candidate.digest) != (result.task.digest, candidate.digest):
        raise RuntimeError("the record is of another task or candidate than the row")
    if record.status is Status.ERRORED or _may_spoil(host, record.reason):
        _BENCH.is_tried = False
    _try_unseen_cases(claim, host, spec, candidate, uploaded)
    return record


def _write(claim: Lease, host: Host, result: Result, spec: TaskSpec) -> None:
    """Let an agent of ours work in a session; its candidate is the result's from then on."""
    held = session.run_session(claim, result, spec, _BENCH.take(host))
    crashed = any(one.status is Status.CRASHED for one in held.iterations)
    if crashed and not host.device_class.is_functional:
        close_bench()  # fresh processes for the verdict, and known kernels before the next
    result.refresh_from_db(fields=("candidate_digest", "candidate_files", "candidate_problems"))


def _try_unseen_cases(claim: Lease, host: Host, spec: TaskSpec, candidate: Candidate, uploaded: bool) -> None:
    """Of the run's round, if it has one. Nothing that happens here costs the seen verdict.

    The log gets no text: what went wrong may name a case, or quote a candidate that prints its shapes.
    """
    try:
        job = unseen.begin_unseen(claim=claim)
        if job is None:
            return
        record = _BENCH.take(host).evaluate_unseen(
            spec, candidate, job.cases, round_digest=job.round_hash, generator=job.generator, uploaded=uploaded
        )
        unseen.record_unseen(claim=claim, job=job, record=record)
        if any(_may_spoil(host, case.candidate.reason) for case in record.cases):
            _BENCH.is_tried = False
    except Exception as error:  # a border, as in _evaluate
        log.error("attempt %s: a fault of ours with unseen cases: %s", claim.attempt_id, type(error).__name__)
        close_bench()
        unseen.fail_unseen(claim=claim, because=f"{type(error).__name__}: {error}")


def _may_spoil(host: Host, reason: str | None) -> bool:
    return not host.device_class.is_functional and reason in DEVICE_ERRORS
