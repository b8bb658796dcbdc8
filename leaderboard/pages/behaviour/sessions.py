"""What agents had checked on their way to what they handed in: versions, how they came out, how sessions ended."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.formatting import rate, seconds, significant
from leaderboard.pages.base import count_cell, entry_cells, entry_name
from leaderboard.pages.session_cells import NOT_REPORTED
from leaderboard.queries.behaviour import SessionsRow, VersionsRow
from leaderboard.tables import Cell, Column, Table, table
from leaderboard.words import CATEGORIES, ENDINGS

OURS = ("errored", "not_judged")


@dataclass(frozen=True, slots=True)
class Sessions:
    """Of one configuration in one category, over all public runs: what its agent had checked on its way.

    `versions` are distinct ones; how they came out adds up to it. What nobody said is None.
    """

    configuration: str
    name: str
    category: str
    sessions: int
    versions: int
    failed_builds: int
    passed: int
    turned_away: int  # for any other reason than its build
    not_judged: int  # through no fault of the version
    first_passed: int  # sessions whose first version passed
    turns: float | None  # mean of the sessions that say it
    tool_calls: float | None
    seconds: float  # mean wall time
    endings: dict[str, int]


def sessions(rows: Sequence[SessionsRow], checked: Sequence[VersionsRow]) -> tuple[Sessions, ...]:
    """By configuration and category, as they come."""
    outcomes: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for one in checked:
        outcomes[one.configuration, one.category][one.status] += one.versions
        outcomes[one.configuration, one.category][f"first {one.status}"] += one.first
    own: dict[tuple[str, str], list[SessionsRow]] = defaultdict(list)
    for row in rows:
        own[row.configuration, row.category].append(row)
    return tuple(_sessions(found, outcomes[place]) for place, found in own.items())


def sessions_table(found: Sequence[Sessions]) -> Table:
    columns = (
        Column("name", "Entry"),
        Column("configuration", "Configuration", on_page=False),
        Column("category", "Category"),
        Column("sessions", "Sessions", is_number=True),
        Column("versions", "Versions checked", is_number=True),
        Column("failed_builds", "Did not build", is_number=True),
        Column("turned_away", "Else turned away", is_number=True),
        Column("not_judged", "Not judged", is_number=True, on_page=any(one.not_judged for one in found)),
        Column("passed", "Passed", is_number=True),
        Column("first_passed", "First one passed", is_number=True),
        Column("turns", "Turns", is_number=True),
        Column("tool_calls", "Tool calls", is_number=True, on_page=any(one.tool_calls for one in found)),
        Column("seconds", "Wall time", is_number=True),
        Column("endings", "How sessions ended", on_page=False),
    )
    caption = "Checks inside sessions: each distinct version once; turns, tool calls and wall time are means a session"
    empty = (
        "No public answer that matches came out of an agent's session. `python manage.py start_runs block_tuner` "
        "starts some, and a bundle of `python -m evaluator run` brings its own."
    )
    return table("sessions", caption, columns, [_cells(one) for one in found], empty)


def _sessions(rows: Sequence[SessionsRow], outcomes: Counter[str]) -> Sessions:
    first = rows[0]
    count, versions = (sum(getattr(row, name) for row in rows) for name in ("sessions", "checks"))
    failed, passed, ours = outcomes["build_failed"], outcomes["passed"], sum(outcomes[status] for status in OURS)
    return Sessions(
        configuration=first.configuration,
        name=entry_name(first.agent, first.model),
        category=first.category,
        sessions=count,
        versions=versions,
        failed_builds=failed,
        passed=passed,
        turned_away=versions - failed - passed - ours,
        not_judged=ours,
        first_passed=outcomes["first passed"],
        turns=_mean(rows, "turns"),
        tool_calls=_mean(rows, "tool_calls"),
        seconds=sum(row.seconds for row in rows) / count,
        endings={row.ended: row.sessions for row in rows},
    )


def _mean(rows: Sequence[SessionsRow], name: str) -> float | None:
    count = sum(getattr(row, f"say_{name}") for row in rows)
    return sum(getattr(row, name) or 0 for row in rows) / count if count else None


def _cells(one: Sessions) -> tuple[Cell, ...]:
    endings = ", ".join(f"{ENDINGS[ended].label} {count}" for ended, count in one.endings.items())
    counts = (one.failed_builds, one.turned_away, one.not_judged, one.passed)
    return (
        *entry_cells(one.name, one.configuration),
        Cell(CATEGORIES[one.category], one.category),
        Cell(str(one.sessions), one.sessions, note=endings),
        count_cell(one.versions),
        *(Cell(rate(count, one.versions), count) for count in counts),
        Cell(rate(one.first_passed, one.sessions), one.first_passed),
        *(_mean_cell(value) for value in (one.turns, one.tool_calls)),
        Cell(seconds(one.seconds), round(one.seconds, 3)),
        Cell(endings, endings),
    )


def _mean_cell(value: float | None) -> Cell:
    return Cell(NOT_REPORTED) if value is None else Cell(significant(value), value)
