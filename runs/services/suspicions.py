"""Questions that a newly accepted bundle raises by itself: names, other people's candidates, our sources, secrets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from evaluator.agents import produce
from evaluator.errors import EvaluatorError
from runs import agents, candidates
from runs.archive import ArchiveError
from runs.errors import RunError
from runs.models import Agent, Result, Review, Run, Submission
from runs.similarity import skeleton, squeezed

OURS = ("expert", "baseline")
PRIVATE = ("home_in_source", "secret_in_source")
SHOWN = 10
COMPARED = 50  # newest candidates of a task by others, whose blanks are looked through
Kind = Review.Kind


def raise_suspicions(*, submission: Submission) -> list[Review]:
    """One review for each kind of thing that looks like something else; each names all it found."""
    run = Run.objects.select_related("configuration__agent").get(submission=submission)
    findings = Submission.objects.values_list("findings", flat=True).get(pk=submission.pk)
    asked: list[tuple[Review.Kind, Iterable[str]]] = [
        (Kind.LOOK_ALIKE, _names(run, submission)),
        (Kind.DUPLICATE, (*_duplicates(run), *_nearly(run))),
        (Kind.EXPERT, _ours(run)),
        (Kind.PRIVATE_TEXT, (f"{one['place']}: {one['text']}" for one in findings if one["code"] in PRIVATE)),
    ]
    return [review for kind, lines in asked if (review := _asked(submission, kind, lines))]


def raise_suspicions_of_claims(*, submission: Submission, agent: str) -> list[Review]:
    """Of results of another benchmark, which are on no board: whose name they stand under."""
    names = (f"{agent} looks like {other.name} ({other.slug})" for other in _alike({agent}) if other.name != agent)
    review = _asked(submission, Kind.LOOK_ALIKE, names)
    return [review] if review else []


def _asked(submission: Submission, kind: Review.Kind, lines: Iterable[str]) -> Review | None:
    found = list(lines)
    if not found:
        return None
    asked = {"kind": kind, "submission": submission, "detail": _listed(found)}
    if Review.objects.filter(**asked).exists():  # by an earlier check of the same bundle
        return None
    return Review.objects.create(**asked, opened_by_name="check")


def _names(run: Run, submission: Submission) -> Iterator[str]:
    """Agents whose name looks like this one's, and this one where others handed it in before."""
    agent = run.configuration.agent
    for other in _alike({agent.name, agent.slug}):
        if other.pk != agent.pk:
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


def _alike(names: set[str]) -> Iterator[Agent]:
    mine = {skeleton(name) for name in names}
    others = (one for one in Agent.objects.all() if not agents.is_product(one))
    return (one for one in others if mine & {skeleton(one.name), skeleton(one.slug)})


def _nearly(run: Run) -> Iterator[str]:
    """Candidates of another agent that differ from this run's in blanks and file names only."""
    agent = run.configuration.agent_id
    others = Result.objects.filter(run__verifies__isnull=True).exclude(candidate_files={})
    others = others.exclude(run__configuration__agent=agent)
    others = others.exclude(run__configuration__agent__kind=Agent.Kind.BUILT_IN).order_by("-pk")
    for result in run.results.select_related("task", "run__configuration__agent").exclude(candidate_files={}):
        mine = squeezed(candidates.stored(result).files)
        same_task = others.filter(task=result.task).exclude(candidate_digest=result.candidate_digest)
        for other in same_task.select_related("run__configuration__agent")[:COMPARED]:
            if _squeezed(other) == mine:
                who = other.run.configuration.agent
                yield f"{result.task.path}: but for blanks and comments the candidate of {who} in {other}"


def _squeezed(result: Result) -> str:
    """Empty where its sources are not in the archive any more."""
    try:
        return squeezed(candidates.stored(result).files)
    except ArchiveError:
        return ""


def _ours(run: Run) -> Iterator[str]:
    """Candidates that are the expert's or the baseline's source but for blanks and comments."""
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
