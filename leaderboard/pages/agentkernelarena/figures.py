"""Figures of AgentKernelArena's text and appendices beside what its own tables give for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leaderboard.pages.agentkernelarena.printed import FIGURES, RESULTS, TOKENS, tasks_by_category, text_values
from leaderboard.pages.agentkernelarena.row_checks import RUNS, RowCheck
from leaderboard.pages.papers.digits import Recomputed, agreeing_digits, agrees_cell, digits_cell, recomputed_cell
from leaderboard.pages.papers.printed import NOT_LOADED, PrintedTables
from leaderboard.pages.section import Section, Shown
from leaderboard.statistics.paper import score
from leaderboard.tables import Cell, Field, RowGroup, Table, grouped, hidden, text_field

IN_FIGURE, NO_TASKS = "not public: only drawn, in Figures 3 and 4", "not public: results of single tasks"
NO_UNSEEN = "not public: results on unseen inputs"
EXACT = ("is", "about")  # the other relations are bounds
NAMED_BETTER = 6  # configurations of Table 4 that appendix I names as compiling nearly always
EXAMPLE = {"example_first": (0.342, 0.298), "example_second": (1.205, 0.987)}  # ms before and after
PARTS = {
    "unseen": "Unseen inputs",
    "gap": "Unseen inputs",
    "gain": "Unseen inputs",
    "tokens": "Tokens",
    "example": "Examples",
    "cases": "Examples",
    "feedforward": "Examples",
    "kdloss": "Examples",
}


@dataclass(frozen=True, slots=True)
class PrintedFigure:
    figure: str
    part: str
    about: str
    relation: str  # is, about, or a bound
    printed: str  # with the paper's digits
    place: str
    recomputed: float | None
    basis: str
    agreeing: int  # significant digits of the printed figure that the recomputed one has
    digits: int

    @property
    def agrees(self) -> bool | None:
        """Whether all digits agree, or the bound holds; None where nothing can be recomputed."""
        if self.recomputed is None:
            return None
        limit = float(self.printed)
        bounds = {
            "at least": self.recomputed >= limit,
            "at most": self.recomputed <= limit,
            "below": self.recomputed < limit,
        }
        return bounds.get(self.relation, self.agreeing == self.digits)


def figures(paper: PrintedTables, rows: Sequence[RowCheck]) -> tuple[PrintedFigure, ...]:
    known = _recomputed(paper, rows)
    return tuple(_figure(row, known.get(row["figure"], _unknown(row["figure"]))) for row in paper.rows[FIGURES])


def section(found: Sequence[PrintedFigure]) -> Section:
    return Section(
        slug="figures",
        title="Printed, recomputed",
        text="Figures of the text and of the appendices, beside the same from the paper's own tables.",
        tables=(Shown(_table(found), "prose-table"),),
    )


def _figure(row: Mapping[str, str], found: Recomputed) -> PrintedFigure:
    key = row["figure"]
    agreeing, digits = agreeing_digits(row["value"], found.value or 0.0)
    part = next((part for start, part in PARTS.items() if key.startswith(start)), "Tables 1 to 4")
    return PrintedFigure(
        *(key, part, row["about"], row["relation"], row["value"], row["place"], *found),
        agreeing=0 if found.value is None else agreeing,
        digits=digits,
    )


def _unknown(key: str) -> Recomputed:
    if key.startswith(("feedforward", "kdloss", "cases")):
        return Recomputed(None, NO_TASKS)
    return Recomputed(None, IN_FIGURE if "run" not in key else NO_UNSEEN)


def _recomputed(paper: PrintedTables, rows: Sequence[RowCheck]) -> Mapping[str, Recomputed]:
    of = {(row.category, row.agent, row.model): row for row in rows}
    composer, gpt = of["triton2triton", "Cursor Agent", "Composer 2"], of["torch2hip", "Cursor Agent", "GPT-5.4 High"]
    opus = of["triton2triton", "Claude Code", "Opus 4.6"]
    better = sorted((row.compiled for row in rows if row.category == "torch2hip"), reverse=True)[NAMED_BETTER - 1]
    return {
        "tasks": Recomputed(sum(tasks_by_category(paper).values()), "Table 1"),
        **_ranges(paper),
        **_tokens(paper),
        "others_compilation_rate_pct_least": Recomputed(100 * better / gpt.of_runs, f"{better} of {gpt.of_runs}"),
        "composer_correctness_rate_pct": _rate(composer.correct, composer.of_runs),
        "composer_failures": _a_run(composer.of_runs - composer.correct),
        "gpt54_failures": _a_run(gpt.of_runs - gpt.compiled),
        "claude_opus_correctness_rate_pct": _rate(opus.correct, opus.of_runs),
        **_unseen(text_values(paper), gpt.tasks),
        "example_score": Recomputed(score(1, 1, 1.23), "20 + 100 + 100 · 1.23, appendix K"),
        **{
            key: Recomputed(100 * (1 - after / before), f"{before} and {after} ms, appendix K")
            for key, (before, after) in EXAMPLE.items()
        },
    }


def _ranges(paper: PrintedTables) -> Mapping[str, Recomputed]:
    """The least and the most of each column of Tables 2 to 4."""
    found = {}
    tables = {"hip2hip": "Table 2", "triton2triton": "Table 3", "torch2hip": "Table 4"}
    for category, place in tables.items():
        rows = [row for row in paper.rows[RESULTS] if row["category"] == category]
        for key in rows[0].keys() - {"category", "agent", "model", "source"}:
            values = [float(row[key]) for row in rows]
            found[f"{category}_{key}_least"] = Recomputed(min(values), place)
            found[f"{category}_{key}_most"] = Recomputed(max(values), place)
    return found


def _tokens(paper: PrintedTables) -> Mapping[str, Recomputed]:
    found: dict[str, Recomputed] = {}
    for agent in dict.fromkeys(row["agent"] for row in paper.rows[TOKENS]):
        own = [row for row in paper.rows[TOKENS] if row["agent"] == agent]
        values = [float(row[key]) for row in own for key in ("hip2hip", "triton2triton", "torch2hip")]
        name = f"tokens_{agent.lower().replace(' ', '_')}"
        found |= {f"{name}_least": Recomputed(min(values), "Table 9")}
        found |= {f"{name}_most": Recomputed(max(values), "Table 9")}
    return found


def _unseen(values: Mapping[str, str], tasks: int) -> Mapping[str, Recomputed]:
    """What follows from whole tasks, where a rate is stated beside a number of tasks."""
    drop = 100 - float(values["unseen_torch2hip_least"])
    return {
        "unseen_gpt54_least": _rate(tasks - 11, tasks),
        "unseen_gpt54_most": _rate(tasks - 8, tasks),
        "unseen_codex_least": _rate(21, tasks),
        "unseen_codex_most": _rate(22, tasks),
        "unseen_opus_most": _rate(22, tasks),
        "unseen_torch2hip_least": _rate(43, RUNS * tasks),
        "unseen_torch2hip_most": _rate(65, RUNS * tasks),
        "unseen_drop": Recomputed(drop, "100 less the lowest rate of Figure 3; see the disagreements"),
    }


def _rate(count: int, of: int) -> Recomputed:
    return Recomputed(100 * count / of, f"{count} of {of}")


def _a_run(count: int) -> Recomputed:
    return Recomputed(count / RUNS, f"{count} in {RUNS} runs, Tables 3 and 4")


def _table(found: Sequence[PrintedFigure]) -> Table:
    columns: tuple[Field[PrintedFigure], ...] = (
        Field("figure", "Figure", lambda one: Cell(one.about, one.figure)),
        text_field("about", "", lambda one: one.about, on_page=False),
        Field("printed", "Printed", _printed_cell, is_number=True),
        text_field("relation", "", lambda one: one.relation, on_page=False),
        text_field("place", "", lambda one: one.place, on_page=False),
        Field("recomputed", "Recomputed", lambda one: recomputed_cell(one.recomputed, one.digits), is_number=True),
        Field("agreeing", "Digits that agree", _agreeing_cell),
        hidden("digits", lambda one: one.digits, type="integer"),
        hidden("agrees", lambda one: one.agrees, type="boolean"),
        text_field("basis", "From what, or why not", lambda one: one.basis),
    )
    parts = dict.fromkeys(one.part for one in found)
    groups = [RowGroup(tuple(one for one in found if one.part == part), part) for part in sorted(parts, key=_order)]
    return grouped("figures", "Every figure with its place, and what the tables give", columns, groups, NOT_LOADED)


def _order(part: str) -> int:
    return ("Tables 1 to 4", "Unseen inputs", "Tokens", "Examples").index(part)


def _printed_cell(one: PrintedFigure) -> Cell:
    text = one.printed if one.relation == "is" else f"{one.relation} {one.printed}"
    return Cell(text, one.printed, note=one.place)


def _agreeing_cell(one: PrintedFigure) -> Cell:
    """Digits of a number, and a plain yes or no of a bound."""
    if one.relation in EXACT or one.agrees is None:
        return digits_cell(one.recomputed, one.agreeing, one.digits)
    shown = agrees_cell(one.agrees)
    return Cell("holds" if one.agrees else "does not hold", one.agreeing, tone=shown.tone, mark=shown.mark)
