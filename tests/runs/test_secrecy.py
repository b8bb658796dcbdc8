"""Before a round is revealed nobody learns its cases, from any page, file or feed, or through a candidate."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from evaluator.records.record import Finding
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.spec import TaskSpec
from evaluator.unseen.cases import UnseenCase
from evaluator.unseen.record import UnseenRecord
from runs import candidates, guards
from runs.loading import published as papers
from runs.models import AgentSession, Attempt, Configuration, Round, Run, UnseenEvaluation, UnseenMeasurement
from runs.services import leases, publishing, rounds, sessions, starts
from runs.services.unseen import cases_of
from runs.worker import evaluation
from tests.factories import make_configuration, make_submission
from tests.runs import fakes
from tests.runs.conftest import Site
from tests.runs.crawl import seen_by_anybody, seen_by_staff
from tests.runs.unseen_records import WRONG, make_unseen

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def planted(
    self: object,
    task: TaskSpec,
    candidate: Candidate,
    cases: Sequence[UnseenCase],
    *,
    round_digest: str,
    generator: str,
    uploaded: bool = False,
) -> UnseenRecord:
    """Of a candidate that raises its shapes: on each case, in what it prints, and as a finding."""
    record = make_unseen(task, candidate, cases, round_digest=round_digest, generator=generator)
    told = [replace(case, candidate=_telling(case.id), clocks={}) for case in record.cases]
    finding = Finding("correctness", "printed", f"planted: {cases[0].case.id}")
    return replace(record, cases=tuple(told), flags=(), findings=(finding,), log=f"planted: {cases[0].case.id}")


def _telling(case_id: str) -> Any:
    return replace(WRONG, message=f"The output is wrong: planted, it saw {case_id}.")


@pytest.fixture
def secret(site: Site, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Round]:
    settings.EVALUATOR = "tests.runs.fakes.open_fake"
    monkeypatch.setattr(fakes.Fake, "evaluate_unseen", planted)
    papers.load_published()
    make_configuration()  # with a model, so that every route has an address
    make_submission()
    yield rounds.open_round(slug="autumn", suite=site.suite, actor="test")
    evaluation.close_evaluator()


def work(site: Site) -> None:
    while evaluation.evaluate_next(host=site.host, worker="w"):
        pass


def case_ids(site: Site, secret: Round) -> list[str]:
    """Of the unseen cases, without those that another task of the suite has as a seen case: its page shows them."""
    specs = [candidates.spec_of(task) for task in site.suite.tasks.all()]
    unseen = {one.case.id for spec in specs for one in cases_of(secret, spec, site.device_class)}
    return sorted(unseen - {case.id for spec in specs for case in spec.cases})


def telling(pages: dict[str, bytes], words: Sequence[str]) -> list[tuple[str, str]]:
    """Where one of the words stands: rows=1 is not in rows=17, which may be a seen case."""
    found = [(address, word, page) for address, page in pages.items() for word in words if word.encode() in page]
    return [one[:2] for one in found if re.search(re.escape(one[1].encode()) + rb"(?!\d)", one[2])]


def test_nothing_of_an_unseen_case_is_anywhere_before_the_reveal_and_all_of_it_after(site: Site, secret: Round) -> None:
    run = site.new_run(round=secret)
    work(site)
    assert UnseenMeasurement.objects.filter(message__contains="planted, it saw").count() == 16
    publishing.publish_run(run=run, actor="test")
    words = ["planted, it saw", "planted:", secret.secret, "/attempt/1/unseen.json", *case_ids(site, secret)]
    words += [str(UnseenEvaluation.objects.values_list("record_digest", flat=True)[0])]
    assert telling(seen_by_anybody(), words) == []
    assert telling(seen_by_staff(), words) == []
    rounds.reveal_round(round=secret, actor="test")
    told = telling(seen_by_anybody(), words)
    assert set(words[:5]) <= {word for _, word in told}
    assert any("unseen.json" in address for address, _ in told)
    assert any("generalization" in address for address, _ in told)
    assert telling(seen_by_staff(), words[:1])


def test_how_unseen_cases_came_out_changes_no_byte_of_any_page(site: Site, secret: Round) -> None:
    """So a candidate that fails where C > k learns nothing from its failing, nor from what we make of it."""
    run = site.new_run(round=secret)
    work(site)
    publishing.publish_run(run=run, actor="test")
    all_wrong = seen_by_anybody()
    with guards.lifted():
        UnseenMeasurement.objects.filter(category="scale_up").update(correct=True, reason="", message="")
    assert changed(all_wrong, seen_by_anybody()) == []
    with guards.lifted():
        UnseenMeasurement.objects.all().delete()
        UnseenEvaluation.objects.update(state="errored", message="planted", record_digest="", is_complete=False)
    assert changed(all_wrong, seen_by_anybody()) == []


def changed(before: dict[str, bytes], after: dict[str, bytes]) -> list[str]:
    return [address for address in before | after if before.get(address) != after.get(address)]


def test_nobody_sees_an_attempt_end_before_the_day_is_over(site: Site, secret: Round) -> None:
    """How long it took tells of the cases, and so would the moment it ended and the next one began."""
    run = site.new_run(round=secret)
    waiting = seen_by_anybody()
    lease = leases.lease_next(host=site.host, worker="w")
    assert lease is not None
    assert changed(waiting, seen_by_anybody()) == []
    leases.release_attempt(lease=lease, because="planted")
    work(site)
    assert changed(waiting, seen_by_anybody()) == []
    Attempt.objects.update(ended_at=timezone.now() - timedelta(days=1))
    over = seen_by_anybody()
    assert {f"/result/{result.pk}/" for result in run.results.all()} <= set(changed(waiting, over))
    assert telling(over, case_ids(site, secret)) == []


# Where sessions stand, or would be noticed.
PLACES = ("home", "agents", "configuration", "runs", "run", "result", "behaviour", "cost", "queue", "search")


def test_nothing_an_agent_wrote_shows_before_the_reveal_nor_when_it_did(site: Site, secret: Round) -> None:
    """A session begins when the attempt before it ended, so whatever comes of one tells how long that took."""
    configuration = Configuration.objects.select_related("agent", "model").get(slug="block_tuner")
    asked = {"configuration": configuration, "suite": site.suite, "device_class": site.device_class, "repeats": 1}
    [run] = starts.start_runs(round=secret, actor="test", **asked)
    waiting = seen_by_anybody(*PLACES)
    assert evaluation.evaluate_next(host=site.host, worker="w")
    lease = leases.lease_next(host=site.host, worker="w")
    assert lease is not None
    sessions.begin_session(lease=lease, agent="block_tuner", architecture="cpu")
    sessions.update_session(lease=lease, tail="Make it faster.", checks=1, failed_builds=0)
    meanwhile = seen_by_anybody(*PLACES)
    assert changed(waiting, {address: meanwhile[address] for address in waiting}) == []
    assert {content[:3] for address, content in meanwhile.items() if address not in waiting} == {b"404"}
    leases.release_attempt(lease=lease, because="planted")
    work(site)
    digests = [one[:12] for one in run.results.values_list("candidate_digest", flat=True)]
    Attempt.objects.update(ended_at=timezone.now() - timedelta(days=1))
    publishing.publish_run(run=run, actor="test")
    words = ["Make it faster.", "I shall.", *AgentSession.objects.values_list("digest", flat=True)]
    over = seen_by_anybody(*PLACES)
    assert telling(over, digests)  # the candidate is public as any other, how it came about is not
    assert telling(over, words) == []
    assert telling(seen_by_staff(), words) == []
    rounds.reveal_round(round=secret, actor="test")
    assert {word for _, word in telling(seen_by_anybody(*PLACES), words)} == set(words)


def test_an_open_round_does_not_hide_the_runs_of_another(site: Site, secret: Round) -> None:
    run = site.new_run()
    work(site)
    assert {attempt.status for attempt in Attempt.objects.public().filter(result__run=run)} == {"passed"}
    assert Run.objects.with_progress(public=True).get().ended == 2
