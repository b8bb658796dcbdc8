"""From sources to rows and back: what a reference agent writes for a task, and what a result's attempts evaluate."""

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
    """A reference agent's candidates for all tasks of a suite, by the task's primary key.

    Raises:
        RunError: it is no reference agent of ours, or a task in tasks/ is not the one of the suite.
    """
    agent = configuration.agent
    if agent.kind != Agent.Kind.BUILT_IN or agent.slug not in REFERENCE_AGENTS:
        known = ", ".join(REFERENCE_AGENTS)
        raise RunError(f"the candidates of {agent} come in a bundle: only {known} write theirs at once")
    tasks = list(suite.tasks.all())
    return {task.pk: produce(agent.slug, spec_of(task), repeat).candidate for task in tasks}


def spec_of(task: Task) -> TaskSpec:
    """The task in tasks/ that a row mirrors.

    Raises:
        RunError: it has another digest by now: results of the old one cannot be made any more.
        UsageError: it is gone.
        TaskError: it breaks the format.
    """
    spec = load_task(task.path)
    if spec.digest != task.digest:
        raise RunError(f"{task.path} in tasks/ has digest {spec.digest[:12]}, the row is of {task.digest[:12]}")
    return spec


def kept(candidate: Candidate) -> dict[str, str]:
    """Put the sources into the archive; path → digest."""
    return {path: archive.put(data) for path, data in candidate.files.items()}


def columns(candidate: Candidate, files: dict[str, str]) -> dict[str, Any]:
    """A result's, of its candidate; `files` is what `kept` returned."""
    return {
        "candidate_digest": candidate.digest if candidate.files else "",
        "candidate_files": files,
        "candidate_problems": [list(problem) for problem in candidate.problems],
    }


def stored(result: Result) -> Candidate:
    """The candidate of a result, as it was handed in.

    Raises:
        ArchiveError: a source is not in the archive.
    """
    files = {path: archive.get(digest) for path, digest in result.candidate_files.items()}
    problems = tuple((reason, detail) for reason, detail in result.candidate_problems)
    return Candidate(files, result.run.configuration.agent.slug, problems)
