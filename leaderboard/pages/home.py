"""The first page: what this is, which boards there are, what ran last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.formatting import plural
from leaderboard.pages.base import Page, Query, by_slug, page_url
from leaderboard.pages.run_lines import RunLine, run_line, runs_table
from leaderboard.queries import boards, published, runs
from leaderboard.queries.boards import PlaceRow
from leaderboard.tables import Cell, Column, Table, table
from leaderboard.words import ALL, CATEGORIES

NEWEST_RUNS = 8


@dataclass(frozen=True, slots=True)
class Place:
    """A suite on a device class, with a board for each of its categories."""

    suite: str
    suite_version: int
    suite_title: str
    device_class: str
    device_title: str
    is_functional: bool
    entries: int
    reference_lines: int
    boards: dict[str, str]  # category → address
    tasks: dict[str, int]


@dataclass(frozen=True, slots=True)
class Paper:
    slug: str
    title: str
    citation: str
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HomePage(Page):
    places: tuple[Place, ...]
    newest_runs: tuple[RunLine, ...]
    open_attempts: int
    published_tables: tuple[Paper, ...]


def build(query: Query) -> HomePage:
    sizes = boards.category_sizes()
    places = tuple(_place(row, sizes.get(row.suite_id, {})) for row in boards.places())
    lines = tuple(run_line(row) for row in runs.newest(NEWEST_RUNS))
    empty = "Nothing ran yet. `make up` runs the demo; later runs start in the admin."
    return HomePage(
        title="ArenaBoard",
        tables=by_slug(
            _places_table(places),
            runs_table(lines, "Newest first. What passed goes by the public answers once a run is published", empty),
        ),
        places=places,
        newest_runs=lines,
        open_attempts=runs.open_attempts(),
        published_tables=tuple(Paper(row.slug, row.title, row.citation, row.size) for row in published.tables()),
    )


def _place(row: PlaceRow, sizes: dict[str, int]) -> Place:
    tasks = {ALL: sum(sizes.values())} | {slug: sizes[slug] for slug in CATEGORIES if slug in sizes}
    return Place(
        suite=row.suite,
        suite_version=row.version,
        suite_title=row.suite_title,
        device_class=row.device,
        device_title=row.device_title,
        is_functional=row.is_functional,
        entries=row.entries,
        reference_lines=row.lines,
        boards={category: page_url("board", row.suite, category, row.device) for category in tasks},
        tasks=tasks,
    )


def _places_table(places: Sequence[Place]) -> Table:
    columns = (
        Column("suite", "Suite"),
        Column("device_class", "Device class"),
        *(Column(slug, label) for slug, label in CATEGORIES.items()),
        Column("entries", "Entries", is_number=True),
    )
    empty = "No run is published yet. A run stands on a board once it is published in the admin."
    return table(
        "boards", "Every board: a suite, a device class, a category", columns, [_cells(one) for one in places], empty
    )


def _cells(place: Place) -> tuple[Cell, ...]:
    boards_cells = tuple(
        Cell(plural(place.tasks[slug], "task"), place.tasks[slug], place.boards[slug])
        if slug in place.boards
        else Cell("–")
        for slug in CATEGORIES
    )
    return (
        Cell(place.suite_title or place.suite, place.suite, place.boards[ALL], f"{place.suite}@{place.suite_version}"),
        Cell(place.device_title, place.device_class, note=place.device_class),
        *boards_cells,
        Cell(str(place.entries), place.entries, note=f"and {plural(place.reference_lines, 'reference line')}"),
    )
