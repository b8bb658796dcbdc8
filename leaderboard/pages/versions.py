"""Versions of protocols, evaluator and suites: descriptions, changes, and results of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from evaluator import VERSION
from evaluator.records.record import PROTOCOL
from leaderboard.changelog import changelog
from leaderboard.formatting import NONE, listed, plural, short
from leaderboard.pages.base import Link, Page, Query, by_slug, count_cell, moment_cell, page_url, query_string
from leaderboard.queries import versions
from leaderboard.queries.versions import AttemptCountRow, SuiteVersionRow
from leaderboard.tables import Cell, Field, Table, hidden, table, text_field

UNDESCRIBED = "Not described in the changelog: a later or an imported version."


@dataclass(frozen=True, slots=True)
class VersionUse:
    """A version, with counts of the attempts that have a record of it and of the public results among them."""

    name: str
    what: str
    is_current: bool
    until: str  # the last day of a protocol that another one has replaced; else empty
    attempts: int
    published: int
    first_at: datetime | None
    last_at: datetime | None


@dataclass(frozen=True, slots=True)
class SuiteVersion:
    """A version of a suite. `changed` are paths of tasks with another digest than in the version before."""

    suite: str
    version: int
    title: str
    digest: str
    is_current: bool
    added_at: datetime
    tasks: int
    public_runs: int
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    is_first: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionsPage(Page):
    protocols: tuple[VersionUse, ...]
    evaluators: tuple[VersionUse, ...]
    suites: tuple[SuiteVersion, ...]


def build(query: Query) -> VersionsPage:
    counts = versions.attempt_counts()
    described = changelog()
    protocols = _version_uses(counts, "protocol", described.protocols, PROTOCOL)
    evaluators = _version_uses(counts, "evaluator", described.evaluators, VERSION)
    suites = _suites(versions.suites(), versions.tasks_of_suites())
    return VersionsPage(
        title="Versions",
        lead="Results are comparable only under the same versions. A version never changes: any change is a new one. "
        "Results of two protocols, or of two versions of a suite, are never ranked together.",
        crumbs=(Link("Metrics", page_url("metrics")),),
        tables=by_slug(
            _uses_table("protocols", "Protocols: how candidates are timed", protocols),
            _uses_table("evaluators", "Evaluators: the program that evaluates candidates", evaluators),
            _suites_table(suites),
        ),
        protocols=protocols,
        evaluators=evaluators,
        suites=suites,
    )


def _version_uses(
    rows: Sequence[AttemptCountRow], name: str, described: Mapping[str, str], current: str
) -> tuple[VersionUse, ...]:
    """The versions that records have, newest first, with the current one even if no record has it."""
    names = dict.fromkeys(str(getattr(row, name)) for row in rows)
    names = names if current in names else {current: None} | names
    return tuple(
        _one(version, [row for row in rows if getattr(row, name) == version], described, current) for version in names
    )


def _one(name: str, rows: Sequence[AttemptCountRow], described: Mapping[str, str], current: str) -> VersionUse:
    return VersionUse(
        name,
        described.get(name, UNDESCRIBED),
        name == current,
        changelog().until.get(name, ""),
        sum(row.attempts for row in rows),
        sum(row.published for row in rows),
        min((row.first_at for row in rows), default=None),
        max((row.last_at for row in rows), default=None),
    )


def _suites(rows: Sequence[SuiteVersionRow], tasks: Mapping[int, Mapping[str, str]]) -> tuple[SuiteVersion, ...]:
    """The suites, each with the changes since its version before, if that is known here."""
    before = {new.id: old.id for new, old in pairwise(rows) if new.name == old.name}
    return tuple(_suite(row, tasks.get(row.id, {}), tasks.get(before.get(row.id, 0))) for row in rows)


def _suite(row: SuiteVersionRow, now: Mapping[str, str], before: Mapping[str, str] | None) -> SuiteVersion:
    old = now if before is None else before
    return SuiteVersion(
        row.name,
        row.version,
        row.title,
        row.digest,
        row.is_current,
        row.added_at,
        len(now),
        row.public_runs,
        tuple(sorted(now.keys() - old.keys())),
        tuple(sorted(path for path in now.keys() & old.keys() if now[path] != old[path])),
        tuple(sorted(old.keys() - now.keys())),
        before is None,
    )


def _uses_table(slug: str, caption: str, found: Sequence[VersionUse]) -> Table:
    columns: tuple[Field[VersionUse], ...] = (
        text_field("name", "Version", lambda one: one.name),
        text_field("what", "Description and changes", lambda one: one.what),
        Field("is_current", "Current", lambda one: _current_cell(one.is_current, one.until)),
        hidden("until", lambda one: one.until),
        Field("attempts", "Attempts", lambda one: count_cell(one.attempts), is_number=True),
        Field("published", "Public results", lambda one: _published_cell(slug, one), is_number=True),
        Field("first_at", "First evaluated", lambda one: moment_cell(one.first_at)),
        Field("last_at", "Last evaluated", lambda one: moment_cell(one.last_at)),
    )
    return table(slug, caption, columns, found, "")


def _suites_table(found: Sequence[SuiteVersion]) -> Table:
    columns: tuple[Field[SuiteVersion], ...] = (
        Field("suite", "Suite", _suite_cell),
        Field("is_current", "Current", lambda one: _current_cell(one.is_current)),
        Field("tasks", "Tasks", lambda one: count_cell(one.tasks), is_number=True),
        text_field("changes", "Changes", _changes),
        Field("public_runs", "Public runs", _public_runs_cell, is_number=True),
        Field("added_at", "Added", lambda one: moment_cell(one.added_at)),
        Field("digest", "Digest", lambda one: Cell(short(one.digest), one.digest), is_code=True),
    )
    empty = "No suite is registered. `make up` reads tasks/suites/ and registers them."
    return table("suites", "Suites: fixed lists of tasks, each at one digest", columns, found, empty)


def _suite_cell(one: SuiteVersion) -> Cell:
    name = f"{one.suite}@{one.version}"
    return Cell(name, name, note=one.title)


def _public_runs_cell(one: SuiteVersion) -> Cell:
    return Cell(str(one.public_runs), one.public_runs, f"{page_url('runs')}?suite={one.suite}&state=published")


def _published_cell(slug: str, one: VersionUse) -> Cell:
    """The number of public results; for a protocol with a link to their runs."""
    given = {"protocol": one.name, "state": "published"} if slug == "protocols" and one.published else {}
    url = page_url("runs") + query_string(given, ("protocol", "state")) if given else ""
    return Cell(str(one.published), one.published, url)


def _current_cell(is_current: bool, until: str = "") -> Cell:
    if is_current:
        return Cell("current", True, tone="good", mark="✓")
    return Cell(f"until {until}" if until else NONE, False)


def _changes(one: SuiteVersion) -> str:
    if one.is_first:
        return "the first version here"
    parts = [
        f"{plural(len(paths), 'task')} {what}: {listed(path.rpartition('/')[2] for path in paths)}"
        for what, paths in (("added", one.added), ("changed", one.changed), ("removed", one.removed))
        if paths
    ]
    return "; ".join(parts) or "no changes"
