"""What a worker stores of faults and sessions has no secret in it, on whatever page or file it is shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from evaluator.errors import HostError
from evaluator.records.sessions import TranscriptEntry
from evaluator.secrets import REDACTED
from evaluator.tasks.candidate import Candidate
from evaluator.tasks.spec import TaskSpec
from runs import archive
from runs.loading import published as papers
from runs.models import AgentSession, Attempt, AuditEntry, Configuration, Host, Iteration, Run, UnseenEvaluation
from runs.services import hosts, publishing, registry, rounds, starts
from runs.worker import evaluation
from tests.factories import make_configuration, make_submission
from tests.records import record_for
from tests.runs import fakes
from tests.runs.conftest import Site
from tests.runs.crawl import seen_by_anybody, seen_by_staff

pytestmark = pytest.mark.django_db
PLANTED, DATABASE = "pl4nted-Qx7-value", "d4tabase-Qx7-value"
ROUTES = ("run", "result", "queue", "hosts")


@pytest.fixture(autouse=True)
def planted(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """What an exception says that quotes everything this process should keep to itself."""
    settings.EVALUATOR = "tests.runs.fakes.open_fake"
    monkeypatch.setenv("ARENA_CHAT_KEY", f" {PLANTED}\n")  # as a file of variables may bring it; agents get it stripped
    monkeypatch.setitem(settings.DATABASES["default"], "PASSWORD", DATABASE)
    monkeypatch.setenv("DATABASE_URL", f"postgresql://arena:{DATABASE}@db/arena")
    settings.EMAIL_HOST_PASSWORD = "m4il-Qx7-value"
    secrets = (PLANTED, DATABASE, settings.EMAIL_HOST_PASSWORD, settings.SECRET_KEY)
    yield f"it could not be reached: {' and '.join(secrets)}, token=unkn0wn-Qx7-value"
    evaluation.close_evaluator()


def work(site: Site) -> None:
    while Attempt.objects.queued().exists():
        evaluation.evaluate_next(host=site.host, worker="w")


def start(site: Site, configuration: Configuration) -> Run:
    wanted = {"suite": site.suite, "device_class": site.device_class, "repeats": 1, "actor": "test"}
    return starts.start_runs(configuration=configuration, **wanted)[0]  # type: ignore[arg-type]


def assert_nothing_is_told(pages: dict[str, bytes], settings: Any) -> None:
    for address, page in pages.items():
        assert b"Qx7-value" not in page, address
        assert settings.SECRET_KEY.encode() not in page, address


@pytest.mark.slow
def test_a_fault_is_stored_without_the_secrets_in_it(
    site: Site, settings: Any, planted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*asked: object, **more: object) -> None:
        raise HostError(planted)

    papers.load_published()
    make_configuration()  # with a model, so that every route has an address
    make_submission()
    monkeypatch.setattr(fakes.Fake, "evaluate", refuse)
    run = site.new_run()
    evaluation.evaluate_next(host=site.host, worker="w")
    because = Attempt.objects.exclude(requeued_because="").get().requeued_because
    assert because.startswith("HostError: it could not be reached: [secret] and [secret] and [secret]")
    assert "unkn0wn" not in because
    assert_nothing_is_told(seen_by_anybody(*ROUTES), settings)
    work(site)
    publishing.publish_run(run=run, actor="test")
    assert [one.message.count(REDACTED) for one in Attempt.objects.all()] == [5, 5]
    assert_nothing_is_told(seen_by_anybody() | seen_by_staff(), settings)


def test_a_quarantine_is_stored_without_secrets(site: Site, planted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: object) -> None:
        raise HostError(planted)

    evaluation.close_evaluator()
    monkeypatch.setattr(fakes.Fake, "trials", refuse)
    assert not evaluation.is_fit(site.host)
    host = Host.objects.get(pk=site.host.pk)
    hosts.host_started(host=host, facts={}, calibration={}, agents={"codex": f"not configured: {planted}"})
    told = [
        host.quarantine_reason,
        AuditEntry.objects.get(host=host).reason,
        *Host.objects.get(pk=host.pk).agents.values(),
    ]
    assert all("Qx7-value" not in one and REDACTED in one for one in told)


def test_a_fault_on_unseen_cases_is_stored_without_secrets(
    site: Site, planted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*asked: object, **more: object) -> None:
        raise HostError(planted)

    monkeypatch.setattr(fakes.Fake, "evaluate_unseen", refuse)
    site.new_run(round=rounds.open_round(slug="autumn", suite=site.suite, actor="test"))
    work(site)
    assert {one.message.count(REDACTED) for one in UnseenEvaluation.objects.all()} == {5}
    assert not UnseenEvaluation.objects.filter(message__contains="Qx7").exists()


def test_a_session_is_kept_without_secrets(site: Site, planted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    hold = fakes.Fake.run_session

    def told(self: fakes.Fake, task: TaskSpec, agent: Any, **asked: Any) -> Any:
        held = hold(self, task, agent, **asked)
        versions = tuple(replace(one, message=planted, diff=planted) for one in held.session.iterations)
        said = {
            "ended": "failed",
            "message": planted,
            "transcript": (TranscriptEntry("text", planted),),
            "prompt": planted,
        }
        return replace(held, session=replace(held.session, iterations=versions, **said))

    monkeypatch.setattr(fakes.Fake, "run_session", told)
    start(site, Configuration.objects.get(slug="block_tuner"))
    work(site)
    assert AgentSession.objects.count() == 2
    for session in AgentSession.objects.all():
        kept = [
            session.message,
            session.tail,
            *(archive.get(d).decode() for d in (session.digest, session.prompt_digest)),
        ]
        kept += Iteration.objects.filter(session=session).values_list("message", flat=True)
        assert all(PLANTED not in one and DATABASE not in one and REDACTED in one for one in kept)


def test_a_record_is_stored_without_secrets(site: Site, planted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def printed(self: object, task: TaskSpec, candidate: Candidate, *, uploaded: bool = False) -> Any:
        return replace(record_for(task.id, task.digest, task.category, candidate), log=planted)

    monkeypatch.setattr(fakes.Fake, "evaluate", printed)
    site.new_run()
    work(site)
    kept = [archive.get(one.record_digest).decode() for one in Attempt.objects.all()]
    assert all(PLANTED not in one and REDACTED in one for one in kept)
    assert set(Attempt.objects.values_list("status", flat=True)) == {"passed"}


def test_a_candidate_with_the_key_in_it_is_not_kept(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    hold = fakes.Fake.run_session

    def writes_it_down(self: fakes.Fake, task: TaskSpec, agent: Any, **asked: Any) -> Any:
        held = hold(self, task, agent, **asked)
        stolen = Candidate({path: f"// {PLANTED}\n".encode() for path in task.editable}, agent.name)
        return replace(held, candidate=stolen, session=replace(held.session, candidate=stolen.ref()))

    monkeypatch.setattr(fakes.Fake, "run_session", writes_it_down)
    configuration = Configuration.objects.get(slug="chat_loop")
    configuration.settings = {"base_url": "http://127.0.0.1:1/v1", "model": "m", "input_price": 0, "output_price": 0}
    registry.save_row(row=configuration)
    run = start(site, configuration)
    work(site)
    assert set(Attempt.objects.values_list("status", "reason")) == {("errored", "host_fault")}
    assert not run.results.exclude(candidate_files={}).exists()
    assert "wrote the value of ARENA_CHAT_KEY into its candidate" in Attempt.objects.all()[0].message
