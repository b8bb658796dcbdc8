"""One configuration: exactly what it is, where it stands, its runs."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.formatting import NONE, plural, printable
from leaderboard.pages.agents.entrants import (
    NO_MODEL,
    configuration_line,
    line_name,
    settings_text,
    standings,
    standings_table,
    version_text,
)
from leaderboard.pages.agents.page import NEWEST_RUNS, EntrantPage
from leaderboard.pages.base import Link, Query, by_slug, page_url
from leaderboard.pages.run.lines import run_line, runs_table
from leaderboard.queries import entrants, runs
from leaderboard.queries.entrants import ConfigurationRow
from leaderboard.words import ROLES


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurationPage(EntrantPage):
    configuration: str
    settings_digest: str


def build(query: Query, *, slug: str) -> ConfigurationPage | None:
    row = next(iter(entrants.configurations(slug=slug)), None)
    if row is None:
        return None
    places = standings(entrants.standings(slug=slug))
    lines = tuple(run_line(one) for one in runs.newest(NEWEST_RUNS, configuration=slug))
    return ConfigurationPage(
        title=line_name(row),
        lead="One agent, one model, one set of settings: what a line of a board is. Change one and it is another.",
        crumbs=(
            Link("Agents and models", page_url("agents")),
            Link(printable(row.agent), page_url("agent", row.agent_slug)),
        ),
        tables=by_slug(
            standings_table(places, shows_entry=False),
            runs_table(
                lines, f"The newest runs, {NEWEST_RUNS} at most", "It has not run yet. Runs start in the admin."
            ),
        ),
        configuration=row.slug,
        settings_digest=row.settings_digest,
        configurations=(configuration_line(row),),
        standings=places,
        runs=lines,
        facts=_facts(row),
    )


def _facts(row: ConfigurationRow) -> tuple[tuple[str, str, str], ...]:
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
