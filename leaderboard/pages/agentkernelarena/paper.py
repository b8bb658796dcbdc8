"""AgentKernelArena's paper: its tables and figures drawn, recomputed, and held against each other."""

from __future__ import annotations

from dataclasses import dataclass, field

from leaderboard.encoding import SCREEN
from leaderboard.pages.agentkernelarena import checks, failures, figures, printed
from leaderboard.pages.agentkernelarena.checks import CheckCount
from leaderboard.pages.agentkernelarena.disagreements import DISAGREEMENTS, IN_PAPER, OF_CODE
from leaderboard.pages.agentkernelarena.failures import FailureCase
from leaderboard.pages.agentkernelarena.figures import PrintedFigure
from leaderboard.pages.agentkernelarena.row_checks import RowCheck
from leaderboard.pages.base import Link, Page, Query, page_url
from leaderboard.pages.papers import disagreements
from leaderboard.pages.papers.disagreements import Disagreement
from leaderboard.pages.papers.printed import NOT_LOADED
from leaderboard.pages.published import Paper
from leaderboard.pages.section import Section, charts_of, tables_of


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentKernelArenaPaperPage(Page):
    papers: tuple[Paper, ...]  # the tables with their citations
    rows: dict[str, list[dict[str, str]]]  # by table, text as printed
    checks: tuple[CheckCount, ...]  # identities and bounds over all rows
    checked: tuple[RowCheck, ...]  # the same, row by row
    figures: tuple[PrintedFigure, ...]  # of the text
    disagreements: tuple[Disagreement, ...]
    failures: tuple[FailureCase, ...]
    sections: tuple[Section, ...] = field(metadata=SCREEN)


def build(query: Query) -> AgentKernelArenaPaperPage:
    paper = printed.printed()
    checked = printed.row_checks(paper) if paper.is_whole else ()
    counts = checks.counts(checked) if checked else ()
    found = figures.figures(paper, checked) if checked else ()
    sections = (
        checks.section(checked, counts),
        figures.section(found),
        disagreements.section(IN_PAPER, OF_CODE),
        failures.section(),
        *printed.sections(paper),
    )
    return AgentKernelArenaPaperPage(
        title="AgentKernelArena: the paper, recomputed",
        lead=_lead(checked, counts, found) if checked else NOT_LOADED,
        crumbs=(Link("AgentKernelArena", page_url("agentkernelarena")),),
        tables=tables_of(sections),
        charts=charts_of(sections),
        papers=paper.sources,
        rows=paper.rows,
        checks=counts,
        checked=checked,
        figures=found,
        disagreements=DISAGREEMENTS,
        failures=failures.CASES,
        sections=sections,
    )


def _lead(checked: tuple[RowCheck, ...], counts: tuple[CheckCount, ...], found: tuple[PrintedFigure, ...]) -> str:
    whole = sum(one.holds == one.of for one in counts)
    recomputed = [one for one in found if one.agrees is not None]
    agree = sum(one.agrees is True for one in recomputed)
    return (
        f"{whole} of {len(counts)} checks hold in all {len(checked)} rows of its result tables. Of {len(found)} "
        f"figures of its text, {len(recomputed)} can be recomputed from its tables; {agree} of these agree."
    )
