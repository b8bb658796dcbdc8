"""An agent at work for a claimed attempt: its session is held, told as it goes on, and kept when it is over."""

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
from runs.services.claims import Lease
from runs.services.sessions import begin_session, record_session, session_goes_on
from runs.worker.evaluator import Evaluating

TELL_S = 2.0  # so often a session that goes on is written down
log = logging.getLogger(__name__)


def run_session(claim: Lease, result: Result, spec: TaskSpec, evaluating: Evaluating) -> SessionRecord:
    """The session of the result's agent on its task, written to the rows.

    Raises:
        HostError: the agent lacks something here, or would take what this host gives to no agent.
        RuntimeError: the claim was lost, or the candidate, which is public one day, holds a secret.
    """
    agent = agents.agent_of(result.run.configuration)
    if sentence := agents.asks_too_much(agent):
        raise HostError(f"{agent.name}: {sentence}")
    architecture = result.run.device_class.architecture
    budget_usd = spending.left_to_spend(run=result.run)
    if not begin_session(claim=claim, agent=agent.name, architecture=architecture):
        raise RuntimeError("the claim was lost before the session began")
    with Telling(claim) as telling:
        held = evaluating.run_session(
            spec, agent, repeat=result.run.repeat, budget_usd=budget_usd, on_event=telling.on_event
        )
    _refuse_a_secret_in(held.candidate, agent)
    if not record_session(claim=claim, session=held.session, candidate=held.candidate):
        raise RuntimeError("the claim was lost while the session went on")
    return held.session


def _refuse_a_secret_in(candidate: Candidate, agent: AgentFolder) -> None:
    """A text is cleaned; a source is kept as it is, so that one with a value that its agent was given is not kept."""
    for name, value in secrets_from_environment(agent.settings).items():
        if len(value) >= SHORTEST and any(value.encode() in data for data in candidate.files.values()):
            raise RuntimeError(f"{agent.name} wrote the value of {name} into its candidate: it is not kept")


class Telling:
    """Writes down what a session says, by a thread of its own: whoever says it does not wait for the database."""

    def __init__(self, claim: Lease) -> None:
        self._claim = claim
        self._texts, self._statuses = list[str](), list[Status]()
        self._is_new, self._ended = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"session-{claim.attempt_id}", daemon=True)

    def __enter__(self) -> Telling:
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

    def tell(self) -> None:
        """Once, if there is anything new."""
        if not self._is_new.is_set():
            return
        self._is_new.clear()
        statuses = list(self._statuses)
        session_goes_on(
            claim=self._claim,
            tail=sessions.tail_of(list(self._texts)),
            checks=len(statuses),
            failed_builds=statuses.count(Status.BUILD_FAILED),
        )

    def _run(self) -> None:
        while not self._ended.wait(TELL_S):
            try:
                self.tell()
            except DatabaseError as error:  # the session is kept whole when it ends
                log.warning("attempt %s: what its session says was not written down: %s", self._claim.attempt_id, error)
            finally:
                connection.close()  # this thread's own
