"""The base of all pages: heading, tables, charts, addresses, and fields that many tables share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from urllib.parse import urlencode

from django.urls import reverse

from evaluator.records.record import PROTOCOL
from leaderboard.charts import Chart
from leaderboard.encoding import SCREEN
from leaderboard.formatting import NONE, moment, percent, printable
from leaderboard.statistics.top_task import TopTask
from leaderboard.tables import Cell, Field, Row, Table, hidden
from leaderboard.words import role_note

Query = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Link:
    text: str
    url: str
    is_here: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page as a value: tables for HTML and CSV, charts for SVG; all fields but those for the screen are its JSON."""

    title: str = field(metadata=SCREEN)
    lead: str = field(default="", metadata=SCREEN)  # one sentence under the title
    subject: str = field(default="", metadata=SCREEN)  # what charts say they are of when they leave the page
    card_lines: tuple[tuple[str, str], ...] = field(default=(), metadata=SCREEN)  # name and value, on its preview image
    crumbs: tuple[Link, ...] = field(default=(), metadata=SCREEN)
    tables: Mapping[str, Table] = field(default_factory=dict, metadata=SCREEN)
    charts: Mapping[str, Chart] = field(default_factory=dict, metadata=SCREEN)


def day_of(query: Query) -> str:
    """The day whose data a page shows: the one that the query names, or today in UTC."""
    return query.get("as_of") or datetime.now(UTC).date().isoformat()


def subject_of(suite: str, version: int, *parts: str, protocol: str) -> str:
    """What is compared, as exported charts name it: suite@1, category, device class, protocol arena-3."""
    return ", ".join((f"Suite {suite}@{version}", *parts, f"protocol {protocol}"))


def by_slug(*tables: Table) -> dict[str, Table]:
    return {table.slug: table for table in tables}


@lru_cache(maxsize=20_000)
def page_url(name: str, *parts: object) -> str:
    """Address of a page. Cached, since a board has a thousand of them and Django takes 50 µs for one."""
    return reverse(f"leaderboard:{name}", args=parts)


def task_url(path: str) -> str:
    return page_url("task", *path.split("/"))


def task_source_url(task: str, digest: str, path: str) -> str:
    """Address of a file of the baseline, in one version of the task."""
    return f"{page_url('task_source', *task.split('/'), path)}?digest={digest}"


def board_url(suite: str, version: int, is_current: bool, category: str, device: str, protocol: str) -> str:
    """Address of a board, which names the suite's version and the protocol only where they are not the current ones."""
    given = {"version": "" if is_current else str(version), "protocol": protocol_parameter(protocol)}
    return page_url("board", suite, category, device) + query_string(given, ("version", "protocol"))


def round_query(round: str, protocol: str) -> str:
    """Query string of a round's page on unseen cases, such as ?round=demo&protocol=arena-1."""
    given = {"round": round, "protocol": protocol_parameter(protocol)}
    return query_string(given, ("round", "protocol"))


def protocol_parameter(protocol: str) -> str:
    """The value of the query parameter `protocol`: empty for the current one, which is the default."""
    return "" if protocol == PROTOCOL else protocol


def query_string(query: Query, names: tuple[str, ...], **changes: str) -> str:
    """Query string with these parameters of the query, changed, such as ?version=1&sort=name; empty if none is set."""
    given = {name: value for name, value in {**query, **changes}.items() if name in names and value}
    return f"?{urlencode(given)}" if given else ""


def count_cell(number: int | None) -> Cell:
    """A count, or a dash where there is none."""
    return Cell(NONE) if number is None else Cell(str(number), number)


def moment_cell(at: datetime | None) -> Cell:
    """A date and time, or a dash where there is none."""
    return Cell(moment(at), at.isoformat(), iso=at.isoformat()) if at else Cell(NONE)


def task_cell(path: str) -> Cell:
    """A task's name with a link to its page, and its category below."""
    return Cell(path.rpartition("/")[2], path, task_url(path), path.partition("/")[0])


def entry_name(agent: str, model: str | None) -> str:
    return printable(f"{agent} · {model}" if model else agent)


def short_names(entries: Sequence[tuple[str, str | None]]) -> list[str]:
    """The models, or else the agents, where these tell the entries apart: whole names do not fit above a column."""
    models, agents = [model or agent for agent, model in entries], [agent for agent, _ in entries]
    found = next((names for names in (models, agents) if len({*names}) == len(names)), None)
    return [entry_name(*entry) for entry in entries] if found is None else [printable(name) for name in found]


def ranked_name(rank: int | None, agent: str, model: str | None) -> str:
    return (f"{rank}. " if rank else "") + entry_name(agent, model)


def subject_under_protocols(of: str) -> str:
    """The same where rows name their protocol only if it is not the current one."""
    return f"{of}, protocol {PROTOCOL} where no other is named"


def with_note(name: str, note: str) -> str:
    """A name in a legend, such as Baseline (reference line)."""
    return f"{name} ({note})" if note else name


def unranked_note(rank: int | None, role: str) -> str:
    return "" if rank else role_note(role) or "not ranked"


def entry_fields(
    name: Callable[[Row], str],
    configuration: Callable[[Row], str],
    note: Callable[[Row], str] = lambda _: "",
    *,
    key: str = "name",
) -> tuple[Field[Row], ...]:
    """An entry's name with a link to its configuration, and the configuration's slug for CSV and JSON."""

    def cell(row: Row) -> Cell:
        shown = name(row)
        return Cell(shown, shown, page_url("configuration", configuration(row)), note(row))

    return Field(key, "Entry", cell), hidden("configuration", configuration)


def top_task_fields(key: str, read: Callable[[Row], TopTask | None], *, metric: str = "") -> tuple[Field[Row], ...]:
    """Share and name of the task that adds most to a mean, and its path for CSV and JSON."""

    def cell(row: Row) -> Cell:
        if (found := read(row)) is None:
            return Cell(NONE)
        return Cell(percent(found.share), found.share, note=found.task.rpartition("/")[2].removesuffix(".py"))

    return (
        Field(f"{key}_top_share", "Top task's share", cell, is_number=True, metric=metric),
        hidden(f"{key}_top_task", lambda row: found.task if (found := read(row)) else None),
    )


def whole_number(text: str | None) -> int | None:
    """A whole number of a URL; None if it is not one of at most nine digits."""
    return int(text) if text and text.isascii() and text.isdigit() and 0 < len(text) < 10 else None
