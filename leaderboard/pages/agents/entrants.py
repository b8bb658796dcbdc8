"""What the pages of agents, models and configurations share: their lines, how they stand, and both as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from evaluator.records.record import PROTOCOL
from leaderboard.formatting import NONE, plural, printable, rate
from leaderboard.pages.base import board_url, count_cell, entry_name, page_url
from leaderboard.queries.entrants import ConfigurationRow, StandingRow
from leaderboard.tables import Cell, Column, Table, table
from leaderboard.words import ALL, CATEGORIES, ROLES

AGENT_VERSION = "agent_version"  # the setting that says which version of the agent it is
NO_MODEL = "none is registered for the configuration"  # settings may still name one, or the agent need none


@dataclass(frozen=True, slots=True)
class ConfigurationLine:
    configuration: str
    agent: str
    model: str | None
    model_identifier: str | None  # exactly as it was passed to the provider
    agent_version: str | None
    settings: dict[str, Any]
    role: str
    runs: int
    public_runs: int


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts over `results`: tasks × public runs. What is missing or our fault is neither compiled nor correct."""

    results: int
    compiled: int
    correct: int
    may_rank: int


@dataclass(frozen=True, slots=True)
class Standing:
    """A configuration's public runs on one suite and device class, by category and over all of them."""

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
    boards: dict[str, str]  # category → address


def configuration_line(row: ConfigurationRow) -> ConfigurationLine:
    return ConfigurationLine(
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
    """Rows of one place side by side, in the order they come."""
    return tuple(
        _standing(list(found)) for _, found in groupby(rows, key=lambda row: (row[0], *row[2:6], row.protocol))
    )


def agent_version(settings: dict[str, Any]) -> str | None:
    return str(settings[AGENT_VERSION]) if AGENT_VERSION in settings else None


def version_text(settings: dict[str, Any], agent_kind: str) -> str:
    """The version of the agent in words; never made up."""
    said = agent_version(settings)
    if agent_kind == "built_in" and said is None:
        return "the evaluator's, as each result says; of a program that it starts, none is stated"
    return printable(said or "not stated")


def settings_text(settings: dict[str, Any]) -> str:
    """The settings but for the version, which stands by itself."""
    said = {name: _several(value) if isinstance(value, list) else value for name, value in settings.items()}
    parts = [f"{name.replace('_', ' ')} {value}" for name, value in sorted(said.items()) if name != AGENT_VERSION]
    return printable(", ".join(parts))


def _several(values: list[Any]) -> str:
    return " and ".join(map(str, values)) or "none"


def configurations_table(rows: Sequence[ConfigurationRow], empty: str) -> Table:
    columns = (
        Column("configuration", "Configuration"),
        Column("agent", "Agent"),
        Column("agent_version", "Agent version", is_code=True),
        Column("model", "Model"),
        Column("model_identifier", "Model identifier", is_code=True),
        Column("settings", "Settings"),
        Column("role", "Role"),
        Column("public_runs", "Public runs", is_number=True),
        Column("runs", "Runs", is_number=True),
    )
    caption = "Configurations: agent, model and settings. Each is a line of a board"
    return table("configurations", caption, columns, [_configuration_cells(row) for row in rows], empty)


def standings_table(found: Sequence[Standing], *, shows_entry: bool) -> Table:
    columns = (
        Column("suite", "Suite"),
        Column("configuration", "Configuration", on_page=shows_entry),
        Column("device_class", "Device class"),
        Column("runs", "Runs", is_number=True),
        *(Column(slug, label, is_number=True) for slug, label in CATEGORIES.items()),
        Column("results", "Results", on_page=False),
        Column("compiled", "Compiled", on_page=False),
        Column("may_rank", "May rank", is_number=True),
        Column("protocol", "Protocol", is_code=True, on_page=False),
    )
    caption = "Right answers on each board: tasks × public runs, missing ones among them"
    empty = "Nothing is published yet. A draft gets onto a board once a maintainer publishes it."
    return table("standings", caption, columns, [_standing_cells(one) for one in found], empty)


def _standing(rows: list[StandingRow]) -> Standing:
    first = rows[0]
    by_category = {row.category: Tally(row.results, row.compiled, row.correct, row.may_rank) for row in rows}
    whole = Tally(*(sum(column) for column in zip(*(row[-4:] for row in rows), strict=True)))
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
        boards={category: _board(first, category) for category in tallies},
    )


def _board(row: StandingRow, category: str) -> str:
    url = board_url(row.suite, row.version, row.suite_is_current, category, row.device)
    if row.protocol == PROTOCOL:
        return url
    return f"{url}{'&' if '?' in url else '?'}protocol={row.protocol}"


def _configuration_cells(row: ConfigurationRow) -> tuple[Cell, ...]:
    version, text = agent_version(row.settings), settings_text(row.settings)
    model = Cell(printable(row.model), row.model, page_url("model", row.model_slug)) if row.model else Cell(NONE)
    return (
        Cell(row.slug, row.slug, page_url("configuration", row.slug)),
        Cell(printable(row.agent), row.agent, page_url("agent", row.agent_slug)),
        Cell(printable(version), version) if version else Cell(NONE),
        model,
        Cell(printable(row.identifier), row.identifier) if row.identifier else Cell(NONE),
        Cell(text or "none", text),
        Cell(ROLES[row.role], row.role),
        count_cell(row.public_runs),
        count_cell(row.runs),
    )


def _standing_cells(one: Standing) -> tuple[Cell, ...]:
    whole, suite = one.tallies[ALL], f"{one.suite}@{one.suite_version}"
    return (
        Cell(suite, suite, one.boards[ALL]),
        Cell(one.configuration, one.configuration, page_url("configuration", one.configuration)),
        Cell(one.device_title, one.device_class, note=one.device_class),
        count_cell(one.runs),
        *(_tally_cell(one, category) for category in CATEGORIES),
        Cell("", whole.results),
        Cell("", whole.compiled),
        _rank_cell(one, whole),
        Cell("", one.protocol),
    )


def _tally_cell(one: Standing, category: str) -> Cell:
    if category not in one.tallies:
        return Cell(NONE, note="not in the suite")
    tally = one.tallies[category]
    return Cell(
        rate(tally.correct, tally.results), tally.correct, one.boards[category], note=f"{tally.compiled} compiled"
    )


def _rank_cell(one: Standing, whole: Tally) -> Cell:
    if one.role != "entry":
        return Cell("none", 0, note=f"a {ROLES[one.role]} is never ranked")
    missing = whole.results - whole.may_rank
    note = f"{plural(missing, 'answer')} missing, not judged or on hold" if missing else ""
    return Cell(rate(whole.may_rank, whole.results), whole.may_rank, note=note)


def line_name(row: ConfigurationRow) -> str:
    return entry_name(row.agent, row.model)
