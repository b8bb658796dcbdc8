"""The failures that appendix I of AgentKernelArena's paper reports, in their facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.pages.section import Section, Shown
from leaderboard.tables import Cell, Field, RowGroup, Table, grouped, text_field
from leaderboard.words import CATEGORIES

SEEN, UNSEEN = "On seen inputs", "On unseen inputs alone"


@dataclass(frozen=True, slots=True)
class FailureCase:
    inputs: str
    category: str
    task: str  # as the benchmark names it; empty for several
    configuration: str
    cause: str
    seen: str  # its speedup on seen inputs, if it is printed


CASES = (
    FailureCase(
        SEEN,
        "torch2hip",
        "",
        "mostly Cursor Agent · GPT-5.4 High",
        "no PYBIND11_MODULE, so that the library has no PyInit function: 7 of 24 tasks a run",
        "",
    ),
    FailureCase(
        SEEN,
        "hip2hip",
        "",
        "several, without a pattern",
        "outputs beyond the tolerance, in 1 or 2 tasks a run at most",
        "",
    ),
    FailureCase(
        SEEN,
        "triton2triton",
        "",
        "mostly Cursor Agent · Composer 2",
        "both branches of a condition give one name different types (int1 and int8), which only some parameters reach",
        "",
    ),
    FailureCase(
        SEEN, "triton2triton", "moe_gemm", "not said", "right in float16, beyond the tolerance of 8-bit floats", ""
    ),
    FailureCase(
        UNSEEN,
        "torch2hip",
        "Feedforward",
        "Cursor Agent · Opus 4.7 High",
        "shared memory for 32 rows (MAX_ROWS); the unseen input has 64",
        "9.6",
    ),
    FailureCase(
        UNSEEN,
        "hip2hip",
        "KDLoss",
        "Claude Code · Opus 4.6",
        "shared memory for 32 channels (MAX_C); the unseen input has 37",
        "28.9",
    ),
    FailureCase(
        UNSEEN,
        "triton2triton",
        "count_expert_tokens",
        "Cursor Agent · Composer 2",
        "tl.histogram, whose number of bins has to be a power of 2; the unseen number of experts is none",
        "",
    ),
    FailureCase(
        UNSEEN,
        "triton2triton",
        "fla_fused_recurrent",
        "Claude Code · Opus 4.6",
        "errors add up at another sequence length: the largest difference is 4.70",
        "",
    ),
)


def section() -> Section:
    return Section(
        slug="failures",
        title="Failures that appendix I reports",
        text="Kinds of failure and single cases. The paper prints no outcomes of the other tasks.",
        tables=(Shown(_table(CASES), "prose-table"),),
    )


def _table(cases: Sequence[FailureCase]) -> Table:
    columns: tuple[Field[FailureCase], ...] = (
        text_field("inputs", "Inputs", lambda one: one.inputs, on_page=False),
        Field("category", "Category", lambda one: Cell(CATEGORIES[one.category], one.category)),
        text_field("task", "Task", lambda one: one.task or "several"),
        text_field("configuration", "Configuration", lambda one: one.configuration),
        text_field("cause", "Cause", lambda one: one.cause),
        Field("seen", "Speedup on seen inputs", _seen_cell, is_number=True),
    )
    groups = [RowGroup(tuple(one for one in cases if one.inputs == inputs), inputs) for inputs in (SEEN, UNSEEN)]
    return grouped("failures", "Failures by the inputs on which they show", columns, groups, "")


def _seen_cell(one: FailureCase) -> Cell:
    return Cell(f"{one.seen}×", one.seen) if one.seen else Cell("not printed")
