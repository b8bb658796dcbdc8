"""The attribution page of a board: entry or type of task, what nobody solves, what is slower, what predicts failure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from leaderboard.encoding import SCREEN
from leaderboard.formatting import plural
from leaderboard.pages.attribution import facts, screen
from leaderboard.pages.attribution.facts import (
    Cast,
    ExplainedPart,
    LeftOut,
    ProxyLine,
    RateName,
    SlowerEntry,
    UnsolvedTask,
    UnsolvedType,
)
from leaderboard.pages.base import Link, Page, Query, by_slug, page_url
from leaderboard.pages.board import screen as board_screen
from leaderboard.pages.board.board import Board, load
from leaderboard.pages.board.query import BoardView, Choice
from leaderboard.pages.board.standings import FUNCTIONAL
from leaderboard.pages.protocols import OtherProtocol
from leaderboard.queries import attribution as queries
from leaderboard.queries import boards
from leaderboard.statistics.explanation import Explanation
from leaderboard.tables import Table, first

MOST_TASKS = 100  # of those that nobody solves, on the page
NO_PROXIES = "No task here starts from PyTorch, or no entry is complete and solves a task: there is nothing to compare."
CHOICES = ("source", "operator", "as_of")  # the filters that change which results these are


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributionPage(Page):
    suite: str
    suite_version: int
    category: str
    device_class: str
    protocol: str
    other_protocols: tuple[OtherProtocol, ...]  # under which this board has public runs, the newest first
    as_of: str
    tasks: int
    type_name: str  # operator type, or category: what tasks are grouped by
    entries: tuple[str, ...]  # configurations that the attribution is over
    left_out: tuple[LeftOut, ...]
    explanations: dict[RateName, Explanation | None]
    refusals: dict[RateName, str]  # why a rate has no explanation
    explained: tuple[ExplainedPart, ...]
    unsolved: tuple[UnsolvedType, ...]
    unsolved_tasks: tuple[UnsolvedTask, ...]
    slower: tuple[SlowerEntry, ...]  # all entries together, then each
    proxies: tuple[ProxyLine, ...]
    answers: tuple[str, ...] = field(metadata=SCREEN)
    no_chi_squared: tuple[str, ...] = field(metadata=SCREEN)  # why ΔD has no p by χ², each with its rate
    unsolved_shown: Table = field(metadata=SCREEN)  # the first ones
    protocol_notice: str = field(metadata=SCREEN)
    categories: tuple[Link, ...] = field(metadata=SCREEN)
    views: tuple[Link, ...] = field(metadata=SCREEN)
    choices: tuple[Choice, ...] = field(metadata=SCREEN)
    hidden_inputs: tuple[tuple[str, str], ...] = field(metadata=SCREEN)
    is_filtered: bool = field(metadata=SCREEN)


def build(query: Query, *, suite: str, category: str, device: str) -> AttributionPage | None:
    view = BoardView.from_query(query)
    board = load(view, suite, category, device)
    if board is None:
        return None
    cast = facts.cast_of(board, board_screen.in_order(board.standings.entries, view))
    found = facts.explanations(board, cast)
    refusals = {rate: one for rate, one in found.items() if isinstance(one, str)}
    parts = facts.explained_parts(found)
    unsolved = facts.unsolved_tasks(board, cast)
    types = facts.unsolved_types(board, cast, unsolved)
    slower = facts.slower_entries(board, cast)
    proxies = facts.proxy_lines(board, cast, queries.proxies(board.suite.id))
    protocols = board.protocols("attribution", boards.with_runs(board.suite.id))
    unsolved_tables = screen.unsolved_tables(types, unsolved, cast)
    refused = next(iter(refusals.values()), "")
    return AttributionPage(
        title=f"{board.title}: attribution",
        lead=_lead(board, cast),
        subject=board.subject,
        crumbs=(Link("Leaderboards", page_url("home")), Link(board.title, board.other_url("board"))),
        tables=by_slug(
            screen.explained_table(parts, cast.type_name, refused),
            screen.assumptions_table(found, refused),
            *unsolved_tables,
            screen.slower_table(slower, _no_slower(board)),
            screen.proxies_table(proxies, NO_PROXIES),
        ),
        suite=board.suite.name,
        suite_version=board.suite.version,
        category=category,
        device_class=device,
        protocol=view.asked_protocol,
        other_protocols=protocols.others,
        protocol_notice=protocols.notice,
        as_of=view.as_of,
        tasks=len(board.tasks),
        type_name=cast.type_name,
        entries=tuple(entry.configuration for entry in cast.taken),
        left_out=cast.left_out,
        explanations={rate: None if isinstance(one, str) else one for rate, one in found.items()},
        refusals=refusals,
        explained=parts,
        unsolved=types,
        unsolved_tasks=unsolved,
        slower=slower,
        proxies=proxies,
        answers=screen.answers(parts, unsolved, types, slower, cast),
        no_chi_squared=_no_chi_squared(found),
        unsolved_shown=first(unsolved_tables[1], MOST_TASKS),
        categories=board.category_links("attribution"),
        views=_views(board),
        choices=tuple(one for one in view.choices((), board.board_tasks) if one.name in CHOICES),
        hidden_inputs=view.hidden_inputs(("version", "protocol")),
        is_filtered=view.is_filtered,
    )


def _lead(board: Board, cast: Cast) -> str:
    return (
        f"{plural(len(board.tasks), 'task')} on {board.device.title}, protocol {board.view.asked_protocol}; "
        f"{plural(len(cast.taken), 'entry', 'entries')}. Is success a matter of who writes the kernel, or of what it "
        "computes?"
    )


def _no_chi_squared(found: Mapping[RateName, Explanation | str]) -> tuple[str, ...]:
    return tuple(
        f"{screen.LABELS[rate]}: {reason}"
        for rate, one in found.items()
        if not isinstance(one, str)
        for reason in one.no_chi_squared
    )


def _no_slower(board: Board) -> str:
    return FUNCTIONAL if board.device.is_functional else "No entry has a public result yet."


def _views(board: Board) -> tuple[Link, ...]:
    distribution = () if board.device.is_functional else (Link("Distribution", board.other_url("distribution")),)
    return (
        Link("Attribution", board.other_url("attribution"), is_here=True),
        Link("Leaderboard", board.other_url("board")),
        *distribution,
        Link("Compare", board.other_url("compare")),
        Link("Hardware portability", page_url("portability")),
    )
