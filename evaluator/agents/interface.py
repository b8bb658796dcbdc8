"""The interface of launchers: a launcher is a function `launch(context: SessionContext) -> SessionOutcome`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Protocol

from evaluator.addresses import AllowedEndpoint
from evaluator.inside.limits import Access
from evaluator.records.reasons import Status
from evaluator.records.record import Record
from evaluator.records.sessions import Ending, IterationRecord, SettingValue, TranscriptEntry, Usage
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.spec import TaskSpec

SHARED = ("timeout_s", "max_iterations", "cheatsheets", "contract_shown", "network", "secrets")  # of every agent


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """One configuration of an agent: the settings of agent.yaml, some of them overridden for a run."""

    timeout_s: float  # of one session, checks included
    max_iterations: int  # versions to write; a limit for programs, and a sentence in a model's prompt
    cheatsheets: bool  # appended to the prompt, by category and architecture
    contract_shown: bool  # is the task's config.yaml, which holds the ranges of its axes, in the workspace?
    network: tuple[str, ...]  # hosts that a sandboxed agent may reach, by HTTPS; none where empty
    secrets: tuple[str, ...]  # names of environment variables whose values it gets
    own: Mapping[str, SettingValue]  # settings of this agent alone, by the names of its agent.yaml
    endpoint: AllowedEndpoint | None = None  # what a site allows of `base_url`; None: whoever typed it may go anywhere

    def text(self, name: str) -> str:
        return "" if self.own[name] is None else str(self.own[name])

    def number(self, name: str) -> float | None:
        value = self.own[name]
        return float(value) if isinstance(value, int | float) else None

    def as_dict(self) -> dict[str, SettingValue | tuple[str, ...]]:
        return {name: getattr(self, name) for name in SHARED} | dict(self.own)


@dataclass(frozen=True, slots=True)
class CheckedVersion:
    """One version of a candidate, evaluated on the visible cases."""

    number: int  # of the iteration, from 1
    record: Record
    text: str  # the report that the agent gets


class CheckCandidate(Protocol):
    """Compiles, checks and times a candidate on the visible cases, outside the agent's sandbox."""

    def __call__(self, candidate: Candidate, parents: tuple[int, ...] | None = None) -> CheckedVersion:
        """Call it from one thread at a time. `parents`: as in IterationRecord, by the numbers of checked versions."""
        ...


SessionListener = Callable[[TranscriptEntry | IterationRecord], None]  # may be called from any thread of a session


def ignore_event(event: TranscriptEntry | IterationRecord) -> None:
    """A listener that does nothing."""


@dataclass(frozen=True, slots=True)
class SessionContext:
    """Everything a session gets. Only reference agents read the files of `task` that are hidden from other agents."""

    task: TaskSpec
    settings: AgentSettings
    repeat: int  # from 0
    architecture: str  # the target: gfx942, gfx950, sm_90
    check: CheckCandidate
    access: Access = field(default_factory=Access)  # the device and its toolchain
    deadline: float = float("inf")  # on the clock of `monotonic`
    budget_usd: float = float("inf")  # what the session may cost; enforced by agents that count it themselves
    agent: str = ""
    on_event: SessionListener = ignore_event  # gets each entry of the transcript at once

    @property
    def left_s(self) -> float:
        """Seconds until the session's deadline."""
        return self.deadline - monotonic()


@dataclass(frozen=True, slots=True)
class SessionOutcome:
    """The outcome of a session: how it ended, its candidate, transcript and usage."""

    candidate: Candidate
    ended: Ending
    message: str | None = None  # why it ended so, in one sentence
    prompt: str | None = None
    transcript: tuple[TranscriptEntry, ...] = ()
    usage: Usage = field(default_factory=Usage)
    expected: Status | None = None  # of reference agents, whose outcome is known


@dataclass(frozen=True, slots=True)
class ProducedCandidate:
    """An agent's candidate for one task, and for reference agents the status that it must get."""

    candidate: Candidate
    expected: Status | None


class Launcher(Protocol):
    def __call__(self, context: SessionContext) -> SessionOutcome: ...
