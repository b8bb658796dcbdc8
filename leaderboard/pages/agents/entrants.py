"""Configurations and their standings, as data and as tables: shared by the pages of agents, models and runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from leaderboard.formatting import NONE, plural, printable, rate
from leaderboard.pages.base import board_url, count_cell, page_url, protocol_parameter
from leaderboard.queries.entrants import ConfigurationRow, StandingRow
from leaderboard.tables import Cell, Field, Table, fields, hidden, table
from leaderboard.words import ALL, CATEGORIES, ROLES, agent_version, settings_text


@dataclass(frozen=True, slots=True)
class ConfigurationSummary:
    configuration: str
    agent: str
    model: str | None
    model_identifier: str | None  # exactly as passed to the provider
    agent_version: str | None
    settings: dict[str, Any]
    role: str
    runs: int
    public_runs: int


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of results: tasks × public runs. A missing or errored one is neither compiled nor correct."""

    results: int
    compiled: int
    correct: int
    may_rank: int


@dataclass(frozen=True, slots=True)
class Standing:
    """A configuration's public runs on one suite, device class and protocol, by category and over all categories."""

    configuration: str
    agent: str
    model: str | None
    role: str
    suite: str
    suite_version: int
    device_class: str
    device_title: str
    protocol: str
    runs: int
    tallies: dict[str, Tally]
    boards: dict[str, str]  # category → address of its leaderboard


def configuration_summary(row: ConfigurationRow) -> ConfigurationSummary:
    return ConfigurationSummary(
        configuration=row.slug,
        agent=row.agent,
        model=row.model,
        model_identifier=row.identifier,
        agent_version=agent_version(row.settings),
        settings=row.settings,
        role=row.role,
        runs=row.runs,
        public_runs=row.public_runs,
    )


def standings(rows: Sequence[StandingRow]) -> tuple[Standing, ...]:
    """Standings in the order of the rows, each from the neighbouring rows that differ in their category alone."""
    return tuple(
        _standing(list(found)) for _, found in groupby(rows, key=lambda row: (row[0], *row[2:6], row.protocol))
    )


def configurations_table(rows: Sequence[ConfigurationRow], empty: str) -> Table:
    columns: tuple[Field[ConfigurationRow], ...] = (
        Field(
            "configuration",
            "Configuration",
            lambda row: Cell(row.slug, row.slug, page_url("configuration", row.slug)),
        ),
        Field("agent", "Agent", lambda row: Cell(printable(row.agent), row.agent, page_url("agent", row.agent_slug))),
        Field("agent_version", "Agent version", _version_cell, is_code=True),
        Field("model", "Model", _model_cell),
        Field(
            "model_identifier",
            "Model identifier",
            lambda row: Cell(printable(row.identifier), row.identifier) if row.identifier else Cell(NONE),
            is_code=True,
        ),
        Field("settings", "Settings", _settings_cell),
        Field("role", "Role", lambda row: Cell(ROLES[row.role], row.role)),
        Field("public_runs", "Public runs", lambda row: count_cell(row.public_runs), is_number=True),
        Field("runs", "Runs", lambda row: count_cell(row.runs), is_number=True),
    )
    caption = "Configurations: agent, model and settings. Each is one entry on a leaderboard"
    return table("configurations", caption, columns, rows, empty)


def standings_table(found: Sequence[Standing], *, shows_entry: bool) -> Table:
    columns: tuple[Field[Standing], ...] = fields(
        Field("suite", "Suite", _suite_cell),
        Field(
            "configuration",
            "Configuration",
            lambda one: Cell(one.configuration, one.configuration, page_url("configuration", one.configuration)),
            on_page=shows_entry,
        ),
        Field(
            "device_class", "Device class", lambda one: Cell(one.device_title, one.device_class, note=one.device_class)
        ),
        Field("runs", "Runs", lambda one: count_cell(one.runs), is_number=True),
        (_category_field(slug, label) for slug, label in CATEGORIES.items()),
        hidden("results", lambda one: one.tallies[ALL].results),
        hidden("compiled", lambda one: one.tallies[ALL].compiled),
        Field("may_rank", "Eligible for ranking", _may_rank_cell, is_number=True),
        hidden("protocol", lambda one: one.protocol),
    )
    caption = "Correct results on each leaderboard, of tasks × public runs (missing results included)"
    empty = "No results are published yet. Runs appear here once a maintainer publishes them."
    return table("standings", caption, columns, found, empty)


def _standing(rows: list[StandingRow]) -> Standing:
    first = rows[0]
    taken = [row for row in rows if row.is_taken]
    by_category = {row.category: _tally([row]) for row in taken}
    whole = _tally(rows if first.role == "entry" else taken)  # on boards, what an entry does not take is not correct
    tallies = {ALL: whole} | {slug: by_category[slug] for slug in CATEGORIES if slug in by_category}
    return Standing(
        configuration=first.configuration,
        agent=first.agent,
        model=first.model,
        role=first.role,
        suite=first.suite,
        suite_version=first.version,
        device_class=first.device,
        device_title=first.device_title,
        protocol=first.protocol,
        runs=max(row.runs for row in rows),
        tallies=tallies,
        boards={
            category: board_url(
                first.suite, first.version, first.suite_is_current, category, first.device, first.protocol
            )
            for category in tallies
        },
    )


def _tally(rows: Sequence[StandingRow]) -> Tally:
    return Tally(
        sum(row.results for row in rows),
        sum(row.compiled for row in rows),
        sum(row.correct for row in rows),
        sum(row.may_rank for row in rows),
    )


def _version_cell(row: ConfigurationRow) -> Cell:
    version = agent_version(row.settings)
    return Cell(printable(version), version) if version else Cell(NONE)


def _model_cell(row: ConfigurationRow) -> Cell:
    return Cell(printable(row.model), row.model, page_url("model", row.model_slug)) if row.model else Cell(NONE)


def _settings_cell(row: ConfigurationRow) -> Cell:
    text = settings_text(row.settings)
    return Cell(text or "none", text)


def _suite_cell(one: Standing) -> Cell:
    suite = f"{one.suite}@{one.suite_version}"
    return Cell(suite, suite, one.boards[ALL], note=protocol_parameter(one.protocol))


def _category_field(category: str, label: str) -> Field[Standing]:
    def cell(one: Standing) -> Cell:
        if category not in one.tallies:
            return Cell(NONE, note="no task that it takes")
        tally = one.tallies[category]
        text = rate(tally.correct, tally.results)
        return Cell(text, tally.correct, one.boards[category], note=f"{tally.compiled} compiled")

    return Field(category, label, cell, is_number=True)


def _may_rank_cell(one: Standing) -> Cell:
    if one.role != "entry":
        return Cell("none", 0, note=f"a {ROLES[one.role]} is never ranked")
    whole = one.tallies[ALL]
    excluded = whole.results - whole.may_rank
    note = f"{plural(excluded, 'result')} missing, not evaluated or held" if excluded else ""
    return Cell(rate(whole.may_rank, whole.results), whole.may_rank, note=note)
