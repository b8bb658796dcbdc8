"""Public data on agents' sessions: of a run, of a result, and from the archive."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from evaluator.codec import DecodeError
from evaluator.records.sessions import SessionRecord, read_session
from runs import agents, archive, sessions
from runs.models import AgentSession


class SessionRow(NamedTuple):
    """A session. None is what was not reported. `ended` is empty while it runs, and stays so if its worker was lost."""

    result_id: int
    task: str
    attempt_number: int | None  # None if it came with a bundle
    attempt_status: str | None
    agent: str
    evaluator: str
    architecture: str
    started_at: datetime
    seconds: float | None
    ended: str
    message: str
    model: str
    turns: int | None
    input_tokens: int | None
    cached_input_tokens: int | None
    output_tokens: int | None
    tool_calls: int | None
    cost_usd: float | None
    cost_source: str
    no_cost_because: str
    abandoned: int
    checks: int
    failed_builds: int
    tail: str
    digest: str
    prompt_digest: str

    @property
    def is_running(self) -> bool:
        return not self.ended and self.attempt_status == "running"

    @property
    def is_of_a_program(self) -> bool:
        return agents.is_program(self.agent)


COLUMNS = ("result_id", "result__task__path", "attempt__number", "attempt__status", *SessionRow._fields[4:])
OF_RESULT = tuple(f"session__{name}" for name in COLUMNS)  # the same columns from a result


def of_run(run_id: int) -> list[SessionRow]:
    """Sessions of a run, by task."""
    rows = AgentSession.objects.visible().filter(result__run=run_id)
    return [
        SessionRow(*row) for row in rows.order_by("result__task__category", "result__task__path").values_list(*COLUMNS)
    ]


def session_record(digest: str) -> SessionRecord | None:
    """A session as the evaluator wrote it; None if the archive lacks it or an older version wrote it."""
    try:
        return read_session(archive.get(digest)) if digest else None
    except (archive.ArchiveError, DecodeError):
        return None


def session_bytes(result_id: int) -> bytes | None:
    """The session of a result, byte for byte."""
    return _archived(result_id, "digest")


def prompt_bytes(result_id: int) -> bytes | None:
    """The exact prompt of a result's session."""
    return _archived(result_id, "prompt_digest")


def prompt(digest: str) -> str | None:
    """The exact prompt as text; None if there is none or the archive lacks it."""
    try:
        return archive.get(digest).decode("utf-8", "replace") if digest else None
    except archive.ArchiveError:
        return None


def shown(text: str) -> str:
    """A text of a session as anybody may see it: plain, without secrets and private paths."""
    return sessions.shown(text)


def transcript_bytes(result_id: int) -> bytes | None:
    """The transcript as plain, masked text without control characters."""
    found = session_record(_digests(result_id).get("digest", ""))
    return sessions.transcript_of(found).encode() if found else None


def _archived(result_id: int, name: str) -> bytes | None:
    digest = _digests(result_id).get(name, "")
    try:
        return archive.get(digest) if digest else None
    except archive.ArchiveError:
        return None


def _digests(result_id: int) -> Mapping[str, str]:
    row = AgentSession.objects.visible().filter(result=result_id).first()
    return {"digest": row.digest, "prompt_digest": row.prompt_digest} if row else {}
