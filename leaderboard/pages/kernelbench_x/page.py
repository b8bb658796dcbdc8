"""KernelBench-X: results measured here, printed and submitted, beside one another and never ranked together."""

from __future__ import annotations

from dataclasses import dataclass, field

from leaderboard.encoding import SCREEN
from leaderboard.pages.base import Link, Page, Query, page_url
from leaderboard.pages.kernelbench_x import efficiency, imported_screen, native, own, printed
from leaderboard.pages.kernelbench_x.imported import Imported, imported
from leaderboard.pages.kernelbench_x.native import NativeCategory, NativeTask
from leaderboard.pages.kernelbench_x.own import OwnEntry
from leaderboard.pages.kernelbench_x.printed import CORRECT
from leaderboard.pages.published import Paper
from leaderboard.pages.section import Section, charts_of, tables_of


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelBenchXPage(Page):
    papers: tuple[Paper, ...]  # the tables with their citations
    rows: dict[str, list[dict[str, str]]]  # by table, text as printed
    own: tuple[OwnEntry, ...]  # measured here
    native: tuple[NativeTask, ...]  # our tasks after the benchmark's
    native_categories: tuple[NativeCategory, ...]
    imported: Imported  # submitted here: claimed, not measured
    sections: tuple[Section, ...] = field(metadata=SCREEN)  # in their order on the page
    facts: tuple[tuple[str, str, str], ...] = field(metadata=SCREEN)  # term, text, address


def build(query: Query) -> KernelBenchXPage:
    paper, submitted, known = printed.printed(), imported(), native.native_tasks()
    tasks = tuple(task for task in known if task.is_current)
    categories = native.native_categories(tasks, paper.rows.get(CORRECT, ()))
    entries = own.own_entries(known)
    sections = (
        *own.sections(entries),
        *printed.sections(paper),
        *imported_screen.sections(submitted),
        *efficiency.sections(paper, submitted, entries),
        native.section(tasks, categories),
    )
    return KernelBenchXPage(
        title="KernelBench-X",
        subject="KernelBench-X: measured here, as printed in its paper, or as submitted",
        lead="Triton kernels on 176 tasks in 15 categories: measured here on tasks of our own after the benchmark's, "
        "printed in its paper, and submitted. The three are shown beside one another and never ranked together.",
        crumbs=(Link("Papers", page_url("published")),),
        tables=tables_of(sections),
        charts=charts_of(sections),
        papers=paper.sources,
        rows=paper.rows,
        own=entries,
        native=tasks,
        native_categories=categories,
        imported=submitted,
        sections=sections,
        facts=(
            own.fact(entries),
            *(printed.facts(paper) if paper.is_whole else ()),
            imported_screen.fact(submitted),
            (
                "The paper, recomputed",
                "Its figures, and where it disagrees with itself",
                page_url("kernelbench_x_paper"),
            ),
        ),
    )
