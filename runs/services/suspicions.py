"""Questions that a newly accepted bundle raises by itself: names, other people's candidates, our own sources."""

from __future__ import annotations

from collections.abc import Iterator

from evaluator.agents import produce
from evaluator.errors import EvaluatorError
from runs import candidates
from runs.errors import RunError
from runs.likeness import skeleton, squeezed
from runs.models import Agent, Result, Review, Run, Submission

OURS = ("expert", "baseline")
SHOWN = 10
Kind = Review.Kind


def raise_suspicions(*, submission: Submission) -> list[Review]:
    """One review for each kind of thing that looks like something else; each names all it found."""
    run = Run.objects.select_related("configuration__agent").get(submission=submission)
    asked = ((Kind.LOOK_ALIKE, _names(run, submission)), (Kind.DUPLICATE, _duplicates(run)), (Kind.EXPERT, _ours(run)))
    found = [(kind, list(lines)) for kind, lines in asked]
    return [
        Review.objects.create(kind=kind, submission=submission, detail=_listed(lines), opened_by_name="check")
        for kind, lines in found
        if lines
    ]


def _names(run: Run, submission: Submission) -> Iterator[str]:
    """Agents whose name looks like this one's, and this one where others handed it in before."""
    agent = run.configuration.agent
    mine = {skeleton(agent.name), skeleton(agent.slug)}
    for other in Agent.objects.exclude(pk=agent.pk):
        if mine & {skeleton(other.name), skeleton(other.slug)}:
            yield f"{agent.name} looks like {other.name} ({other.slug})"
    before = Submission.objects.filter(run__configuration__agent=agent).exclude(pk=submission.pk)
    for name in before.exclude(submitter=submission.submitter).values_list("submitter_name", flat=True).distinct():
        yield f"{agent.name} was handed in before by {name}"


def _duplicates(run: Run) -> Iterator[str]:
    """The identical candidate in a run of another agent that is none of ours."""
    digests = run.results.exclude(candidate_digest="").values("candidate_digest")
    others = Result.objects.filter(candidate_digest__in=digests, run__verifies__isnull=True)
    others = others.exclude(run__configuration__agent=run.configuration.agent_id)
    others = others.exclude(run__configuration__agent__kind=Agent.Kind.BUILT_IN)
    for other in others.select_related("task", "run__configuration__agent").order_by("task__path", "pk"):
        yield f"{other.task.path}: the candidate of {other.run.configuration.agent} in {other}"


def _ours(run: Run) -> Iterator[str]:
    """Candidates that are the expert's or the baseline's source but for blanks."""
    for result in run.results.select_related("task", "run__configuration__agent").exclude(candidate_files={}):
        mine = squeezed(candidates.stored(result).files)
        for name in OURS:
            try:
                theirs = squeezed(produce(name, candidates.spec_of(result.task)).candidate.files)
            except (RunError, EvaluatorError):  # the task is another by now, or has no such source
                continue
            if mine == theirs:
                yield f"{result.task.path}: it is the source of {name} that comes with the task"


def _listed(lines: list[str]) -> str:
    more = f"\nand {len(lines) - SHOWN} more" if len(lines) > SHOWN else ""
    return "\n".join(lines[:SHOWN]) + more
