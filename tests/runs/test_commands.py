"""What `make up` and maintainers call from a shell."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from evaluator.agents import ProducedCandidate
from evaluator.records.reasons import Status
from evaluator.records.record import PROTOCOL
from evaluator.tasks.candidate import Candidate
from runs.loading import registry
from runs.management.commands import demo_run
from runs.models import Agent, Attempt, AuditEntry, Configuration, Result, Run
from runs.services import publishing, run_actions
from runs.worker import evaluation
from tests import factories
from tests.runs.conftest import Site

pytestmark = pytest.mark.django_db


def output_of(name: str, *arguments: str) -> str:
    stdout = io.StringIO()
    call_command(name, *arguments, stdout=stdout)
    return stdout.getvalue()


def test_the_admin_is_made_once_with_a_password_that_is_shown_once() -> None:
    first = output_of("make_admin")
    password = first.split()[-1]
    assert len(password) == 20
    assert User.objects.get(username="admin", is_superuser=True).check_password(password)
    assert "exists already" in output_of("make_admin")
    assert User.objects.get(username="admin").check_password(password)
    second = output_of("make_admin", "--reset").split()[-1]
    assert second != password
    assert User.objects.get(username="admin").check_password(second)


def test_the_built_in_registry_tasks_and_tables_are_loaded() -> None:
    assert output_of("load_registry") == "registered 16 agents, 18 configurations, 4 device classes, 1 host\n"
    assert "smoke@" in output_of("sync_tasks")
    assert "13 published tables" in output_of("load_published")
    assert {"baseline", "expert", "rewrite", "block_tuner"} < set(Agent.objects.values_list("slug", flat=True))


def test_a_refused_registry_is_a_failed_command_with_every_problem(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("agents: {a: {}, b: {}}")
    with pytest.raises(CommandError, match="nothing was registered, 2 problems"):
        call_command("load_registry", str(path))


def test_a_broken_task_is_a_failed_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "hip2hip" / "arena" / "broken"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("task_type: hip2hip\n")
    monkeypatch.setenv("ARENA_TASKS", str(tmp_path))
    with pytest.raises(CommandError, match="nothing was changed"):
        call_command("sync_tasks")


def test_the_migrations_say_what_the_models_say() -> None:
    assert "No changes" in output_of("makemigrations", "--check", "--dry-run")


def test_a_sweep_prints_what_it_did() -> None:
    assert output_of("sweep") == "0 expired leases, 0 messages sent again\n"


def test_a_worker_needs_a_registered_host(settings: object) -> None:
    registry.load_registry(registry.BUNDLED)
    settings.HOST_NAME = "elsewhere"  # type: ignore[attr-defined]
    with pytest.raises(CommandError, match=r"'elsewhere'; there are local \(set ARENA_HOST"):
        call_command("worker")


@pytest.fixture
def working(site: Site, settings: object, monkeypatch: pytest.MonkeyPatch) -> Site:
    """While the demo waits, one attempt after the other is evaluated by a fake."""
    settings.EVALUATOR = "tests.runs.fakes.open_fake"  # type: ignore[attr-defined]

    def work(seconds: float) -> None:
        evaluation.evaluate_next(host=site.host, worker="w")

    monkeypatch.setattr(demo_run, "sleep", work)
    return site


def test_the_demo_evaluates_publishes_and_does_so_once(working: Site) -> None:
    first = output_of("demo_run", "--suite", "two")
    evaluation.close_evaluator()
    assert "[ 6/6]" in first
    assert "every result has the expected status" in first
    assert Run.objects.public().count() == 3
    assert set(AuditEntry.objects.values_list("actor_name", flat=True)) == {"demo_run"}
    assert "has already run" in output_of("demo_run", "--suite", "two")
    assert Attempt.objects.count() == 6


def test_the_demo_runs_again_under_a_new_protocol(working: Site) -> None:
    past = factories.make_run(
        configuration=Configuration.objects.get(slug="expert"),
        suite=working.suite,
        device_class=working.device_class,
        protocol="arena-1",
        status="passed",
        state="published",
    )
    output_of("demo_run", "--suite", "two")
    evaluation.close_evaluator()
    again = Run.objects.exclude(pk=past.pk).get(configuration=past.configuration)
    assert (again.protocol, again.state) == (PROTOCOL, "published")
    past.refresh_from_db()
    assert past.state == "published"


def test_a_demo_run_that_was_withdrawn_does_not_come_back(working: Site) -> None:
    output_of("demo_run", "--suite", "two")
    evaluation.close_evaluator()
    publishing.withdraw_run(run=Run.objects.public().get(configuration__slug="expert"), actor="test", reason="a demo")
    assert "has already run" in output_of("demo_run", "--suite", "two")
    assert set(Run.objects.public().values_list("configuration__slug", flat=True)) == {"baseline", "rewrite"}
    assert Run.objects.count() == 3


def test_the_demo_leaves_a_draft_of_somebody_else_alone(working: Site) -> None:
    draft = working.new_run(note="mine")
    run_actions.cancel_results(results=draft.results.all(), actor="test")
    output_of("demo_run", "--suite", "two")
    evaluation.close_evaluator()
    draft.refresh_from_db()
    assert draft.state == "draft"
    assert Run.objects.public().count() == 3


def test_the_demo_explains_why_it_cannot_publish(working: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def cancel(seconds: float) -> None:
        run_actions.cancel_results(results=Result.objects.all(), actor="test")

    monkeypatch.setattr(demo_run, "sleep", cancel)
    with pytest.raises(CommandError, match=r"cannot be published: run .* has no result to publish"):
        call_command("demo_run", "--suite", "two")


def test_the_demo_says_which_result_it_did_not_expect(working: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = ProducedCandidate(Candidate({}, "expert"), Status.CRASHED)
    monkeypatch.setattr(demo_run, "produce", lambda agent, task, repeat: expected)
    with pytest.raises(CommandError, match="expert: hip2hip/arena/GELU: expected crashed, seen passed"):
        call_command("demo_run", "--suite", "two")
    evaluation.close_evaluator()


def test_the_demo_reports_a_missing_suite(site: Site) -> None:
    with pytest.raises(CommandError, match="no suite is named 'smoke'"):
        call_command("demo_run")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["demo_run"], "no host is named 'nowhere'; there are local (set ARENA_HOST"),
        (["worker"], "no host is named 'nowhere'; there are local (set ARENA_HOST"),
        (
            ["start_runs", "nobody", "--suite", "two"],
            "no configuration is named 'nobody'; there are baseline, block_tuner",
        ),
        (["start_runs", "expert", "--suite", "none"], "no suite is named 'none'; there are two (`manage.py"),
        (["make_token", "sam"], "no user is named 'sam'; there are "),
    ],
)
def test_an_unknown_name_is_refused_with_the_known_ones(
    site: Site, settings: Any, command: list[str], said: str
) -> None:
    settings.HOST_NAME = "nowhere"
    with pytest.raises(CommandError, match=re.escape(said)):
        call_command(*command)


def test_the_demo_reports_a_missing_configuration(site: Site) -> None:
    Configuration.objects.filter(slug="expert").update(slug="renamed")
    with pytest.raises(CommandError, match="the demo cannot start: no configuration is named 'expert'"):
        call_command("demo_run", "--suite", "two")


def test_the_demo_does_not_wait_for_a_worker_that_never_comes(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_run, "START_S", 0.0)
    with pytest.raises(CommandError, match="no worker is running for local"):
        call_command("demo_run", "--suite", "two")


def test_runs_start_from_the_command_line(site: Site) -> None:
    assert "queued: /run/" in output_of("start_runs", "block_tuner", "--suite=two", "--repeats=2")
    assert Run.objects.count() == 2
    with pytest.raises(CommandError, match="no configuration is named 'nobody'"):
        output_of("start_runs", "nobody", "--suite=two")
