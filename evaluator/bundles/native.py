"""ArenaBoard's own bundles: a run folder of the evaluator or its zip: records, sources, unseen cases and sessions.

run.json, records/<task>.json, candidates/<task>/…, unseen/<task>.json, sessions/<task>.json. Everything is held against
everything beside it. Sessions are there for every task or for none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from evaluator import records
from evaluator.agent_session import AgentSession, read_session
from evaluator.bundles.archive import digest_of, read_members
from evaluator.bundles.packing import slug
from evaluator.bundles.problems import BundleError, Problem
from evaluator.bundles.reading import DECLARED_FILE, Reading
from evaluator.candidate import Candidate
from evaluator.codec import DecodeError
from evaluator.records import Record
from evaluator.unseen.record import UnseenRecord, read_unseen

NAME = "ArenaBoard"
MARKS = "run.json with tasks and suite_digest, as `python -m evaluator run` writes it"
MANIFEST = "run.json"
TEXTS = ("suite", "suite_digest", "agent", "protocol", "device_class")
UNFINISHED = "`python -m evaluator run` with the same folder goes on where it stopped"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Entry:
    """What a bundle holds of one task."""

    task: str
    record: Record
    record_bytes: bytes
    candidate: Candidate
    unseen: UnseenRecord | None
    unseen_bytes: bytes
    session: AgentSession | None  # how an agent came to its candidate
    session_bytes: bytes


@dataclass(frozen=True, slots=True)
class Bundle:
    """`digest` is of the members' names and contents: folder and zip of one run have the same."""

    digest: str
    suite: str
    suite_digest: str
    agent: str
    repeat: int
    protocol: str
    device_class: str
    round: str | None  # sha256 of its secret
    settings: Mapping[str, Any]  # of an agent that works in sessions
    tasks: Mapping[str, str]  # id → digest
    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...] = field(default=())


def read_bundle(path: Path) -> Bundle:
    """Read a folder or an archive whole. What is wrong with a part is in the bundle's `problems`.

    Raises:
        BundleError: it is none at all: not there, beyond a bound, or without a run.json that says what it is.
    """
    return bundle_of(Reading(own_files(read_members(path))))


def bundle_of(reading: Reading) -> Bundle:
    """The bundle of files that are read already; raises like `read_bundle`."""
    values = _manifest(reading)
    if reading.problems:
        raise BundleError(reading.problems)
    entries = [_entry(reading, task, digest, values) for task, digest in values["tasks"].items()]
    _strangers(reading, values["tasks"])
    whole = tuple(entry for entry in entries if entry is not None)
    return Bundle(digest=reading.digest, entries=whole, problems=tuple(reading.problems), **values)


def digest_at(path: Path) -> str:
    """The digest alone, which says whether it was imported before; raises like `read_bundle` of what cannot be read."""
    return digest_of(own_files(read_members(path)))


def own_files(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Without the one folder that everything lies in, if it does."""
    tops = {PurePosixPath(path).parts[0] for path in files}
    if len(tops) == 1 and f"{next(iter(tops))}/{MANIFEST}" in files:
        files = {path.partition("/")[2]: data for path, data in files.items()}
    return dict(files)


def _manifest(reading: Reading) -> dict[str, Any]:
    """The values of run.json that a bundle is made of."""
    if MANIFEST not in reading.files:
        reading.problem(MANIFEST, "nothing", "what `python -m evaluator run` writes")
        return {}
    raw = reading.mapping(MANIFEST)
    values: dict[str, Any] = {name: _typed(reading, raw, name, str, "") for name in TEXTS}
    values["repeat"] = _typed(reading, raw, "repeat", int, 0)
    values["round"] = _typed(reading, raw, "round", str, "") if raw.get("round") is not None else None
    values["settings"] = _typed(reading, raw, "settings", dict, {}) if "settings" in raw else {}
    values["tasks"] = _typed(reading, raw, "tasks", dict, {})
    if not values["tasks"] or not all(isinstance(digest, str) for digest in values["tasks"].values()):
        reading.problem(f"{MANIFEST}: tasks", values["tasks"], "the digest of each task")
    return values


def _typed(reading: Reading, raw: Mapping[str, Any], name: str, kind: type[T], missing: T) -> T:
    value = raw.get(name)
    if type(value) is not kind:
        reading.problem(f"{MANIFEST}: {name}", repr(value), kind.__name__)
        return missing
    return value


def _entry(reading: Reading, task: str, digest: str, values: Mapping[str, Any]) -> Entry | None:
    name, files = slug(task), reading.files
    record = _read(reading, records.read_record, f"records/{name}.json")
    unseen = _read(reading, read_unseen, f"unseen/{name}.json") if values["round"] else None
    has_sessions = any(path.startswith("sessions/") for path in files)
    session = _read(reading, read_session, f"sessions/{name}.json") if has_sessions else None
    if record is None or (values["round"] and unseen is None) or (has_sessions and session is None):
        return None
    folder = f"candidates/{name}/"
    sources = {path.removeprefix(folder): data for path, data in files.items() if path.startswith(folder)}
    candidate = Candidate(sources, record.candidate.label)
    for problem in _contradictions(f"records/{name}.json", record, task, digest, values, candidate):
        reading.problems.append(problem)
    if unseen is not None:
        reading.problems += _of_another(f"unseen/{name}.json", unseen, record, values["round"])
    if session is not None:
        reading.problems += _of_another_session(f"sessions/{name}.json", session, record, values)
    unseen_bytes, session_bytes = (files.get(f"{folder}/{name}.json", b"") for folder in ("unseen", "sessions"))
    record_bytes = files[f"records/{name}.json"]
    return Entry(task, record, record_bytes, candidate, unseen, unseen_bytes, session, session_bytes)


def _read(reading: Reading, read: Callable[[bytes], T], name: str) -> T | None:
    if name not in reading.files:
        reading.problem(name, "nothing", "the record of this task", UNFINISHED)
        return None
    try:
        return read(reading.files[name])
    except DecodeError as error:
        for line in error.problems:
            place, _, rest = line.partition(": ")
            seen, _, expected = rest.removeprefix("seen ").partition("; expected ")
            reading.problem(f"{name}: {place}", seen, expected or "what the schema of records says")
        return None


def _contradictions(
    place: str, record: Record, task: str, digest: str, values: Mapping[str, Any], candidate: Candidate
) -> Iterator[Problem]:
    """Between a record, run.json and the sources beside it."""
    for what, seen, expected in (
        ("task", record.task.id, task),
        ("task digest", record.task.digest, digest),
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


def _of_another(place: str, unseen: UnseenRecord, record: Record, round_hash: str) -> Iterator[Problem]:
    for what, seen, expected in (
        ("task", unseen.task, record.task),
        ("candidate", unseen.candidate, record.candidate),
        ("protocol", unseen.protocol, record.protocol),
        ("device class", unseen.host.device_class, record.host.device_class),
        ("round", unseen.round, round_hash),
    ):
        if seen != expected:
            yield Problem(f"{place}: {what}", "another", "the record's or run.json's")


def _of_another_session(
    place: str, session: AgentSession, record: Record, values: Mapping[str, Any]
) -> Iterator[Problem]:
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


def _strangers(reading: Reading, tasks: Mapping[str, str]) -> None:
    """Files that belong to no task of the run."""
    names = {slug(task) for task in tasks}
    folders = ("records", "unseen", "sessions")
    known = {MANIFEST, DECLARED_FILE, *(f"{folder}/{name}.json" for folder in folders for name in names)}
    for path in reading.files:
        parts = PurePosixPath(path).parts
        if path not in known and not (parts[0] == "candidates" and len(parts) > 2 and parts[1] in names):
            expected = f"{MANIFEST}, records/, candidates/, unseen/ or sessions/"
            reading.problem(path, "a file of no task of run.json", expected)
