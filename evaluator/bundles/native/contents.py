"""Reads ArenaBoard's own bundles: run folders of the evaluator, or their zips.

They have run.json, records/TASK.json, candidates/TASK/…, unseen/TASK.json, sessions/TASK.json and
calibrations/DEVICE.json. All parts of a task must agree. There are sessions for every task or for none. Only one task
is in memory at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, TypeVar

from evaluator.bundles.archives.contents import Renamed
from evaluator.bundles.archives.limits import MEASUREMENTS
from evaluator.bundles.archives.packing import slug
from evaluator.bundles.native.calibrations import calibrations_of, is_calibration
from evaluator.bundles.native.rules import (
    manifest_out_of_bounds,
    out_of_bounds,
    record_mismatches,
    session_mismatches,
    unseen_mismatches,
)
from evaluator.bundles.parsed import Bundle, BundledResult, Entries
from evaluator.bundles.parsers import NODES, values_in
from evaluator.bundles.problems import BundleError, BundleProblem
from evaluator.bundles.reading import DECLARED_FILE, Reading
from evaluator.codec import DecodeError
from evaluator.records import record as records
from evaluator.records.record import Record
from evaluator.records.sessions import read_session
from evaluator.tasks.candidate import Candidate
from evaluator.unseen.record import read_unseen

NAME = "ArenaBoard"
MARKS = "run.json with tasks and suite_digest, as `python -m evaluator run` writes it"
MANIFEST = "run.json"
TEXTS = ("suite", "suite_digest", "agent", "protocol", "device_class")
FOLDERS = ("records", "unseen", "sessions")
UNFINISHED = "`python -m evaluator run` with the same folder continues an interrupted run"
KINDS: dict[type, str] = {str: "text", int: "a whole number", dict: "an object"}  # in words for people
T = TypeVar("T")


def bundle_of(reading: Reading, look: Callable[[BundledResult], object] = id) -> Bundle:
    """The bundle, with all faults of its parts as `problems`; `look` is called with each complete result.

    Raises:
        BundleError: run.json is missing or malformed.
    """
    values = _manifest(reading)
    if reading.problems:
        raise BundleError(reading.problems)
    parts = _Parts(reading, values)
    whole, architectures, measurements = list[str](), set[str](), 0
    for task in values["tasks"]:
        entry = parts.entry(task)
        if entry is None:
            continue
        whole.append(task)
        architectures.add(entry.record.host.architecture)
        measurements += len(entry.record.cases)
        if measurements > MEASUREMENTS:
            reading.problem("records/", f"{measurements} measurements", f"at most {MEASUREMENTS} in a bundle")
            break
        look(entry)
    calibrations = calibrations_of(reading, values["device_class"])
    _check_unknown_files(reading, values["tasks"])
    entries = Entries(whole, parts.entry)
    return Bundle(
        digest=reading.digest,
        architectures=frozenset(architectures),
        calibrations=calibrations,
        entries=entries,
        problems=tuple(reading.problems),
        **values,
    )


def record_of(reading: Reading, task: str) -> Record:
    """The record of a task that `bundle_of` found complete."""
    return records.read_record(reading.masked(f"records/{slug(task)}.json", task))


def own_files(files: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """The files by names relative to the folder with run.json, if all of them lie in one top folder."""
    tops = {PurePosixPath(path).parts[0] for path in files}
    if len(tops) == 1 and f"{next(iter(tops))}/{MANIFEST}" in files:
        return Renamed(files, {path.partition("/")[2]: path for path in files})
    return files


def _manifest(reading: Reading) -> dict[str, Any]:
    """The fields of run.json that a bundle needs, by name; faults become problems of the reading."""
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
    for problem in manifest_out_of_bounds(MANIFEST, values) if not reading.problems else ():
        reading.problem(problem.place, problem.seen, problem.expected)
    return values


def _typed(reading: Reading, raw: Mapping[str, Any], name: str, kind: type[T], missing: T) -> T:
    value = raw.get(name)
    if type(value) is not kind:
        reading.problem(f"{MANIFEST}: {name}", repr(value) if name in raw else "nothing", KINDS[kind])
        return missing
    return value


class _Parts:
    """Reads the files of a bundle task by task."""

    def __init__(self, reading: Reading, values: Mapping[str, Any]) -> None:
        self.reading, self.values = reading, values
        self.has_sessions = any(path.startswith("sessions/") for path in reading.files)
        self._sources = dict[str, dict[str, str]]()
        for path in reading.files:
            folder, _, rest = path.partition("/")
            name, _, inner = rest.partition("/")
            if folder == "candidates" and inner:
                self._sources.setdefault(name, {})[inner] = path

    def entry(self, task: str) -> BundledResult | None:
        """The result of a task, or None if a part is missing or malformed; contradictions become problems."""
        reading, values, name = self.reading, self.values, slug(task)
        record, record_bytes = self._read(records.read_record, "records", task)
        unseen, unseen_bytes = self._read(read_unseen, "unseen", task) if values["round"] else (None, b"")
        session, session_bytes = self._read(read_session, "sessions", task) if self.has_sessions else (None, b"")
        if record is None or (values["round"] and unseen is None) or (self.has_sessions and session is None):
            return None
        candidate = Candidate(Renamed(reading.files, self._sources.get(name, {})), record.candidate.label)
        entry = BundledResult(task, record, record_bytes, candidate, unseen, unseen_bytes, session, session_bytes)
        for problem in self._mismatches(entry, name):
            reading.problem(problem.place, problem.seen, problem.expected)
        return entry

    def _mismatches(self, entry: BundledResult, name: str) -> Iterator[BundleProblem]:
        yield from record_mismatches(f"records/{name}.json", entry.record, entry.task, entry.candidate, self.values)
        yield from out_of_bounds(f"records/{name}.json", entry.record)
        if entry.unseen is not None:
            yield from out_of_bounds(f"unseen/{name}.json", entry.unseen)
            yield from unseen_mismatches(f"unseen/{name}.json", entry.unseen, entry.record, self.values)
        if entry.session is not None:
            yield from session_mismatches(f"sessions/{name}.json", entry.session, entry.record, self.values)

    def _read(self, read: Callable[[bytes], T], folder: str, task: str) -> tuple[T | None, bytes]:
        """The parsed value of a file and its masked bytes, or None and nothing if it is missing or malformed."""
        name = f"{folder}/{slug(task)}.json"
        if name not in self.reading.files:
            self.reading.problem(name, "nothing", "the record of this task", UNFINISHED)
            return None, b""
        data = self.reading.files[name]
        if values_in(data) > NODES:
            self.reading.problem(name, f"more than {NODES} values", "a record")
            return None, b""
        data = self.reading.masked(name, task)
        try:
            return read(data), data
        except DecodeError as error:
            self.reading.ill_typed(name, error, "a field of the records' schema")
            return None, b""


def _check_unknown_files(reading: Reading, tasks: Mapping[str, str]) -> None:
    """Report files that belong to no task of the run."""
    names = {slug(task) for task in tasks}
    known = {MANIFEST, DECLARED_FILE, *(f"{folder}/{name}.json" for folder in FOLDERS for name in names)}
    known.update(filter(is_calibration, reading.files))
    for path in reading.files:
        parts = PurePosixPath(path).parts
        if path not in known and not (parts[0] == "candidates" and len(parts) > 2 and parts[1] in names):
            expected = f"{MANIFEST}, records/, candidates/, unseen/, sessions/ or calibrations/"
            reading.problem(path, "a file that belongs to no task of run.json", expected)
