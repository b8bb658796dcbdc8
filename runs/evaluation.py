"""From row to verdict and back: the only caller of evaluations. A worker process keeps one evaluator, on its bench."""

from __future__ import annotations

import logging

from evaluator.reasons import Status
from evaluator.records import Record
from runs import candidates, services
from runs.bench import Bench
from runs.models import Host, Result
from runs.pulse import Interrupted, Pulse
from runs.services import Claim

# What may leave a GPU in a state that spoils the next verdict; on a CPU it is the process that dies.
DEVICE_ERRORS = ("out_of_bounds", "device_error", "segfault", "aborted", "call_time", "repeated_fault")
log = logging.getLogger(__name__)


def get_ready(host: Host) -> None:
    """Before the first attempt comes: open the evaluator, try known kernels, say what the host runs on.

    Raises:
        HostError: this machine cannot evaluate what the host's device class asks for.
    """
    _BENCH.take(host)
    is_fit(host)
    evaluating = _BENCH.take(host)
    services.host_started(host=host, facts=evaluating.host().facts, calibration=evaluating.calibration())


def is_fit(host: Host) -> bool:
    """May the host take work? After a start and after an error of the device known kernels decide.

    Where they go wrong in fresh processes too, the host is quarantined until a person lifts it.
    """
    if not host.may_claim:
        return False
    if not _BENCH.is_tried:
        try:
            failed = Pulse(None).during(lambda: _BENCH.failure(host))
        except Interrupted:  # the worker must stop
            _BENCH.close()
            return False
        if failed:
            _BENCH.close()
            services.quarantine_host(host=host, reason=failed, actor=f"worker of {host}")
    return _BENCH.is_tried


def evaluate_oldest(*, host: Host, worker: str) -> bool:
    """Claim the oldest attempt, evaluate its candidate, store the verdict.

    False: nothing waits, the attempt was given back, or the host is not fit.
    """
    claim = services.claim_oldest(host=host, worker=worker) if is_fit(host) else None
    if claim is None:
        return False
    is_written = _evaluate(claim, host, worker)
    is_fit(host)  # at once: a quarantine shows before the next attempt waits for it
    return is_written


def close_bench() -> None:
    _BENCH.close()
    _BENCH.is_tried = False


_BENCH = Bench()


def _evaluate(claim: Claim, host: Host, worker: str) -> bool:
    try:
        return Pulse(claim).during(lambda: services.record_verdict(claim=claim, record=_record_of(claim, host)))
    except Interrupted as interruption:
        log.warning("attempt %s: interrupted by %s", claim.attempt_id, interruption)
        _BENCH.close()
        if interruption.is_stop:
            services.release_attempt(claim=claim, because=f"worker {worker} was stopped", is_fault=False)
    except Exception as error:  # the job's border: whatever happens behind it is ours, never the candidate's
        log.exception("attempt %s: a fault of ours", claim.attempt_id)
        close_bench()
        services.release_attempt(claim=claim, because=f"{type(error).__name__}: {error}")
    return False


def _record_of(claim: Claim, host: Host) -> Record:
    result = Result.objects.select_related("task", "run__configuration__agent").get(attempts=claim.attempt_id)
    candidate = candidates.stored(result)
    record = _BENCH.take(host).evaluate(candidates.spec_of(result.task), candidate)
    if (record.task.digest, record.candidate.digest) != (result.task.digest, candidate.digest):
        raise RuntimeError("the record is of another task or candidate than the row")
    on_gpu = not host.device_class.is_functional
    if record.status is Status.ERRORED or (on_gpu and record.reason in DEVICE_ERRORS):
        _BENCH.is_tried = False
    return record
