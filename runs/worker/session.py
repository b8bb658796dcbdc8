"""Runs an agent's session for a leased attempt, storing its progress while it runs and its record when it ends."""

from __future__ import annotations

import logging
import threading
from types import TracebackType

from django.db import DatabaseError, connection

from evaluator.agents.catalog import AgentFolder
from evaluator.agents.variables import secrets_from_environment
from evaluator.errors import HostError
from evaluator.records.reasons import Status
from evaluator.records.sessions import IterationRecord, SessionRecord, TranscriptEntry
from evaluator.secrets import SHORTEST
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.spec import TaskSpec
from runs import agents, sessions
from runs.models import Result
from runs.services import spending
from runs.services.leases import Lease
from runs.services.sessions import begin_session, record_session, update_session
from runs.worker.evaluator import Evaluating
from runs.worker.retrying import stored

REPORT_S = 2.0  # interval at which a running session's progress is stored
log = logging.getLogger(__name__)


def run_session(lease: Lease, result: Result, spec: TaskSpec, evaluating: Evaluating) -> SessionRecord:
    """Run the session of the result's agent on its task, and store it.

    Raises:
        HostError: the agent lacks something here, or has a setting that this host does not allow.
        RuntimeError: the lease was lost, or the candidate, which will be public, contains a secret.
    """
    agent = agents.agent_of(result.run.configuration)
    if sentence := agents.forbidden_setting(agent):
        raise HostError(f"{agent.name}: {sentence}")
    agent = agents.with_endpoint(agent)
    architecture = result.run.device_class.architecture
    budget_usd = spending.left_to_spend(run=result.run)
    if not begin_session(lease=lease, agent=agent.name, architecture=architecture):
        raise RuntimeError("the lease was lost before the session began")
    with SessionProgress(lease) as progress:
        finished = evaluating.run_session(
            spec, agent, repeat=result.run.repeat, budget_usd=budget_usd, on_event=progress.on_event
        )
    _refuse_secrets_in(finished.candidate, agent)
    if not stored(
        lambda: record_session(lease=lease, session=finished.session, candidate=finished.candidate),
        f"the session of attempt {lease.attempt_id}",
    ):
        raise RuntimeError("the lease was lost during the session")
    return finished.session


def _refuse_secrets_in(candidate: Candidate, agent: AgentFolder) -> None:
    """Refuse a candidate that contains a secret which its agent was given: sources are stored unchanged.

    Raises:
        RuntimeError: it contains one.
    """
    for name, value in secrets_from_environment(agent.settings).items():
        if len(value) >= SHORTEST and any(value.encode() in data for data in candidate.files.values()):
            raise RuntimeError(f"{agent.name} wrote the value of {name} into its candidate, which is not stored")


class SessionProgress:
    """Stores a running session's output and counts from a thread, so that the session never waits for the database."""

    def __init__(self, lease: Lease) -> None:
        self._lease = lease
        self._texts, self._statuses = list[str](), list[Status]()
        self._is_new, self._ended = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"session-{lease.attempt_id}", daemon=True)

    def __enter__(self) -> SessionProgress:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def on_event(self, news: TranscriptEntry | IterationRecord) -> None:
        self._texts.append(sessions.text_of(news))
        if isinstance(news, IterationRecord):
            self._statuses.append(news.status)
        self._is_new.set()

    def store(self) -> None:
        """Store the progress if there is anything new."""
        if not self._is_new.is_set():
            return
        self._is_new.clear()
        statuses = list(self._statuses)
        update_session(
            lease=self._lease,
            tail=sessions.tail_of(list(self._texts)),
            checks=len(statuses),
            failed_builds=statuses.count(Status.BUILD_FAILED),
        )

    def _run(self) -> None:
        while not self._ended.wait(REPORT_S):
            try:
                self.store()
            except DatabaseError as error:  # the whole session is stored when it ends
                log.warning("attempt %s: progress of its session was not stored: %s", self._lease.attempt_id, error)
            finally:
                connection.close()  # this thread's own
