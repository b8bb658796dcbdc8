"""A run folder of the evaluator, or its zip, as values: read within bounds, every problem noted with its place.

run.json, records/<task>.json, candidates/<task>/…, unseen/<task>.json. Knows no rows; `services.import_run` asks those.
"""

from __future__ import annotations

import hashlib
import json
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from evaluator import records
from evaluator.candidate import Candidate
from evaluator.codec import DecodeError, plain_text
from evaluator.records import Record
from evaluator.unseen.record import UnseenRecord, read_unseen
from runs.errors import BundleError

MEMBERS = 2_000
MEMBER_BYTES = 32 << 20  # the largest record of a GPU run, with its raw times, is below 2 MiB
TOTAL_BYTES = 512 << 20
NAME_CHARACTERS = 300
FOLDERS = ("records", "candidates", "unseen")
T = TypeVar("T")
_UNREADABLE = (OSError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError)


@dataclass(frozen=True, slots=True)
class Entry:
    """What a bundle holds of one task."""

    task: str
    record: Record
    record_bytes: bytes
    candidate: Candidate
    unseen: UnseenRecord | None
    unseen_bytes: bytes


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
    tasks: Mapping[str, str]  # id → digest
    entries: tuple[Entry, ...]
    problems: tuple[str, ...] = field(default=())


def read_bundle(path: Path) -> Bundle:
    """Read a folder or a zip whole. What is wrong with a part is in the bundle's `problems`.

    Raises:
        BundleError: it is none at all: not there, beyond a bound, or without a run.json that says what it is.
    """
    files = _members(path)
    problems: list[str] = []
    values = _manifest(files, problems)
    if problems:
        raise BundleError(problems)
    entries = [_entry(task, digest, values, files, problems) for task, digest in values["tasks"].items()]
    problems += _strangers(files, values["tasks"])
    whole = tuple(entry for entry in entries if entry is not None)
    return Bundle(digest=_digest(files), entries=whole, problems=tuple(problems), **values)


def digest_of(path: Path) -> str:
    """The digest alone, which says whether it was imported before; raises as `read_bundle` of what cannot be read."""
    return _digest(_members(path))


def file_name(task_id: str) -> str:
    """Of a task's record, and of the folder of its candidate."""
    return task_id.replace("/", "--")


def _members(path: Path) -> dict[str, bytes]:
    """Name → content; nothing is written anywhere, and no declared size is believed.

    Raises:
        BundleError: there is no such bundle, or it breaks a bound.
    """
    try:
        if path.is_dir():
            return _bounded(_in_folder(path))
        with zipfile.ZipFile(path) as archive:
            return _bounded(_in_zip(archive))
    except _UNREADABLE as error:
        raise BundleError([f"{path.name}: cannot be read as a run folder or its zip: {error}"]) from error


def _in_folder(folder: Path) -> Iterator[tuple[str, bool, Callable[[], bytes]]]:
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_dir():
            is_plain = path.is_file() and not path.is_symlink()
            yield path.relative_to(folder).as_posix(), is_plain, lambda path=path: _start_of(path.open("rb"))  # type: ignore[misc]


def _in_zip(archive: zipfile.ZipFile) -> Iterator[tuple[str, bool, Callable[[], bytes]]]:
    for info in archive.infolist():
        if not info.is_dir():
            kind = stat.S_IFMT(info.external_attr >> 16)
            is_plain = kind in (0, stat.S_IFREG) and not info.flag_bits & 1  # encrypted
            yield info.filename, is_plain, lambda info=info: _start_of(archive.open(info))  # type: ignore[misc]


def _start_of(stream: Any) -> bytes:
    """At most one byte more than is allowed, whatever a header says of the size."""
    with stream:
        return bytes(stream.read(MEMBER_BYTES + 1))


def _bounded(members: Iterator[tuple[str, bool, Callable[[], bytes]]]) -> dict[str, bytes]:
    files, total, problems = dict[str, bytes](), 0, list[str]()
    for name, is_plain, read in members:
        if len(files) == MEMBERS:
            raise BundleError([*problems, f"more than {MEMBERS} files"])
        problem = _problem_of_name(name) or (None if is_plain else "a link or special file; expected a plain one")
        if not problem and name in files:
            problem = "stands twice"
        data = b"" if problem else read()
        total += len(data)
        if len(data) > MEMBER_BYTES:
            problem = f"longer than {MEMBER_BYTES >> 20} MiB"
        if total > TOTAL_BYTES:
            raise BundleError([*problems, f"more than {TOTAL_BYTES >> 20} MiB in all"])
        if problem:
            problems.append(f"{plain_text(name)[:NAME_CHARACTERS]}: {problem}")
        files[name] = data
    if problems:
        raise BundleError(problems)
    return files


def _problem_of_name(name: str) -> str | None:
    path = PurePosixPath(name)
    if len(name) > NAME_CHARACTERS or name != plain_text(name) or "\\" in name:
        return "a name that no file of a run has"
    if path.is_absolute() or ".." in path.parts or path.as_posix() != name:
        return "a path that leaves the bundle, or is not in its plain form"
    if name != "run.json" and path.parts[0] not in FOLDERS:
        return f"expected run.json, {', '.join(f'{folder}/…' for folder in FOLDERS)}"
    return None


def _manifest(files: Mapping[str, bytes], problems: list[str]) -> dict[str, Any]:
    """The values of run.json that a bundle is made of."""
    try:
        raw = json.loads(files["run.json"])
    except KeyError:
        problems.append("run.json: missing")
        return {}
    except (ValueError, RecursionError) as error:
        problems.append(f"run.json: not JSON: {error}")
        return {}
    if not isinstance(raw, dict):
        problems.append("run.json: expected an object")
        return {}
    texts = ("suite", "suite_digest", "agent", "protocol", "device_class")
    values: dict[str, Any] = {name: _typed(raw, name, str, "", problems) for name in texts}
    values["repeat"] = _typed(raw, "repeat", int, 0, problems)
    values["round"] = _typed(raw, "round", str, "", problems) if raw.get("round") is not None else None
    values["tasks"] = _typed(raw, "tasks", dict, {}, problems)
    if not values["tasks"] or not all(isinstance(digest, str) for digest in values["tasks"].values()):
        problems.append("run.json: tasks: expected the digest of each task")
    return values


def _typed(raw: Mapping[str, Any], name: str, kind: type[T], missing: T, problems: list[str]) -> T:
    value = raw.get(name)
    if type(value) is not kind:
        problems.append(f"run.json: {name}: seen {value!r:.80}; expected {kind.__name__}")
        return missing
    return value


def _entry(
    task: str, digest: str, values: Mapping[str, Any], files: Mapping[str, bytes], problems: list[str]
) -> Entry | None:
    name = file_name(task)
    record = _read(records.read_record, f"records/{name}.json", files, problems)
    unseen = _read(read_unseen, f"unseen/{name}.json", files, problems) if values["round"] else None
    if record is None or (values["round"] and unseen is None):
        return None
    folder = f"candidates/{name}/"
    sources = {path.removeprefix(folder): data for path, data in files.items() if path.startswith(folder)}
    candidate = Candidate(sources, record.candidate.label)
    problems += [f"records/{name}.json: {text}" for text in _contradictions(record, task, digest, values, candidate)]
    if unseen is not None:
        problems += [f"unseen/{name}.json: {text}" for text in _of_another(unseen, record, values["round"])]
    unseen_bytes = files[f"unseen/{name}.json"] if unseen is not None else b""
    return Entry(task, record, files[f"records/{name}.json"], candidate, unseen, unseen_bytes)


def _read(read: Callable[[bytes], T], name: str, files: Mapping[str, bytes], problems: list[str]) -> T | None:
    if name not in files:
        problems.append(f"{name}: missing; `python -m evaluator run` with the same folder goes on where it stopped")
        return None
    try:
        return read(files[name])
    except DecodeError as error:
        problems += [f"{name}: {line}" for line in error.problems]
        return None


def _contradictions(
    record: Record, task: str, digest: str, values: Mapping[str, Any], candidate: Candidate
) -> Iterator[str]:
    """Between a record, run.json and the sources beside it."""
    for what, seen, expected in (
        ("task", record.task.id, task),
        ("task digest", record.task.digest, digest),
        ("protocol", record.protocol, values["protocol"]),
        ("device class", record.host.device_class, values["device_class"]),
        ("label of the candidate", record.candidate.label, values["agent"]),
    ):
        if seen != expected:
            yield f"{what}: seen {seen!r:.80}; run.json says {expected!r:.80}"
    if dict(record.candidate.files) != candidate.ref_files or record.candidate.digest != candidate.digest:
        yield f"the files in candidates/{file_name(task)}/ are not the ones that it judged"
    if any(case.split != "seen" for case in record.cases):
        yield "an unseen case stands among the seen ones"


def _of_another(unseen: UnseenRecord, record: Record, round_hash: str) -> Iterator[str]:
    for what, seen, expected in (
        ("task", unseen.task, record.task),
        ("candidate", unseen.candidate, record.candidate),
        ("protocol", unseen.protocol, record.protocol),
        ("device class", unseen.host.device_class, record.host.device_class),
        ("round", unseen.round, round_hash),
    ):
        if seen != expected:
            yield f"{what}: another than the record's or run.json's"


def _strangers(files: Mapping[str, bytes], tasks: Mapping[str, str]) -> list[str]:
    """Files that belong to no task of the run."""
    names = {file_name(task) for task in tasks}
    known = {"run.json", *(f"{folder}/{name}.json" for folder in ("records", "unseen") for name in names)}
    return [
        f"{path}: belongs to no task of run.json"
        for path in files
        if path not in known and not (path.startswith("candidates/") and path.split("/")[1] in names)
    ]


def _digest(files: Mapping[str, bytes]) -> str:
    lines = [f"{name}\0{hashlib.sha256(data).hexdigest()}\n" for name, data in sorted(files.items())]
    return hashlib.sha256("".join(lines).encode()).hexdigest()
