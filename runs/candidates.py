"""Candidates between the archive and rows: those of reference agents, and the one that a result's attempts evaluate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluator.agents import REFERENCE_AGENTS, produce
from evaluator.tasks.candidate import LIBRARY_LINES, Candidate
from evaluator.tasks.reader import load_task
from evaluator.tasks.spec import CATEGORIES, TaskSpec
from runs import archive
from runs.errors import RunError
from runs.models import Agent, Configuration, Result, Suite, Task


def written_by(configuration: Configuration, suite: Suite, repeat: int) -> dict[int, Candidate]:
    """Return a reference agent's candidates for all tasks of a suite, by the task's primary key.

    Raises:
        RunError: the agent is not a reference agent, or a task in tasks/ differs from the suite's.
    """
    agent = configuration.agent
    if agent.kind != Agent.Kind.BUILT_IN or agent.slug not in REFERENCE_AGENTS:
        known = ", ".join(REFERENCE_AGENTS)
        raise RunError(f"{agent} is not a reference agent ({known}): submit a bundle with its candidates")
    tasks = list(suite.tasks.all())
    return {task.pk: produce(agent.slug, spec_of(task), repeat).candidate for task in tasks}


def spec_of(task: Task) -> TaskSpec:
    """Return the task in tasks/ that a row mirrors.

    Raises:
        RunError: the task has changed since; nothing can be evaluated on the old version.
        UsageError: the task is gone.
        TaskError: the task breaks the format.
    """
    spec = load_task(task.path)
    if spec.digest != task.digest:
        raise RunError(f"{task.path} in tasks/ has digest {spec.digest[:12]}, the row is of {task.digest[:12]}")
    return spec


def archive_sources(candidate: Candidate) -> dict[str, str]:
    """Store the sources in the archive; return path → sha256."""
    return {path: archive.put(data) for path, data in candidate.files.items()}


def is_library_line(agent: Agent) -> bool:
    """Return whether this is one of our own lines of the library, whose candidates may be PyTorch modules."""
    return agent.kind == Agent.Kind.BUILT_IN and agent.slug in LIBRARY_LINES


def foreign_files(files: Mapping[str, str], task: Task) -> list[str]:
    """Return the paths that no candidate of the task may have, from path → sha256; a row of any version will do.

    As `evaluator.tasks.candidate.foreign_files` says of all but lines of the library.
    """
    own = {} if CATEGORIES[task.category].starts_from_torch else task.files
    return [name for name, digest in files.items() if name not in task.editable and own.get(name) != digest]


def columns(candidate: Candidate, files: dict[str, str]) -> dict[str, Any]:
    """Return a result's columns for its candidate; `files` comes from `archive_sources`."""
    return {
        "candidate_digest": candidate.digest if candidate.files else "",
        "candidate_files": files,
        "candidate_problems": [list(problem) for problem in candidate.problems],
    }


def candidate_of(result: Result) -> Candidate:
    """Return the result's candidate as it was submitted or written.

    Raises:
        ArchiveError: a source is not in the archive.
    """
    files = {path: archive.get(digest) for path, digest in result.candidate_files.items()}
    problems = tuple((reason, detail) for reason, detail in result.candidate_problems)
    agent = result.run.configuration.agent
    borrows_name = agent.slug in LIBRARY_LINES and not is_library_line(agent)
    return Candidate(files, f"{agent.slug} (not built in)" if borrows_name else agent.slug, problems)
