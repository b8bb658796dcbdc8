"""KernelBench-X's paper, recomputed: each of its figures beside ours, and where it disagrees with itself."""

from __future__ import annotations

from dataclasses import dataclass, field

from leaderboard.encoding import SCREEN
from leaderboard.pages.base import Link, Page, Query, page_url
from leaderboard.pages.kernelbench_x import attribution, checks, disagreements, figures
from leaderboard.pages.kernelbench_x.attribution import Explained
from leaderboard.pages.kernelbench_x.checks import ConversionCheck, PaperCheck
from leaderboard.pages.kernelbench_x.figures import Figure
from leaderboard.pages.kernelbench_x.measured import measured
from leaderboard.pages.kernelbench_x.native import native_tasks
from leaderboard.pages.kernelbench_x.own import own_entries
from leaderboard.pages.kernelbench_x.printed import COMPILED, CORRECT, Printed, printed
from leaderboard.pages.kernelbench_x.speeds import OwnSpeeds, own_speeds
from leaderboard.pages.papers import disagreements as papers
from leaderboard.pages.papers.disagreements import Disagreement
from leaderboard.pages.papers.printed import NOT_LOADED
from leaderboard.pages.section import Section, charts_of, tables_of


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelBenchXPaperPage(Page):
    figures: tuple[Figure, ...]  # printed, recomputed, measured here
    speeds: OwnSpeeds  # of correct kernels measured here
    disagreements: tuple[Disagreement, ...]  # inside the paper, and between it and its code
    checks: tuple[PaperCheck, ...]  # rates of the overall table against sums over categories
    conversion: tuple[ConversionCheck, ...]  # Table 2 against Tables 3 and 4
    attribution: tuple[Explained, ...]  # computed here from the printed category tables
    sections: tuple[Section, ...] = field(metadata=SCREEN)


def build(query: Query) -> KernelBenchXPaperPage:
    paper, speeds = printed(), own_speeds()
    is_whole = paper.is_whole
    checked = checks.checks_of(paper) if is_whole else ()
    conversion = checks.conversion_of(paper) if is_whole else ()
    lines = attribution.explained(paper.rows[COMPILED], paper.rows[CORRECT]) if is_whole else ()
    tasks = native_tasks()
    ours = measured(own_entries(tasks), speeds, tasks)
    found = figures.figures(paper, lines, ours) if is_whole else ()
    sections = (
        figures.section(found),
        papers.section(disagreements.IN_PAPER, disagreements.OF_CODE),
        checks.section(checked, conversion),
        attribution.section(lines, _assumptions(paper)),
    )
    return KernelBenchXPaperPage(
        title="KernelBench-X: the paper, recomputed",
        lead=_lead(found) if is_whole else NOT_LOADED,
        crumbs=(Link("KernelBench-X", page_url("kernelbench_x")),),
        tables=tables_of(sections),
        charts=charts_of(sections),
        figures=found,
        speeds=speeds,
        disagreements=disagreements.DISAGREEMENTS,
        checks=checked,
        conversion=conversion,
        attribution=lines,
        sections=sections,
    )


def _assumptions(paper: Printed) -> tuple[str, ...]:
    return attribution.assumptions(paper.rows[COMPILED], paper.rows[CORRECT]) if paper.is_whole else ()


def _lead(found: tuple[Figure, ...]) -> str:
    recomputed = [one for one in found if one.recomputed is not None]
    agree = sum(one.agrees is True for one in recomputed)
    return (
        f"Of {len(found)} printed figures, {len(recomputed)} can be recomputed from what is public; {agree} of these "
        "agree in every digit that is printed."
    )
