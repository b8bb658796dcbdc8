"""What a launcher gets and what it returns. A launcher is a function `launch(desk: Desk) -> Work`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Protocol

from evaluator.inside.limits import Access
from evaluator.records.reasons import Status
from evaluator.records.record import Record
from evaluator.records.sessions import Ending, IterationRecord, Own, TranscriptEntry, Usage
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.spec import TaskSpec

SHARED = ("timeout_s", "max_iterations", "cheatsheets", "contract_shown", "network", "secrets")  # with every agent


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """One configuration of an agent: what agent.yaml says, and what was set otherwise for a run."""

    timeout_s: float  # of one session, checks included
    max_iterations: int  # versions asked for; a program's bound, and a sentence in a model's prompt
    cheatsheets: bool  # appended to the prompt, by category and architecture
    contract_shown: bool  # is the task's config.yaml, which holds the ranges of its axes, in the workspace?
    network: tuple[str, ...]  # hosts that a sandboxed agent may reach, by HTTPS; none where empty
    secrets: tuple[str, ...]  # names of environment variables that it is given
    own: Mapping[str, Own]  # what only this agent knows, by the names of its agent.yaml

    def text(self, name: str) -> str:
        return "" if self.own[name] is None else str(self.own[name])

    def number(self, name: str) -> float | None:
        value = self.own[name]
        return float(value) if isinstance(value, int | float) else None

    def as_dict(self) -> dict[str, Own | tuple[str, ...]]:
        return {name: getattr(self, name) for name in SHARED} | dict(self.own)


@dataclass(frozen=True, slots=True)
class CheckedVersion:
    """One version, judged on the visible cases."""

    number: int  # of the iteration, from 1
    record: Record
    text: str  # what the agent is told


class CheckCandidate(Protocol):
    """Compile, correctness and timing of the visible cases, outside every sandbox of the agent."""

    def __call__(self, candidate: Candidate) -> CheckedVersion: ...


Heard = Callable[[TranscriptEntry | IterationRecord], None]  # whoever watches a session; called in any of its threads


def nobody(news: TranscriptEntry | IterationRecord) -> None:
    """Listens to a session that nobody watches."""


@dataclass(frozen=True, slots=True)
class Desk:
    """All that a session is given. Only our own reference agents look at what `task` hides from others."""

    task: TaskSpec
    settings: AgentSettings
    repeat: int  # from 0
    architecture: str  # what to write for: gfx942, gfx950, sm_90
    check: CheckCandidate
    access: Access = field(default_factory=Access)  # the device and its toolchain
    deadline: float = float("inf")  # on the clock of `monotonic`
    budget_usd: float = float("inf")  # what the session may cost; kept by agents that count it themselves
    agent: str = ""
    hear: Heard = nobody  # each entry of the transcript, as it comes

    @property
    def left_s(self) -> float:
        """Seconds until the session's time is over."""
        return self.deadline - monotonic()


@dataclass(frozen=True, slots=True)
class Work:
    """What became of a session."""

    candidate: Candidate
    ended: Ending
    message: str | None = None  # why it ended so, in one sentence
    prompt: str | None = None
    transcript: tuple[TranscriptEntry, ...] = ()
    usage: Usage = field(default_factory=Usage)
    expected: Status | None = None  # of reference agents, whose outcome is known


@dataclass(frozen=True, slots=True)
class Produced:
    """What an agent wrote for one task, and, where it is known, the status it must get."""

    candidate: Candidate
    expected: Status | None


class Launcher(Protocol):
    def __call__(self, desk: Desk) -> Work: ...
