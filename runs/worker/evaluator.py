"""The worker process's evaluator: opened when first needed, tried on known kernels, and replaced after a fault.

Tests replace it through the setting EVALUATOR (ARENA_EVALUATOR in the environment): the dotted name of a callable that
takes a backend's name and returns an `Evaluating`, as `runs.worker.device.Device` does.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from django.conf import settings
from django.utils.module_loading import import_string

from evaluator.errors import HostError
from evaluator.records import record as records
from evaluator.records.record import Record
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.spec import TaskSpec
from evaluator.unseen.cases import UnseenCase
from evaluator.unseen.record import UnseenRecord
from runs.models import Host
from runs.models.hosts import BACKENDS

if TYPE_CHECKING:
    from evaluator.agents.catalog import AgentFolder
    from evaluator.agents.interface import SessionListener
    from evaluator.health.trial import Trial
    from evaluator.workbench import FinishedSession

log = logging.getLogger(__name__)


class Evaluating(Protocol):
    """The interface of an evaluator that a worker uses."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> object: ...
    def evaluate(self, task: TaskSpec, candidate: Candidate, *, uploaded: bool = False) -> Record: ...
    def evaluate_unseen(
        self,
        task: TaskSpec,
        candidate: Candidate,
        cases: Sequence[UnseenCase],
        *,
        round_digest: str,
        generator: str,
        uploaded: bool = False,
    ) -> UnseenRecord: ...
    def run_session(
        self, task: TaskSpec, agent: AgentFolder, *, repeat: int, budget_usd: float, on_event: SessionListener
    ) -> FinishedSession: ...
    def host(self) -> records.HostInfo: ...
    def trials(self) -> Iterable[Trial]: ...
    def calibration(self) -> Mapping[str, Any]: ...


class WorkerEvaluator:
    """Holds at most one open evaluator, and whether known kernels passed on it since the last fault."""

    def __init__(self) -> None:
        self._evaluating: Evaluating | None = None
        self.is_tried = False

    def take(self, host: Host) -> Evaluating:
        """Return the evaluator of the host's backend, opened if necessary.

        Raises:
            HostError: this machine lacks the backend, or its device is of another class, whose times must not mix.
        """
        if self._evaluating is None:
            backend = BACKENDS[host.device_class.architecture]
            opened: Evaluating = import_string(settings.EVALUATOR)(backend).__enter__()
            self._evaluating = opened
            here = opened.host().device_class
            if here != host.device_class.slug and not host.device_class.is_functional:
                self.close()
                raise HostError(f"the device here is of class {here}, not {host.device_class}")
        return self._evaluating

    def close(self) -> None:
        closing, self._evaluating = self._evaluating, None
        if closing is not None:
            closing.__exit__(None, None, None)

    def failure(self, host: Host) -> str | None:
        """Try known kernels, and if one fails, all of them again in fresh processes.

        Return None if they passed, else what failed the second time.
        """
        failed = self._tried(host)
        if failed:
            log.warning("%s: known kernels failed, trying again in fresh processes: %s", host, failed)
            self.close()
            failed = self._tried(host)
        self.is_tried = failed is None
        return failed

    def _tried(self, host: Host) -> str | None:
        try:
            for trial in self.take(host).trials():
                log.info("%s: %s: %s", host, trial.name, trial.text)
                if not trial.good:
                    return f"{trial.name}: {trial.text}"
        except Exception as error:  # a boundary: whatever a broken device raises, the host has failed
            log.exception("%s: known kernels could not be tried", host)
            return f"{type(error).__name__}: {error}"
        return None
