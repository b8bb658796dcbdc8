"""An agent's session on one task, from prompt to candidate, as versioned JSON: sessions/<task>.json of a run folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from evaluator import codec
from evaluator.inside.excerpts import excerpt
from evaluator.records.moments import is_timestamp
from evaluator.records.reasons import Status
from evaluator.records.record import CandidateRef, TaskRef

SESSION_SCHEMA_VERSION = 1
MAX_ENTRIES, MAX_TEXT, MAX_DIFF = 5000, 20_000, 200_000  # entries of a transcript, characters of one, of a diff
LARGEST = {  # fits into the database's columns, also summed over many sessions
    **dict.fromkeys(("turns", "tool_calls"), 2**31 - 1),
    **dict.fromkeys(("input_tokens", "cached_input_tokens", "output_tokens"), 10**12),
    "cost_usd": 10**9,
}
LONGEST_S = 1e6  # eleven days
SettingValue = str | int | float | bool | None
Ending = Literal["finished", "timed_out", "gave_up", "spending_cap", "failed"]


EntryKind = Literal["prompt", "text", "reasoning", "tool_call", "tool_result", "check", "error"]


@dataclass(frozen=True, slots=True)
class TranscriptEntry:
    """One entry of a transcript: a message, a tool call, its result, a check or an error."""

    kind: EntryKind
    text: str
    tool: str | None = None
    failed: bool = False
    conversation: int | None = field(default=None, metadata=codec.ADDED_LATER)  # from 1, where a session has several


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage of a session; None means not reported. Cached input tokens are part of the input tokens."""

    turns: int | None = None
    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    tool_calls: int | None = None
    model: str | None = None  # as the agent's own event stream names it


NOTHING_SPENT = Usage(0, input_tokens=0, cached_input_tokens=0, output_tokens=0, cost_usd=0.0, tool_calls=0)


@dataclass(frozen=True, slots=True)
class IterationRecord:
    """A distinct version that was checked.

    `parents` are the versions that its author was shown, the best first; none where it knew the task's own source
    alone. None: the agent works on one version after another, and the parent is the one before. `diff` is relative to
    the first parent, or to the task's own source.
    """

    number: int
    at_s: float  # since the start of the session
    seconds: float  # duration of the check
    digest: str
    status: Status
    message: str | None
    speedup: float | None  # geometric mean over the eligible cases, on T_dev; None without a device clock
    diff: str
    parents: tuple[int, ...] | None = field(default=None, metadata=codec.ADDED_LATER)

    @property
    def previous(self) -> int | None:
        """Number of the version that it was made from; None: the task's own source."""
        return (self.number - 1 or None) if self.parents is None else next(iter(self.parents), None)


@dataclass(frozen=True, slots=True)
class SessionRecord:
    schema: int
    evaluator: str
    agent: str
    settings: Mapping[str, str]  # by name, each value as one line of YAML
    task: TaskRef
    repeat: int
    architecture: str  # the target of the kernels
    device_class: str  # of the device that checked the versions
    started_at: str  # ISO 8601, UTC
    seconds: float
    ended: Ending
    message: str | None
    candidate: CandidateRef
    problems: tuple[tuple[str, ...], ...]  # reason code and detail of each problem with the submitted files
    prompt: str | None
    usage: Usage
    iterations: tuple[IterationRecord, ...]
    transcript: tuple[TranscriptEntry, ...]


def write_session(session: SessionRecord, path: Path) -> None:
    """Write a session record atomically.

    Raises:
        codec.DecodeError: the session breaks its own rules.
    """
    codec.write(session, path, problems_of)


def read_session(text: str | bytes) -> SessionRecord:
    """Read and check one session.

    Raises:
        codec.DecodeError: with every problem.
    """
    return codec.read(SessionRecord, text, problems_of)


def problems_of(session: SessionRecord) -> list[str]:
    """Sentences on every rule that this session record breaks."""
    problems = []
    if session.schema != SESSION_SCHEMA_VERSION:
        problems.append(f"schema: seen {session.schema}; expected {SESSION_SCHEMA_VERSION}")
    if [one.number for one in session.iterations] != list(range(1, len(session.iterations) + 1)):
        problems.append("iterations: expected the numbers 1, 2, 3 and so on")
    if session.ended != "finished" and not session.message:
        problems.append(f"ended {session.ended}: a message is missing")
    if any(len(problem) != 2 for problem in session.problems):
        problems.append("problems: expected pairs of a reason code and a detail")
    if any(not 0 < parent < one.number for one in session.iterations for parent in one.parents or ()):
        problems.append("iterations: a parent that is no earlier version")
    if any(one.speedup is not None and one.speedup <= 0 for one in session.iterations):
        problems.append("iterations: a speedup that is not positive")
    for name, value in _implausible(session.usage).items():
        problems.append(f"usage.{name}: seen {value}; expected 0 to {LARGEST[name]}")
    durations = (session.seconds, *(value for one in session.iterations for value in (one.at_s, one.seconds)))
    if not all(0 <= value <= LONGEST_S for value in durations):
        problems.append(f"seconds: expected 0 to {LONGEST_S:.0f}, of the session and of each iteration")
    if not is_timestamp(session.started_at):
        problems.append(f"started_at: seen {session.started_at!r:.80}; expected a timestamp with its time zone")
    return problems


def plausible_usage(usage: Usage) -> Usage:
    """The usage with impossible values replaced by None: an agent's own program may report anything."""
    return replace(usage, **dict.fromkeys(_implausible(usage)))


def _implausible(usage: Usage) -> dict[str, int | float]:
    reported = {name: getattr(usage, name) for name in LARGEST}
    return {name: value for name, value in reported.items() if value is not None and not 0 <= value <= LARGEST[name]}


def shortened(text: str, most: int = MAX_TEXT) -> str:
    """The text made plain, and if it is longer than `most` characters, only its beginning and end."""
    return excerpt(codec.plain_text(text), most)
