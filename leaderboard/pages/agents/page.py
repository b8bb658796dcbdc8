"""Agents, models and configurations: one page that lists them all, and a page for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE, plural, printable
from leaderboard.pages.agents.entrants import (
    ConfigurationSummary,
    Standing,
    configuration_summary,
    configurations_table,
    standings,
    standings_table,
)
from leaderboard.pages.base import Link, Page, Query, by_slug, count_cell, entry_name, page_url
from leaderboard.pages.run.lines import RunLine, run_line, runs_table
from leaderboard.queries import entrants, runs
from leaderboard.queries.entrants import AgentRow, ConfigurationRow, ModelRow
from leaderboard.tables import Cell, Field, Table, table
from leaderboard.words import NO_MODEL, ROLES, settings_text, version_text

KINDS = {"built_in": "built in: this site can run it", "external": "external"}
NEWEST_RUNS = 50
TO_ADD = "Add agents, models and configurations with `manage.py load_registry FILE`."
NO_RUNS = "No runs yet. Runs start in the admin."
LEADS = {
    "entry": "One agent, model and set of settings: one leaderboard entry. Any change makes a new configuration.",
    "reference_line": "A reference line: leaderboards draw it for comparison and never rank it.",
}


@dataclass(frozen=True, slots=True)
class AgentSummary:
    agent: str
    name: str
    kind: str
    url: str | None
    configurations: int
    public_runs: int


@dataclass(frozen=True, slots=True)
class ModelSummary:
    model: str
    name: str
    identifier: str
    vendor: str
    configurations: int
    public_runs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentsPage(Page):
    agents: tuple[AgentSummary, ...]
    models: tuple[ModelSummary, ...]
    configurations: tuple[ConfigurationSummary, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntrantPage(Page):
    """The page of an agent, a model or a configuration."""

    configurations: tuple[ConfigurationSummary, ...]
    standings: tuple[Standing, ...]
    runs: tuple[RunLine, ...]  # the newest first, NEWEST_RUNS at most
    facts: tuple[tuple[str, str, str], ...] = field(metadata=SCREEN)  # term, text, address


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPage(EntrantPage):
    agent: AgentSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPage(EntrantPage):
    model: ModelSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurationPage(EntrantPage):
    configuration: str
    settings_digest: str


def build(query: Query) -> AgentsPage:
    agents, models, found = entrants.agents(), entrants.models(), entrants.configurations()
    return AgentsPage(
        title="Agents and models",
        lead="Agents write the kernels. An agent with a model and settings is a configuration: one leaderboard entry.",
        tables=by_slug(
            configurations_table(found, f"No configuration is registered. {TO_ADD}"),
            _agents_table(agents),
            _models_table(models),
        ),
        agents=tuple(_agent_summary(row) for row in agents),
        models=tuple(ModelSummary(*row) for row in models),
        configurations=tuple(configuration_summary(row) for row in found),
    )


def build_agent(query: Query, *, slug: str) -> AgentPage | None:
    row = next(iter(entrants.agents(slug=slug)), None)
    if row is None:
        return None
    found = entrants.configurations(agent__slug=slug)
    ranked = standings(entrants.standings(agent__slug=slug))
    latest = tuple(run_line(one) for one in runs.newest(NEWEST_RUNS, agent=slug))
    facts = (("Kind", KINDS[row.kind], ""), *((("Home page", printable(row.url), row.url),) if row.url else ()))
    return AgentPage(
        title=printable(row.name),
        lead=" ".join(filter(None, (row.about, f"An agent with {plural(len(found), 'configuration')}."))),
        crumbs=(Link("Agents", page_url("agents")),),
        tables=_tables(found, ranked, latest, "No configuration of this agent is registered."),
        agent=_agent_summary(row),
        configurations=tuple(configuration_summary(one) for one in found),
        standings=ranked,
        runs=latest,
        facts=facts,
    )


def build_model(query: Query, *, slug: str) -> ModelPage | None:
    row = next(iter(entrants.models(slug=slug)), None)
    if row is None:
        return None
    found = entrants.configurations(model__slug=slug)
    ranked = standings(entrants.standings(model__slug=slug))
    latest = tuple(run_line(one) for one in runs.newest(NEWEST_RUNS, model=slug))
    return ModelPage(
        title=printable(row.name),
        lead=f"A language model with {plural(len(found), 'configuration')}. Providers may change a model without "
        "changing its name, so each run states when it was evaluated.",
        crumbs=(Link("Agents", page_url("agents")),),
        tables=_tables(found, ranked, latest, "No configuration with this model is registered."),
        model=ModelSummary(*row),
        configurations=tuple(configuration_summary(one) for one in found),
        standings=ranked,
        runs=latest,
        facts=(("Identifier", printable(row.identifier), ""), ("Vendor", printable(row.vendor) or "not stated", "")),
    )


def build_configuration(query: Query, *, slug: str) -> ConfigurationPage | None:
    row = next(iter(entrants.configurations(slug=slug)), None)
    if row is None:
        return None
    ranked = standings(entrants.standings(slug=slug))
    latest = tuple(run_line(one) for one in runs.newest(NEWEST_RUNS, configuration=slug))
    return ConfigurationPage(
        title=entry_name(row.agent, row.model),
        lead=" ".join(filter(None, (row.about, LEADS[row.role]))),
        crumbs=(
            Link("Agents", page_url("agents")),
            Link(printable(row.agent), page_url("agent", row.agent_slug)),
        ),
        tables=by_slug(
            standings_table(ranked, shows_entry=False),
            runs_table(latest, f"Latest runs, {NEWEST_RUNS} at most", NO_RUNS),
        ),
        configuration=row.slug,
        settings_digest=row.settings_digest,
        configurations=(configuration_summary(row),),
        standings=ranked,
        runs=latest,
        facts=_configuration_facts(row),
    )


def _tables(
    found: Sequence[ConfigurationRow], ranked: Sequence[Standing], latest: Sequence[RunLine], empty: str
) -> dict[str, Table]:
    return by_slug(
        standings_table(ranked, shows_entry=True),
        configurations_table(found, empty),
        runs_table(latest, f"Latest runs, {NEWEST_RUNS} at most", NO_RUNS),
    )


def _configuration_facts(row: ConfigurationRow) -> tuple[tuple[str, str, str], ...]:
    return (
        ("Configuration", row.slug, ""),
        ("Agent", printable(row.agent), page_url("agent", row.agent_slug)),
        ("Agent version", version_text(row.settings, row.agent_kind), ""),
        ("Model", printable(row.model or NONE), page_url("model", row.model_slug) if row.model_slug else ""),
        ("Model identifier", printable(row.identifier or NO_MODEL), ""),
        ("Settings", settings_text(row.settings) or "none", ""),
        ("Role", ROLES[row.role], ""),
        ("All its runs", plural(row.runs, "run"), f"{page_url('runs')}?configuration={row.slug}"),
    )


def _agent_summary(row: AgentRow) -> AgentSummary:
    return AgentSummary(row.slug, row.name, row.kind, row.url or None, row.configurations, row.public_runs)


def _agents_table(rows: Sequence[AgentRow]) -> Table:
    columns: tuple[Field[AgentRow], ...] = (
        Field("agent", "Agent", lambda row: Cell(printable(row.name), row.slug, page_url("agent", row.slug))),
        Field("kind", "Kind", lambda row: Cell(KINDS[row.kind], row.kind)),
        Field("configurations", "Configurations", lambda row: count_cell(row.configurations), is_number=True),
        Field("public_runs", "Public runs", lambda row: count_cell(row.public_runs), is_number=True),
    )
    return table("agents", "Agents", columns, rows, f"No agent is registered. {TO_ADD}")


def _models_table(rows: Sequence[ModelRow]) -> Table:
    columns: tuple[Field[ModelRow], ...] = (
        Field("model", "Model", lambda row: Cell(printable(row.name), row.slug, page_url("model", row.slug))),
        Field(
            "identifier", "Exact identifier", lambda row: Cell(printable(row.identifier), row.identifier), is_code=True
        ),
        Field("vendor", "Vendor", lambda row: Cell(printable(row.vendor) or NONE, row.vendor)),
        Field("configurations", "Configurations", lambda row: count_cell(row.configurations), is_number=True),
        Field("public_runs", "Public runs", lambda row: count_cell(row.public_runs), is_number=True),
    )
    empty = f"No model is registered. Settings may name one, and some agents need none. {TO_ADD}"
    return table("models", "Models, with the identifiers passed to their providers", columns, rows, empty)
