"""Agents and models: all of them in one list, and a page for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE, plural, printable
from leaderboard.pages.agents.entrants import (
    ConfigurationLine,
    Standing,
    configuration_line,
    configurations_table,
    standings,
    standings_table,
)
from leaderboard.pages.base import Link, Page, Query, by_slug, count_cell, page_url
from leaderboard.pages.run.lines import RunLine, run_line, runs_table
from leaderboard.queries import entrants, runs
from leaderboard.queries.entrants import AgentRow, ModelRow
from leaderboard.tables import Cell, Column, Table, table

KINDS = {"built_in": "built in: this project starts it", "external": "external"}
NEWEST_RUNS = 50
TO_ADD = "A file of agents, models and configurations is read by `manage.py load_registry FILE`."


@dataclass(frozen=True, slots=True)
class AgentLine:
    agent: str
    name: str
    kind: str
    url: str | None
    configurations: int
    public_runs: int


@dataclass(frozen=True, slots=True)
class ModelLine:
    model: str
    name: str
    identifier: str
    vendor: str
    configurations: int
    public_runs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentsPage(Page):
    agents: tuple[AgentLine, ...]
    models: tuple[ModelLine, ...]
    configurations: tuple[ConfigurationLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntrantPage(Page):
    """What stands on the page of an agent, a model or a configuration."""

    configurations: tuple[ConfigurationLine, ...]
    standings: tuple[Standing, ...]
    runs: tuple[RunLine, ...]  # the newest
    facts: tuple[tuple[str, str, str], ...] = field(metadata=SCREEN)  # term, text, address


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPage(EntrantPage):
    agent: AgentLine


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPage(EntrantPage):
    model: ModelLine


def build(query: Query) -> AgentsPage:
    agents, models, found = entrants.agents(), entrants.models(), entrants.configurations()
    return AgentsPage(
        title="Agents and models",
        lead="What writes the kernels. An agent with a model and settings is a configuration: a line of a board.",
        crumbs=(Link("ArenaBoard", "/"),),
        tables=by_slug(
            configurations_table(found, f"There is no configuration. {TO_ADD}"),
            _agents_table(agents),
            _models_table(models),
        ),
        agents=tuple(_agent_line(row) for row in agents),
        models=tuple(ModelLine(*row) for row in models),
        configurations=tuple(configuration_line(row) for row in found),
    )


def build_agent(query: Query, *, slug: str) -> AgentPage | None:
    row = next(iter(entrants.agents(slug=slug)), None)
    if row is None:
        return None
    found = entrants.configurations(agent__slug=slug)
    places = standings(entrants.standings(agent__slug=slug))
    lines = tuple(run_line(one) for one in runs.newest(NEWEST_RUNS, agent=slug))
    facts = (("Kind", KINDS[row.kind], ""), *((("Home page", printable(row.url), row.url),) if row.url else ()))
    return AgentPage(
        title=printable(row.name),
        lead=f"An agent, in {plural(len(found), 'configuration')}.",
        crumbs=(Link("Agents and models", page_url("agents")),),
        tables=_tables(found, places, lines, "No configuration of this agent is registered."),
        agent=_agent_line(row),
        configurations=tuple(configuration_line(one) for one in found),
        standings=places,
        runs=lines,
        facts=facts,
    )


def build_model(query: Query, *, slug: str) -> ModelPage | None:
    row = next(iter(entrants.models(slug=slug)), None)
    if row is None:
        return None
    found = entrants.configurations(model__slug=slug)
    places = standings(entrants.standings(model__slug=slug))
    lines = tuple(run_line(one) for one in runs.newest(NEWEST_RUNS, model=slug))
    return ModelPage(
        title=printable(row.name),
        lead=f"A language model, in {plural(len(found), 'configuration')}. Providers change what stands behind a name, "
        "so each run also says when it was evaluated.",
        crumbs=(Link("Agents and models", page_url("agents")),),
        tables=_tables(found, places, lines, "No configuration with this model is registered."),
        model=ModelLine(*row),
        configurations=tuple(configuration_line(one) for one in found),
        standings=places,
        runs=lines,
        facts=(("Identifier", printable(row.identifier), ""), ("Vendor", printable(row.vendor) or "not stated", "")),
    )


def _tables(
    found: Sequence[entrants.ConfigurationRow], places: Sequence[Standing], lines: Sequence[RunLine], empty: str
) -> dict[str, Table]:
    return by_slug(
        standings_table(places, shows_entry=True),
        configurations_table(found, empty),
        runs_table(lines, f"The newest runs, {NEWEST_RUNS} at most", "Nothing ran yet. Runs start in the admin."),
    )


def _agent_line(row: AgentRow) -> AgentLine:
    return AgentLine(row.slug, row.name, row.kind, row.url or None, row.configurations, row.public_runs)


def _agents_table(rows: Sequence[AgentRow]) -> Table:
    columns = (
        Column("agent", "Agent"),
        Column("kind", "Kind"),
        Column("configurations", "Configurations", is_number=True),
        Column("public_runs", "Public runs", is_number=True),
    )
    lines = [
        (
            Cell(printable(row.name), row.slug, page_url("agent", row.slug)),
            Cell(KINDS[row.kind], row.kind),
            count_cell(row.configurations),
            count_cell(row.public_runs),
        )
        for row in rows
    ]
    return table("agents", "Agents", columns, lines, f"There is no agent. {TO_ADD}")


def _models_table(rows: Sequence[ModelRow]) -> Table:
    columns = (
        Column("model", "Model"),
        Column("identifier", "Exact identifier", is_code=True),
        Column("vendor", "Vendor"),
        Column("configurations", "Configurations", is_number=True),
        Column("public_runs", "Public runs", is_number=True),
    )
    lines = [
        (
            Cell(printable(row.name), row.slug, page_url("model", row.slug)),
            Cell(printable(row.identifier), row.identifier),
            Cell(printable(row.vendor) or NONE, row.vendor),
            count_cell(row.configurations),
            count_cell(row.public_runs),
        )
        for row in rows
    ]
    empty = f"No model is registered: settings may name one, and some agents need none. {TO_ADD}"
    return table("models", "Models, at the identifiers that were passed to their providers", columns, lines, empty)
