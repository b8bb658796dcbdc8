"""What the parts of one of our own bundles must agree on: each pair of them yields every contradiction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evaluator.agent_session import AgentSession
from evaluator.bundles.packing import slug
from evaluator.bundles.problems import Problem
from evaluator.candidate import Candidate
from evaluator.records import Record
from evaluator.unseen.record import UnseenRecord


def contradictions(
    place: str, record: Record, task: str, candidate: Candidate, values: Mapping[str, Any]
) -> Iterator[Problem]:
    """Between a record, run.json and the sources beside it."""
    for what, seen, expected in (
        ("task", record.task.id, task),
        ("task digest", record.task.digest, values["tasks"][task]),
        ("protocol", record.protocol, values["protocol"]),
        ("device class", record.host.device_class, values["device_class"]),
        ("label of the candidate", record.candidate.label, values["agent"]),
    ):
        if seen != expected:
            yield Problem(f"{place}: {what}", f"{seen!r:.80}", f"{expected!r:.80}, as run.json says")
    if dict(record.candidate.files) != candidate.ref_files or record.candidate.digest != candidate.digest:
        yield Problem(place, f"another digest than of candidates/{slug(task)}/", "the files that it judged")
    if any(case.split != "seen" for case in record.cases):
        yield Problem(place, "an unseen case", "seen ones only")


def of_another_unseen(place: str, unseen: UnseenRecord, record: Record, values: Mapping[str, Any]) -> Iterator[Problem]:
    """Between the records of unseen and of seen cases."""
    for what, seen, expected in (
        ("task", unseen.task, record.task),
        ("candidate", unseen.candidate, record.candidate),
        ("protocol", unseen.protocol, record.protocol),
        ("device class", unseen.host.device_class, record.host.device_class),
        ("round", unseen.round, values["round"]),
    ):
        if seen != expected:
            yield Problem(f"{place}: {what}", "another", "the record's or run.json's")


def of_another_session(
    place: str, session: AgentSession, record: Record, values: Mapping[str, Any]
) -> Iterator[Problem]:
    """Between an agent's session, the record of its candidate, and run.json."""
    for what, seen, expected in (
        ("task", session.task, record.task),
        ("candidate", session.candidate, record.candidate),
        ("agent", session.agent, values["agent"]),
        ("repeat", session.repeat, values["repeat"]),
        ("device class", session.device_class, values["device_class"]),
        ("settings", dict(session.settings), values["settings"]),
    ):
        if seen != expected:
            yield Problem(f"{place}: {what}", "another", "the record's or run.json's")
