"""Pages of agents, models and configurations: their settings, and their public results."""

from __future__ import annotations

from typing import Any

import pytest

from runs.models import Attempt
from tests import factories


@pytest.fixture
def claude(db: None) -> Any:
    agent = factories.make_agent(name="Claude Code", slug="claude-code")
    model = factories.make_model_version(name="Opus", slug="opus", identifier="claude-opus-4-6", vendor="Anthropic")
    settings = {"agent_version": "2.1.7", "timeout_s": 3600}
    return factories.make_configuration(slug="claude-code-opus", agent=agent, model=model, settings=settings)


def cells(page: Any, slug: str, row: int = 0) -> dict[str, Any]:
    table = page.tables[slug]
    return table.cells()[row]


def test_agents_models_and_configurations_stand_in_one_list(claude, page) -> None:
    shown = page("/agents/")
    [line] = shown.configurations
    assert (line.agent_version, line.model_identifier, line.runs) == ("2.1.7", "claude-opus-4-6", 0)
    assert cells(shown, "configurations")["settings"].text == "timeout s 3600"
    assert [agent.name for agent in shown.agents] == ["Claude Code"]
    assert [model.identifier for model in shown.models] == ["claude-opus-4-6"]


def test_without_an_agent_the_list_says_where_they_come_from(db, client) -> None:
    body = client.get("/agents/").content.decode()
    assert "No agent is registered. Add agents" in body
    assert "No model is registered. Settings may name one, and some agents need none" in body


def test_an_agent_of_ours_that_calls_a_model_is_not_said_to_need_none(db, page) -> None:
    agent = factories.make_agent(name="Claude Code (here)", slug="claude_code", kind="built_in")
    factories.make_configuration(slug="claude_code", agent=agent, model=None)
    facts = {term: text for term, text, _ in page("/configuration/claude_code/").facts}
    assert facts["Model identifier"] == "none registered for this configuration"
    assert facts["Agent version"].endswith("of a program that it starts is unknown")
    assert cells(page("/agents/"), "agents")["kind"].text == "built in: this site can run it"


def test_a_configuration_says_exactly_what_it_is(claude, page) -> None:
    facts = {term: text for term, text, _ in page("/configuration/claude-code-opus/").facts}
    assert facts["Agent version"] == "2.1.7"
    assert facts["Model identifier"] == "claude-opus-4-6"
    assert facts["Settings"] == "timeout s 3600"


def test_a_version_that_nobody_stated_is_not_made_up(db, page) -> None:
    configuration = factories.make_configuration(slug="bare")
    facts = {term: text for term, text, _ in page(f"/configuration/{configuration.slug}/").facts}
    assert facts["Agent version"] == "not stated"


def test_counts_are_over_the_tasks_of_the_suite_whatever_is_missing(published, claude, page) -> None:
    published("passed", "wrong_output", "build_failed", "errored", None, "passed", configuration=claude)
    [standing] = page("/configuration/claude-code-opus/").standings
    whole = standing.tallies["all"]
    assert (whole.results, whole.compiled, whole.correct, whole.may_rank) == (6, 3, 2, 4)
    assert standing.tallies["hip2hip"].correct == 1
    assert standing.boards["hip2hip"] == "/board/smoke/hip2hip/cpu-x86_64/"


def test_all_repeats_of_a_configuration_count_together(published, claude, page) -> None:
    published(configuration=claude)
    published("wrong_output", *["passed"] * 5, configuration=claude, repeat=1)
    [standing] = page("/configuration/claude-code-opus/").standings
    assert (standing.runs, standing.tallies["all"].results, standing.tallies["all"].correct) == (2, 12, 11)


def test_drafts_and_withdrawn_runs_stand_on_no_board(suite, claude, page) -> None:
    factories.make_run(suite=suite, configuration=claude, status="passed")
    factories.make_run(suite=suite, configuration=claude, status="passed", state="withdrawn")
    shown = page("/configuration/claude-code-opus/")
    assert shown.standings == ()
    assert len(shown.runs) == 2


def test_an_agent_and_its_model_lead_to_their_configurations_and_runs(published, claude, page) -> None:
    run = published(configuration=claude)
    factories.make_run()
    for address in ("/agent/claude-code/", "/model/opus/"):
        shown = page(address)
        assert [line.configuration for line in shown.configurations] == ["claude-code-opus"]
        assert [line.id for line in shown.runs] == [run.pk]
        assert [standing.configuration for standing in shown.standings] == ["claude-code-opus"]


def test_a_board_of_another_protocol_is_named_in_its_address(published, claude, page) -> None:
    published(configuration=claude, protocol="aka-scripts-1")
    [standing] = page("/agent/claude-code/").standings
    assert standing.boards["all"] == "/board/smoke/all/cpu-x86_64/?protocol=aka-scripts-1"
    assert standing.tallies["all"].may_rank == 6


def test_what_was_timed_by_another_protocol_than_its_run_is_in_no_rank(published, claude, page) -> None:
    run = published(configuration=claude)
    Attempt.objects.filter(result__run=run).update(protocol="aka-scripts-1")
    [standing] = page("/agent/claude-code/").standings
    assert (standing.boards["all"], standing.tallies["all"].may_rank) == ("/board/smoke/all/cpu-x86_64/", 0)


@pytest.mark.parametrize(
    ("slug", "role", "taken", "whole"),
    [("eager", "reference_line", {"torch2hip"}, 2), ("block_tuner", "entry", {"hip2hip", "triton2triton"}, 6)],
)
def test_categories_that_an_agent_does_not_take_have_no_count(published, page, slug, role, taken, whole) -> None:
    agent = factories.make_agent(slug=slug, name=slug, kind="built_in")
    published(configuration=factories.make_configuration(agent=agent, model=None, role=role))
    [standing] = page(f"/agent/{slug}/").standings
    assert set(standing.tallies) == {"all", *taken}
    assert standing.tallies["all"].results == whole


def test_a_built_in_agent_says_what_it_does(db, page) -> None:
    agent = factories.make_agent(slug="rewrite", name="Rewrite", kind="built_in")
    factories.make_configuration(agent=agent, slug="rewrite", model=None, role="reference_line")
    for address in ("/agent/rewrite/", "/configuration/rewrite/"):
        assert page(address).lead.startswith("Picks one of the variants that are written beside each task")
    assert page("/agent/rewrite/").lead.endswith("A reference line with 1\u00a0configuration.")
    assert page("/configuration/rewrite/").lead.endswith("draw it for comparison and never rank it.")


@pytest.mark.parametrize("address", ["/agent/nobody/", "/model/nothing/", "/configuration/nothing/"])
def test_who_does_not_exist_is_not_found(db, client, address) -> None:
    assert client.get(address).status_code == 404
