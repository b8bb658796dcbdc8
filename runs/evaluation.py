"""From row to verdict and back: the only caller of the evaluator's pipeline. A worker process keeps one evaluator.

The seam for tests is the setting EVALUATOR (ARENA_EVALUATOR in the environment): the dotted name of a function that
takes a backend's name and returns a context manager with `evaluate(task, candidate)`, as `open_evaluator` does.
"""

from __future__ import annotations

import logging
from types import TracebackType
from typing import Protocol, Self

from django.conf import settings
from django.utils.module_loading import import_string

from evaluator.candidate import Candidate
from evaluator.records import Record
from evaluator.taskspec import TaskSpec
from runs import candidates, services
from runs.models import Host, Result
from runs.models.hosts import BACKENDS
from runs.pulse import Interrupted, Pulse
from runs.services import Claim

log = logging.getLogger(__name__)


class Evaluating(Protocol):
    """What the seam's function returns."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> object: ...
    def evaluate(self, task: TaskSpec, candidate: Candidate) -> Record: ...


def evaluate_oldest(*, host: Host, worker: str) -> bool:
    """Claim the oldest attempt, evaluate its candidate, store the verdict. False: nothing waits, or given back."""
    claim = services.claim_oldest(host=host, worker=worker)
    if claim is None:
        return False
    try:
        return Pulse(claim).during(lambda: services.record_verdict(claim=claim, record=_record_of(claim, host)))
    except Interrupted as interruption:
        log.warning("attempt %s: interrupted by %s", claim.attempt_id, interruption)
        _BENCH.close()
        if interruption.is_stop:
            services.release_attempt(claim=claim, because=f"worker {worker} was stopped", is_fault=False)
    except Exception as error:  # the job's border: whatever happens behind it is ours, never the candidate's
        log.exception("attempt %s: a fault of ours", claim.attempt_id)
        _BENCH.close()
        services.release_attempt(claim=claim, because=f"{type(error).__name__}: {error}")
    return False


def open_bench(host: Host) -> dict[str, str]:
    """Get ready before the first attempt comes; what the host runs on.

    Raises:
        HostError: this machine cannot evaluate what the host's device class asks for.
    """
    _BENCH.take(host)
    return _BENCH.facts


def close_bench() -> None:
    _BENCH.close()


def open_evaluator(backend: str) -> Evaluating:
    """The real one. Imported here: the web server never loads torch."""
    from evaluator.backends import get_backend
    from evaluator.pipeline import Evaluator

    return Evaluator(get_backend(backend))


class _Bench:
    """This process's evaluator, opened when first needed and again after a fault."""

    def __init__(self) -> None:
        self._evaluating: Evaluating | None = None

    @property
    def facts(self) -> dict[str, str]:
        backend = getattr(self._evaluating, "backend", None)
        return dict(backend.host().facts) if backend is not None else {}

    def take(self, host: Host) -> Evaluating:
        if self._evaluating is None:
            opened = import_string(settings.EVALUATOR)(BACKENDS[host.device_class.architecture])
            self._evaluating = opened.__enter__()
        return self._evaluating

    def close(self) -> None:
        closing, self._evaluating = self._evaluating, None
        if closing is not None:
            closing.__exit__(None, None, None)


_BENCH = _Bench()


def _record_of(claim: Claim, host: Host) -> Record:
    result = Result.objects.select_related("task", "run__configuration__agent").get(attempts=claim.attempt_id)
    candidate = candidates.stored(result)
    record = _BENCH.take(host).evaluate(candidates.spec_of(result.task), candidate)
    if (record.task.digest, record.candidate.digest) != (result.task.digest, candidate.digest):
        raise RuntimeError("the record is of another task or candidate than the row")
    return record
