"""KernelBench-X on one page: the numbers that its paper printed, checked and drawn, our tasks, and submitted runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from leaderboard.encoding import SCREEN
from leaderboard.pages.base import Link, Page, Query, page_url
from leaderboard.pages.kernelbench_x import attribution, checks, imported_screen, native, printed
from leaderboard.pages.kernelbench_x.attribution import Explained
from leaderboard.pages.kernelbench_x.checks import PaperCheck
from leaderboard.pages.kernelbench_x.imported import Imported, imported
from leaderboard.pages.kernelbench_x.native import NativeCategory, NativeTask
from leaderboard.pages.kernelbench_x.printed import COMPILED, CORRECT, STEPS, Printed
from leaderboard.pages.kernelbench_x.section import Section, charts_of, tables_of
from leaderboard.pages.published import Paper


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelBenchXPage(Page):
    papers: tuple[Paper, ...]  # the tables with their citations
    rows: dict[str, list[dict[str, str]]]  # by table, text as printed
    checks: tuple[PaperCheck, ...]
    disagreements: tuple[str, ...]
    attribution: tuple[Explained, ...]  # computed here from the printed category tables
    native: tuple[NativeTask, ...]  # our tasks after the benchmark's
    native_categories: tuple[NativeCategory, ...]
    imported: Imported  # submitted here: claimed, not measured
    sections: tuple[Section, ...] = field(metadata=SCREEN)  # in their order on the page
    facts: tuple[tuple[str, str, str], ...] = field(metadata=SCREEN)  # term, text, address


def build(query: Query) -> KernelBenchXPage:
    paper, submitted, tasks = printed.printed(), imported(), native.native_tasks()
    checked = checks.checks_of(paper.rows) if paper.is_whole else ()
    lines = attribution.explained(paper.rows[COMPILED], paper.rows[CORRECT]) if paper.is_whole else ()
    categories = native.native_categories(tasks, paper.rows.get(CORRECT, ()))
    sections = (
        *_of_paper(paper, checked, lines),
        native.section(tasks, categories),
        *imported_screen.sections(submitted, STEPS),
    )
    return KernelBenchXPage(
        title="KernelBench-X",
        subject="KernelBench-X: as printed in its paper, or as submitted and not measured here",
        lead="Triton kernels by five methods on 176 tasks in 15 categories, as printed in the paper, and submitted "
        "runs. None of it was measured here, and none of it is ranked with results measured here. Below are our own "
        "tasks after the benchmark's.",
        crumbs=(Link("Papers", page_url("published")),),
        tables=tables_of(sections),
        charts=charts_of(sections),
        papers=paper.sources,
        rows=paper.rows,
        checks=checked,
        disagreements=checks.disagreements(checked),
        attribution=lines,
        native=tasks,
        native_categories=categories,
        imported=submitted,
        sections=sections,
        facts=(*printed.facts(paper), imported_screen.fact(submitted)) if paper.is_whole else (),
    )


def _of_paper(paper: Printed, checked: Sequence[PaperCheck], lines: Sequence[Explained]) -> tuple[Section, ...]:
    if not paper.is_whole:
        return ()
    return (printed.overall(paper), checks.section(checked), attribution.section(lines), *printed.details(paper))
