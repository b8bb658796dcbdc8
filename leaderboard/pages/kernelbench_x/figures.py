"""Printed, recomputed, ours: the figures of KernelBench-X's text, what public data give, and the same measured here.

Rates of its tables are in checks.py. A figure that nothing public determines has the reason instead of a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from leaderboard.pages.base import Link
from leaderboard.pages.kernelbench_x import corpus
from leaderboard.pages.kernelbench_x.attribution import QUANTITIES, Explained
from leaderboard.pages.kernelbench_x.measured import Ours
from leaderboard.pages.kernelbench_x.printed import (
    CORRECT,
    FIGURES,
    NOT_METHODS,
    OVERALL,
    TRAJECTORY,
    Printed,
    task_count,
)
from leaderboard.pages.papers.digits import Recomputed, agreeing_digits, digits_cell, recomputed_cell
from leaderboard.pages.papers.printed import NOT_LOADED
from leaderboard.pages.section import Section, Shown
from leaderboard.tables import Cell, Field, RowGroup, Table, grouped, hidden, text_field

NO_TIMES = "not public: times of the methods' kernels"
NO_OUTCOMES = "not public: outcomes of the methods on single tasks"
NO_KINDS = "not public: 110 of the 352 pairs are released, without kinds of edit"
ONLY_CHANGES = "not determined: the corpus has only what changed"
ONLY_FASTER = "not determined: only kernels that became faster are released"


@dataclass(frozen=True, slots=True)
class Figure:
    figure: str
    part: str
    about: str
    printed: str  # with the paper's digits
    place: str
    recomputed: float | None
    basis: str
    agreeing: int  # significant digits of the printed figure that the recomputed one has
    digits: int  # that are printed
    measured: str  # the same figure for results measured here, or in words where it is
    measured_at: str  # address of the page that shows it; empty if `measured` is the figure itself, or there is none

    @property
    def agrees(self) -> bool | None:
        return None if self.recomputed is None else self.agreeing == self.digits


def figures(paper: Printed, explained: Sequence[Explained], own: Ours) -> tuple[Figure, ...]:
    return (
        *_of_text(paper, own),
        *_of_rounds(paper, own),
        *_of_overall(paper, own),
        *_of_attribution(paper, explained, own),
    )


def section(found: Sequence[Figure]) -> Section:
    return Section(
        slug="figures",
        title="Printed, recomputed, measured here",
        text="Recomputed from the paper's own tables or from the public corpus of GEAK's rounds. The rates of its "
        "tables are held against each other further down.",
        tables=(Shown(_table(found), "prose-table"),),
    )


def _figure(key: str, part: str, about: str, printed: str, place: str, found: Recomputed, ours: Link) -> Figure:
    agreeing, digits = (
        (0, agreeing_digits(printed, 0.0)[1]) if found.value is None else agreeing_digits(printed, found.value)
    )
    return Figure(key, part, about, printed, place, *found, agreeing, digits, ours.text, ours.url)


def _of_text(paper: Printed, own: Ours) -> Iterable[Figure]:
    recomputed = _recomputed(paper)
    for row in paper.rows[FIGURES]:
        key, place = row["figure"], row["place"]
        if _is_of_attribution(key):
            continue
        part = next((part for start, part in PARTS.items() if key.startswith(start)), "Correct, but slow")
        found = recomputed.get(key, Recomputed(None, NO_TIMES))
        yield _figure(key, part, row["about"], row["value"], place, found, own.of(key, SHOWN_WITH.get(part, "")))


PARTS = {
    "quantization": "What is solved",
    "fusion": "What is solved",
    "highest": "What is solved",
    "logit": "Single kernels",
    "expand": "Single kernels",
    "edits": "Kinds of edit between rounds",
    "r_": "Static proxies of the reference",
}
SHOWN_WITH = {"Kinds of edit between rounds": "edits", "Static proxies of the reference": "proxies"}


def _recomputed(paper: Printed) -> dict[str, Recomputed]:
    """What follows for figures of the text."""
    rows = {row["category"]: row for row in paper.rows[CORRECT]}
    counts = {name: [task_count(row, method) for method in _methods(row)] for name, row in rows.items()}
    tasks = {name: int(row["tasks"]) for name, row in rows.items()}
    of, solved = tasks["Fusion"], counts["Fusion"]
    least, most = of - min(of, sum(solved)), of - max(solved)
    pairs = 2 * sum(tasks.values())
    edits = ("edits_unchanged", "edits_mask", "edits_delegated", "edits_dtype")
    proxies = ("r_complexity", "r_span", "r_assignments", "r_torch_calls")
    return {
        "slower_share_l20": Recomputed(None, f"{NO_TIMES}; the L20's baselines there are the RTX 5090's, see below"),
        "quantization_solved": Recomputed(sum(counts["Quantization"]), "Table 3"),
        "fusion_unsolved_pct": Recomputed(None, f"not determined: Table 3 allows {least} to {most} of {of}"),
        "highest_loss": Recomputed(max(counts["Loss"]) / tasks["Loss"], "Table 3, in which 0.83 is nowhere"),
        "logit_speedup": Recomputed(None, "not public: the corpus has it on the RTX 5090 alone, 3.04"),
        "expand_where_speedup": Recomputed(corpus.EXPAND_WHERE_SPEEDUP, "the corpus"),
        "edits": Recomputed(pairs, f"{pairs // 2} tasks, two steps"),
        **dict.fromkeys(edits, Recomputed(None, NO_KINDS)),
        **dict.fromkeys(proxies, Recomputed(None, NO_OUTCOMES)),
    }


def _of_rounds(paper: Printed, own: Ours) -> Iterable[Figure]:
    """Figure 3 and section 4.4."""
    tasks = sum(int(row["tasks"]) for row in paper.rows[CORRECT])
    ends = [row for row in paper.rows[TRAJECTORY] if row["compile_pct"]]
    steps = [row for row in paper.rows[TRAJECTORY] if row["rescued_speedup"]]
    found = _last_round(ends, steps[-1], tasks)
    for key, label in ROUND_FIGURES.items():
        (first, last), ours = (row[key] for row in ends), own.of(_of_round(key))
        about = f"{label} in the first round"
        yield _figure(f"{key}_first", ROUNDS, about, first, PLACE, Recomputed(None, ONLY_CHANGES), ours)
        yield _figure(f"{key}_last", ROUNDS, f"{label} in the last round", last, PLACE, found[key], ours)
    for row in steps:
        step = corpus.STEPS[row["round"]]
        basis = f"the corpus, {step.rescued_timed} kernels"
        known = {
            "rescued_speedup": Recomputed(step.rescued_speedup, basis),
            "rescued_score_pct": Recomputed(step.rescued_score_pct, f"{basis}, and the RTX 5090's peaks"),
            "persistent_speedup": Recomputed(None, f"{ONLY_FASTER}; these average {step.persistent_speedup:.2f}"),
            "persistent_score_pct": Recomputed(None, f"{ONLY_FASTER}; these average {step.persistent_score_pct:.1f}"),
        }
        for key, label in STEP_FIGURES.items():
            about, ours = f"{label}, round {row['round']}", own.of(_of_round(key))
            yield _figure(f"{key}_{row['round'][-1]}", ROUNDS, about, row[key], PLACE, known[key], ours)


def _of_round(key: str) -> str:
    """What a figure of a round is one of."""
    ends = {"speedup": "round_speedups", "score_pct": "round_scores"}
    return next((name for end, name in ends.items() if key.endswith(end)), "round_rates")


ROUNDS, PLACE = "GEAK's rounds", "Section 4.4, Figure 3"
ROUND_FIGURES = {
    "compile_pct": "Compilation (%)",
    "correct_pct": "Correctness (%)",
    "speedup": "Mean speedup",
    "score_pct": "Score (%)",
}
STEP_FIGURES = {
    "rescued_speedup": "Speedup of rescued kernels",
    "persistent_speedup": "Speedup of persistent kernels",
    "rescued_score_pct": "Score of rescued kernels (%)",
    "persistent_score_pct": "Score of persistent kernels (%)",
}


def _last_round(ends: Sequence[Mapping[str, str]], step: Mapping[str, str], tasks: int) -> dict[str, Recomputed]:
    """The last round: the first one's tasks and what the corpus adds; speeds as the mean of both kinds of kernels."""
    first = {key: round(float(ends[0][key]) * tasks / 100) for key in ("compile_pct", "correct_pct")}
    compiled = first["compile_pct"] + sum(one.compiled for one in corpus.STEPS.values())
    correct = first["correct_pct"] + sum(one.correct for one in corpus.STEPS.values())
    rescued = corpus.STEPS[step["round"]]
    persistent = correct - rescued.rescued_timed - UNTIMED
    basis = f"{rescued.rescued_timed} rescued kernels of the corpus, {persistent} persistent ones as printed"

    def mean(new: float, old: str) -> Recomputed:
        total = rescued.rescued_timed * new + persistent * float(old)
        return Recomputed(total / (rescued.rescued_timed + persistent), basis)

    return {
        "compile_pct": Recomputed(100 * compiled / tasks, f"{compiled} of {tasks}: the first round and the corpus"),
        "correct_pct": Recomputed(100 * correct / tasks, f"{correct} of {tasks}: the first round and the corpus"),
        "speedup": mean(rescued.rescued_speedup, step["persistent_speedup"]),
        "score_pct": mean(rescued.rescued_score_pct, step["persistent_score_pct"]),
    }


UNTIMED = 1  # a rescued kernel of the last step has no time: MatrixMultiply/tril_mm_and_scale


def _of_overall(paper: Printed, own: Ours) -> Iterable[Figure]:
    for row in paper.rows[OVERALL]:
        for key, label in (("speedup", "Mean speedup"), ("score_pct", "Score (%)")):
            if row[key]:
                about = f"{label} of {row['method']}"
                found = Recomputed(None, NO_TIMES)
                yield _figure(f"{key}_{row['method']}", "Table 1", about, row[key], "Table 1", found, own.of(key))


def _of_attribution(paper: Printed, lines: Sequence[Explained], own: Ours) -> Iterable[Figure]:
    computed = {f"{one.rate}_{one.quantity}": one for one in lines}
    for row in paper.rows[FIGURES]:
        if _is_of_attribution(key := row["figure"]):
            one = computed[key]
            table = 3 if one.rate == "correctness" else 4
            found, ours = Recomputed(one.computed, f"Table {table}, ridge λ = 1"), own.of("explained")
            yield _figure(key, "Method or category", row["about"], row["value"], row["place"], found, ours)


def _is_of_attribution(key: str) -> bool:
    return key.partition("_")[2] in QUANTITIES


def _methods(row: Mapping[str, str]) -> list[str]:
    return [name for name in row if name not in NOT_METHODS]


def _table(found: Sequence[Figure]) -> Table:
    columns: tuple[Field[Figure], ...] = (
        Field("figure", "Figure", lambda one: Cell(one.about, one.figure)),
        text_field("about", "", lambda one: one.about, on_page=False),
        Field("printed", "Printed", lambda one: Cell(one.printed, one.printed, note=one.place), is_number=True),
        text_field("place", "", lambda one: one.place, on_page=False),
        Field("recomputed", "Recomputed", lambda one: recomputed_cell(one.recomputed, one.digits), is_number=True),
        Field("agreeing", "Digits that agree", lambda one: digits_cell(one.recomputed, one.agreeing, one.digits)),
        hidden("digits", lambda one: one.digits, type="integer"),
        text_field("basis", "From what, or why not", lambda one: one.basis),
        Field("measured", "Measured here", lambda one: Cell(one.measured, one.measured, one.measured_at)),
    )
    parts = dict.fromkeys(one.part for one in found)
    groups = [RowGroup(tuple(one for one in found if one.part == part), part) for part in parts]
    return grouped(
        "figures", "Every figure with its place, and what follows from public data", columns, groups, NOT_LOADED
    )
