"""Candidates: the source files submitted for a task, read from a folder of editable files or from a whole workspace."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Protocol

from evaluator.codec import plain_text
from evaluator.errors import UsageError
from evaluator.records.record import CandidateRef
from evaluator.tasks.spec import TaskSpec, task_files

MAX_BYTES = 2 << 20  # of one source file
COMPILED = b"""

import torch._dynamo.config
import torch._inductor.config

torch._dynamo.config.recompile_limit = 256  # for each case; beyond it, calls would be eager
torch._inductor.config.compile_threads = 1  # no processes beside the sandbox's own
forward = torch.compile(forward, dynamic=False)
"""
LIMIT = f"{MAX_BYTES >> 20} MiB ({MAX_BYTES:,} bytes)"
IGNORED_PARTS = ("__pycache__", ".git")


@dataclass(frozen=True, slots=True)
class NotASource:
    """In place of a file's contents: why it is not a plain source file, in words that follow its name."""

    why: str = f"is no regular file, or larger than {LIMIT}"


@dataclass(frozen=True, slots=True)
class Candidate:
    """The accepted files, and the problems with others as pairs of reason code and detail, in order of detection."""

    files: Mapping[str, bytes]
    label: str
    problems: tuple[tuple[str, str], ...] = field(default=())

    @property
    def digest(self) -> str:
        lines = [f"{name}\0{digest}\n" for name, digest in sorted(self.ref_files.items())]
        return hashlib.sha256("".join(lines).encode()).hexdigest()

    @property
    def ref_files(self) -> dict[str, str]:
        return {name: hashlib.sha256(data).hexdigest() for name, data in self.files.items()}

    def ref(self) -> CandidateRef:
        return CandidateRef(self.digest, self.ref_files, self.label)


class Editable(Protocol):
    """The part of a task, native or mounted, that says which files a candidate may have."""

    @property
    def folder(self) -> Path: ...
    @property
    def editable(self) -> tuple[str, ...]: ...


def read_candidate(folder: Path, task: Editable, *, label: str = "", ignore_extra: bool = False) -> Candidate:
    """Read a candidate folder and compare it with its task.

    Editable files are accepted, and files equal to the task's are ignored. A link or a changed protected file is a
    problem, and so is any file that the task does not know, unless `ignore_extra` is set.

    Raises:
        UsageError: there is no such folder.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder; a candidate is a folder that holds {', '.join(task.editable)}")
    found: dict[str, bytes | NotASource] = {}
    for path in sorted(folder.rglob("*")):
        ignored = any(part in IGNORED_PARTS for part in path.relative_to(folder).parts)
        if not ignored and (path.is_symlink() or not path.is_dir()):
            found[path.relative_to(folder).as_posix()] = _not_a_source(path) or path.read_bytes()
    return candidate_from_files(found, task, label=label or folder.name, ignore_extra=ignore_extra)


def candidate_from_files(
    found: Mapping[str, bytes | NotASource], task: Editable, *, label: str, ignore_extra: bool = False
) -> Candidate:
    """A candidate as of `read_candidate`, from contents by path."""
    ours, files, problems = task_files(task.folder), dict[str, bytes](), list[tuple[str, str]]()
    for path, data in sorted(found.items()):
        name = plain_text(path)
        if any(part in IGNORED_PARTS for part in PurePosixPath(path).parts):
            continue
        known = name in ours or name in task.editable
        if ignore_extra and not known:
            continue
        if isinstance(data, bytes) and len(data) > MAX_BYTES:
            data = too_large(len(data))
        if isinstance(data, NotASource):
            problems.append(("not_a_source", f"{name} {data.why}"))
        elif name in task.editable:
            files[name] = data
        elif known and data != ours[name]:
            problems.append(("protected_file", name))
        elif not known:
            problems.append(("extra_file", name))
    problems += [("not_written", name) for name in task.editable if not files.get(name, b"").strip()]
    return Candidate(files, plain_text(label), tuple(problems))


def too_large(size: int) -> NotASource:
    """Why a file of this many bytes is not read."""
    return NotASource(f"has {size:,} bytes; a source may have {LIMIT}")


def overlay(task: TaskSpec, folder: str, label: str) -> Candidate:
    """The candidate in one of the task's own folders: `expert` or `variants/<name>`."""
    return Candidate({name: (task.folder / folder / name).read_bytes() for name in task.editable}, label)


def baseline(task: TaskSpec) -> Candidate:
    """The task's own sources as a candidate: the editable file, or the PyTorch module that it starts from (eager)."""
    return Candidate({name: (task.folder / name).read_bytes() for name in task.sources}, "baseline")


def compiled(module: Mapping[str, bytes]) -> Candidate:
    """A PyTorch module under torch.compile, compiled anew for the shapes of each case."""
    (name, source), *others = module.items()
    return Candidate({name: source + COMPILED, **dict(others)}, "compile")


def compiled_baseline(task: TaskSpec) -> Candidate:
    """The PyTorch module that a task starts from, under torch.compile."""
    return compiled(baseline(task).files)


LIBRARY_LINES = {
    "baseline": baseline,
    "eager": baseline,
    "compile": compiled_baseline,
}  # by agent: boards never rank these


def is_library_line(candidate: Candidate, task: TaskSpec) -> bool:
    """Whether it is PyTorch in place of a kernel, exactly as one of our reference agents submits it."""
    line = LIBRARY_LINES.get(candidate.label)
    return task.starts_from_torch and line is not None and candidate.files == line(task).files


def foreign_files(candidate: Candidate, task: TaskSpec) -> list[str]:
    """The files that a candidate may not have: it may bring the task's own unchanged, but no PyTorch module."""
    if is_library_line(candidate, task):
        return []
    own = {} if task.starts_from_torch else baseline(task).files
    return [name for name, data in candidate.files.items() if name not in task.editable and own.get(name) != data]


def _not_a_source(path: Path) -> NotASource | None:
    if path.is_symlink():
        return NotASource("is a link")
    if not path.is_file():
        return NotASource("is no regular file")
    size = path.stat().st_size
    return too_large(size) if size > MAX_BYTES else None
