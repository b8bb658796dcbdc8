"""A run's page names the exact model and agent, and when it was evaluated: the paper's tables 6 and 7."""

from __future__ import annotations

from datetime import timedelta

from runs.models import Attempt
from tests import factories
from tests.factories import NOON


def facts(page) -> dict[str, str]:
    return {term: text.replace("\u00a0", " ") for term, text, _ in page.facts}


def test_model_identifier_agent_version_and_window_are_shown(suite, page) -> None:
    model = factories.make_model_version(identifier="claude-opus-4-6")
    settings = {"agent_version": "2.1.7", "max_iterations": 3}
    configuration = factories.make_configuration(model=model, settings=settings)
    run = factories.make_run(suite=suite, configuration=configuration, status="passed")
    last = Attempt.objects.filter(result__run=run).order_by("-pk").first()
    Attempt.objects.filter(pk=last.pk).update(ended_at=NOON + timedelta(hours=30))
    shown = page(f"/run/{run.pk}/")
    assert facts(shown)["Model identifier"] == "claude-opus-4-6"
    assert facts(shown)["Agent version"] == "2.1.7"
    assert facts(shown)["Settings"] == "max iterations 3"
    assert facts(shown)["Evaluation window"] == "1 Nov 2026, 12:00 UTC to 2 Nov 2026, 18:00 UTC"
    assert (shown.run.evaluated_from, shown.run.evaluated_until) == (NOON, NOON + timedelta(hours=30))
    assert (shown.run.model_identifier, shown.run.agent_version) == ("claude-opus-4-6", "2.1.7")


def test_a_window_is_open_while_something_runs(suite, page) -> None:
    run = factories.make_run(suite=suite, status="running")
    assert facts(page(f"/run/{run.pk}/"))["Evaluation window"] == "1 Nov 2026, 12:00 UTC, still running"
    queued = factories.make_run(suite=suite, status="queued")
    assert facts(page(f"/run/{queued.pk}/"))["Evaluation window"] == "not started"


def test_a_built_in_agent_needs_neither_model_nor_version(suite, page) -> None:
    agent = factories.make_agent(kind="built_in")
    run = factories.make_run(suite=suite, configuration=factories.make_configuration(agent=agent, model=None))
    shown = facts(page(f"/run/{run.pk}/"))
    assert shown["Model identifier"] == "none registered for this configuration"
    assert shown["Agent version"].startswith("the evaluator's")
