"""Reviews that an accepted bundle opens by itself: look-alike names, copied candidates, our sources, private text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from evaluator.agents import REFERENCE_AGENTS
from evaluator.tasks.candidate import overlay
from runs import agents, candidates
from runs.archive import ArchiveError
from runs.errors import RunError
from runs.models import Agent, Result, Review, Run, Submission
from runs.similarity import skeleton, source_fingerprint

PRIVATE = ("home_in_source", "secret_in_source")
SHOWN = 10
COMPARED = 50  # the newest candidates of a task by others, compared without whitespace
Kind = Review.Kind


def open_reviews_of_run(*, submission: Submission) -> list[Review]:
    """Open one review for each kind of suspicion, listing all that was found; return those that are new."""
    run = Run.objects.select_related("configuration__agent").get(submission=submission)
    findings = Submission.objects.values_list("findings", flat=True).get(pk=submission.pk)
    suspicions: list[tuple[Review.Kind, Iterable[str]]] = [
        (Kind.LOOK_ALIKE, _names(run, submission)),
        (Kind.DUPLICATE, (*_duplicates(run), *_near_duplicates(run))),
        (Kind.EXPERT, _task_sources(run)),
        (Kind.PRIVATE_TEXT, (f"{one['place']}: {one['text']}" for one in findings if one["code"] in PRIVATE)),
    ]
    return [review for kind, lines in suspicions if (review := _opened(submission, kind, lines))]


def open_reviews_of_claims(*, submission: Submission, agent: str) -> list[Review]:
    """Open a review if the agent of another benchmark's results has a look-alike name; return it in a list."""
    names = (f"{agent} looks like {other.name} ({other.slug})" for other in _alike({agent}) if other.name != agent)
    review = _opened(submission, Kind.LOOK_ALIKE, names)
    return [review] if review else []


def _opened(submission: Submission, kind: Review.Kind, lines: Iterable[str]) -> Review | None:
    found = list(lines)
    if not found:
        return None
    more = f"\nand {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    values = {"kind": kind, "submission": submission, "detail": "\n".join(found[:SHOWN]) + more}
    if Review.objects.filter(**values).exists():  # by an earlier check of the same bundle
        return None
    return Review.objects.create(**values, opened_by_name="check")


def _names(run: Run, submission: Submission) -> Iterator[str]:
    """Name agents that look like the run's, and others who have submitted the run's agent before."""
    agent = run.configuration.agent
    for other in _alike({agent.name, agent.slug}):
        if other.pk != agent.pk:
            yield f"{agent.name} looks like {other.name} ({other.slug})"
    before = Submission.objects.filter(run__configuration__agent=agent).exclude(pk=submission.pk)
    for name in before.exclude(submitter=submission.submitter).values_list("submitter_name", flat=True).distinct():
        yield f"{agent.name} was submitted before by {name}"


def _duplicates(run: Run) -> Iterator[str]:
    """Name identical candidates in runs of other agents that are not built in."""
    digests = run.results.exclude(candidate_digest="").values("candidate_digest")
    others = Result.objects.filter(candidate_digest__in=digests, run__verifies__isnull=True)
    others = others.exclude(run__configuration__agent=run.configuration.agent_id)
    others = others.exclude(run__configuration__agent__kind=Agent.Kind.BUILT_IN)
    for other in others.select_related("task", "run__configuration__agent").order_by("task__path", "pk"):
        yield f"{other.task.path}: the candidate of {other.run.configuration.agent} in {other}"


def _alike(names: set[str]) -> Iterator[Agent]:
    mine = {skeleton(name) for name in names}
    others = (one for one in Agent.objects.all() if not agents.is_product(one))
    return (one for one in others if mine & {skeleton(one.name), skeleton(one.slug)})


def _near_duplicates(run: Run) -> Iterator[str]:
    """Name candidates of other agents that differ from this run's only in whitespace, comments and file names."""
    agent = run.configuration.agent_id
    others = Result.objects.filter(run__verifies__isnull=True).exclude(candidate_files={})
    others = others.exclude(run__configuration__agent=agent)
    others = others.exclude(run__configuration__agent__kind=Agent.Kind.BUILT_IN).order_by("-pk")
    for result in run.results.select_related("task", "run__configuration__agent").exclude(candidate_files={}):
        mine = source_fingerprint(candidates.candidate_of(result).files)
        same_task = others.filter(task=result.task).exclude(candidate_digest=result.candidate_digest)
        for other in same_task.select_related("run__configuration__agent")[:COMPARED]:
            if _fingerprint_of(other) == mine:
                who = other.run.configuration.agent
                yield f"{result.task.path}: the candidate of {who} in {other}, except for whitespace and comments"


def _fingerprint_of(result: Result) -> str:
    """Return the fingerprint of the result's candidate; empty if its sources are no longer in the archive."""
    try:
        return source_fingerprint(candidates.candidate_of(result).files)
    except ArchiveError:
        return ""


def _task_sources(run: Run) -> Iterator[str]:
    """Name candidates that are the task's expert, or a plain task's right candidate, but for whitespace and comments.

    An unchanged baseline is what an honest agent submits that found nothing better; it gains nothing. Those of
    reference agents are meant to be theirs, and only an operator's command imports runs under their names.
    """
    agent = run.configuration.agent
    if agent.kind == Agent.Kind.BUILT_IN and agent.slug in REFERENCE_AGENTS:
        return
    for result in run.results.select_related("task", "run__configuration__agent").exclude(candidate_files={}):
        mine = source_fingerprint(candidates.candidate_of(result).files)
        try:
            spec = candidates.spec_of(result.task)
        except RunError:  # the task has changed
            continue
        if spec.solution and mine == source_fingerprint(overlay(spec, spec.solution, "").files):
            yield f"{result.task.path}: the source in {spec.solution}/, which comes with the task"
