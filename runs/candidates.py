"""Candidates between the archive and rows: those of reference agents, and the one that a result's attempts evaluate."""

from __future__ import annotations

from typing import Any

from evaluator.agents import REFERENCE_AGENTS, produce
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.reader import load_task
from evaluator.tasks.spec import TaskSpec
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
    return Candidate(files, result.run.configuration.agent.slug, problems)
