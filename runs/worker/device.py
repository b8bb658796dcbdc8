"""A worker's device: an evaluator that also tries known kernels and reads the calibration. Imports torch.

This is the default of the setting EVALUATOR; replacements implement `runs.worker.evaluator.Evaluating`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from evaluator.agents.catalog import AgentFolder
from evaluator.agents.interface import SessionListener
from evaluator.agents.readiness import missing_requirements
from evaluator.backends import get_backend
from evaluator.errors import HostError
from evaluator.health.trial import Trial, trials
from evaluator.pipeline import Evaluator
from evaluator.records import record as records
from evaluator.records.calibration import read_calibration
from evaluator.tasks.spec import TaskSpec
from evaluator.workbench import FinishedSession, run_session
from runs.verdicts import calibration_figures

CPU_TRIALS = 2  # a correct and a wrong kernel: a process that dies on a CPU leaves it healthy


class Device(Evaluator):
    """The evaluator of one backend.

    Raises:
        HostError: at creation, if this machine lacks the backend.
    """

    def __init__(self, backend: str) -> None:
        super().__init__(get_backend(backend))

    def run_session(
        self, task: TaskSpec, agent: AgentFolder, *, repeat: int, budget_usd: float, on_event: SessionListener
    ) -> FinishedSession:
        """Run an agent's session on the task.

        Raises:
            HostError: the agent lacks something on this host.
        """
        if missing := missing_requirements(agent):
            raise HostError(missing)
        return run_session(task, agent, self, repeat=repeat, budget_usd=budget_usd, on_event=on_event)

    def host(self) -> records.HostInfo:
        return self.backend.host()

    def trials(self) -> Iterator[Trial]:
        return islice(trials(self), None if self.backend.has_clock else CPU_TRIALS)

    def calibration(self) -> Mapping[str, Any]:
        """Return the figures of `doctor --health` as JSON values; empty if it has not run or there is no device clock.

        Raises:
            HostError: the calibration file cannot be read.
        """
        found = read_calibration(self.backend.host()) if self.backend.has_clock else None
        return {} if found is None else calibration_figures(found)
