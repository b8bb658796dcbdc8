"""The formulas behind every number that pages show, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from evaluator.records.record import PROTOCOL
from evaluator.thresholds import CENSOR_NS, ELIGIBLE_E0, ELIGIBLE_NS
from leaderboard.encoding import SCREEN
from leaderboard.formatting import milliseconds, plural
from leaderboard.pages.base import Link, Page, Query, by_slug
from leaderboard.pages.metrics.boards import BOARD_METRICS
from leaderboard.pages.metrics.values import Metric
from leaderboard.statistics.limits import INTERVAL_FROM_TASKS, SECRET_COUNTS_FROM_TASKS, UNSEEN_SPEED_FROM_TASKS
from leaderboard.tables import Cell, Field, Table, table, text_field
from leaderboard.words import FLAGS, GATES, STATUSES, Word, status_cell


@dataclass(frozen=True, slots=True)
class Term:
    code: str
    name: str
    means: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsPage(Page):
    protocol: str
    metrics: tuple[Metric, ...]
    gates: tuple[Term, ...]
    statuses: tuple[Term, ...]
    flags: tuple[Term, ...]
    sections: tuple[Link, ...] = field(metadata=SCREEN)


METRICS = (
    Metric(
        "rates",
        "Compilation and correctness",
        "x of n = Σ compiled / (K·R), Σ correct / (K·R)",
        "K is the number of tasks of the suite in this category, fixed before any candidate; R is the number of "
        "published runs. A result is correct if every case and every draw came out right, and no later gate turned it "
        "away: one wrong element is a wrong result, a forged clock is none. Rates are always written as x of n (p %).",
        "While an answer is missing there is no rate, only what it can still become: from all of the missing ones "
        "failing to all of them passing.",
    ),
    Metric(
        "wilson",
        "Interval of a rate",
        "(p + z²/2n ± z·√(p(1 − p)/n + z²/4n²)) / (1 + z²/n),  z = 1.960,  n = K·R / (1 + (R − 1)·ρ)",
        "Wilson's 95 % interval. Runs on one task resemble each other, so they are not counted as independent: ρ "
        "is the intraclass correlation of one-way ANOVA over tasks, cut to [0, 1]. Where all runs of every task agree, "
        "n = K.",
        f"Below {plural(INTERVAL_FROM_TASKS, 'task')} there is no interval: it would reach from little to almost all.",
    ),
    Metric(
        "rank",
        "Rank",
        "1 + number of ranked entries with a higher value",
        "By the unrounded usable speedup where the device has a clock, else by the unrounded rate of right answers. "
        "Exactly equal values share a rank: 1, 2, 2, 4. A board never mixes suites, device classes or protocols.",
        "Not ranked: reference lines; entries with an answer that is missing, errored, not judged, cancelled, on "
        "hold, timed by another protocol, or from a host that is not calibrated or not accepted; results that an audit "
        "found hacked, contaminated or spoilt by the harness.",
    ),
    *BOARD_METRICS,
    Metric(
        "error",
        "Error of a case",
        "RMS(y − r) / RMS(r) ≤ max(4·e_baseline, c·eps(dtype)·√n)   and   "
        "|y − r| ≤ max(4·w_baseline, τ)·(RMS(r) + |r|)",
        "y is the candidate's output, r the reference in double precision; the second holds for every element. "
        "e_baseline is the baseline's own error on draws of the same kind, w_baseline its worst element's. c, n and τ "
        "stand in each task, with the reason. The table shows the worst draw of each case.",
        "A NaN is right only where the task allows it and the reference has it too.",
    ),
    Metric(
        "ratio",
        "Ratio of a case on t_dev",
        "mean over sessions of mean over blocks of (log median(baseline) − log median(candidate))",
        "t_dev is the device's time of one call, its launch hidden, caches cold: the only clock that ranks. A session "
        "has fresh processes on both sides and ten blocks of calls in ABBA order; there are three, and up to six while "
        "the interval is wide. The 95 % interval takes in what differs between sessions: at least the spread of this "
        "host's own A/A sessions. A candidate below two empty pairs of events, or below "
        f"{milliseconds(CENSOR_NS / 1e6)}, is read as that long: its ratio is censored, and printed as “≥”.",
        f"A case counts for speed from a baseline of {milliseconds(ELIGIBLE_NS / 1e6)} on, and of "
        f"{ELIGIBLE_E0:.0f} empty pairs of events. Below, it counts for correctness only.",
    ),
    Metric(
        "speedup",
        "Speedup of a task on t_dev",
        "exp(mean over eligible cases of the log ratio)",
        "Metrics take a noisy case by the end of its interval nearer to 1, and as 1 where the interval holds 1.",
        "A case without a ratio fails the task. Without an eligible case there is no speedup.",
    ),
    Metric(
        "roofline",
        "Share of the roofline",
        "max(bytes / peak bytes a second, operations / peak operations a second) / t_dev",
        "Bytes and operations are those of the task's model: what any algorithm must move and compute on the case, "
        "with cold caches. Peaks are dense figures of data sheets at boost clock (H100 and H200 SXM: 3.35 and "
        "4.8 TB/s, 989 TFLOP/s in 16 bits, 67 in float32; MI300X: 5.3 TB/s, 1307 and 163 TFLOP/s).",
        "Shown on a result, never ranked. None for a device or a dtype without a figure here.",
    ),
    Metric(
        "functional",
        "Functional times",
        "median of three interleaved calls a side",
        "Times of a CPU that stands in for a GPU: Triton's interpreter, or HIP waves as fibers. They show that a "
        "kernel ran, and they say nothing about a GPU.",
        "No speedup, no rank, no mean is made of them. They stand on each result's own page only.",
    ),
    Metric(
        "clocks",
        "Clocks of the papers",
        "aka_loop = one event pair of 100 calls / 100,  aka_events = mean of 100 event pairs,  kbx_do_bench = median",
        "aka_loop is AgentKernelArena's clock for HIP to HIP and PyTorch to HIP: after 10 calls to warm up, one pair "
        "of device events around 100 calls, divided by their number. aka_events is its clock for Triton to Triton: "
        "after 10 calls, a pair of events around each of 100, and their mean. kbx_do_bench is KernelBenchX's clock: "
        "the median of Triton's do_bench, whose warm-up and repeats are given in milliseconds, not in calls.",
        "A result's speedup on its paper's clock is the arithmetic mean over cases, and always stands with the clock's "
        "name. None enters a rank, and none is mixed with another clock. kbx_do_bench is not measured here yet.",
    ),
    Metric(
        "quadrant",
        "Quadrant of an answer on unseen cases",
        "b = all cases right with the baseline,  y = all with the candidate:  both pass (b, y), improved (¬b, y), both "
        "fail (¬b, ¬y), regression (b, ¬y)",
        "Baseline and candidate are tried on the same unseen cases of a round, each against the reference. This is the "
        "paper's rule. The strict one calls an answer a regression as soon as a single case has b and not y, whatever "
        "the baseline does elsewhere.",
        "A case that could not be judged through our fault is in no denominator. Its answer has no quadrant, and its "
        "entry is incomplete.",
    ),
    Metric(
        "conditional",
        "Conditional correctness",
        "Σ [y ∧ b] / Σ [b] over tasks and runs, by the paper's rule; over cases: Σ [y_c ∧ b_c] / Σ [b_c]",
        "Of the answers whose baseline is right on all unseen cases, those whose candidate is too. It counts answers "
        "that never worked on the seen cases. Over cases it is also told by config category: what a case changes. Each "
        "run by itself, and the mean of the runs, stand in the CSV of runs.",
        f"The interval is Wilson's with the task as the unit, from {plural(INTERVAL_FROM_TASKS, 'task')} on. Where the "
        "baseline is right nowhere there is no rate.",
    ),
    Metric(
        "retention",
        "Retention",
        "Σ [y ∧ b] / Σ [b] over tasks and runs whose seen cases passed",
        "What generalization alone costs: conditional correctness without the answers that were wrong before.",
        "As for conditional correctness.",
    ),
    Metric(
        "gap",
        "Generalization gap",
        "Δg = (s_seen − s_unseen) / s_seen,  absolute gap = s_seen − s_unseen",
        "s is the arithmetic mean of speedups on t_dev: over the eligible cases of a task, then over the same answers "
        "on both sides, those in both pass. Above 0: the optimisation is worth less on unseen cases. In the CSV of "
        "speeds. One task can carry most of a mean: the part of the largest stands beside it.",
        f"Below {plural(UNSEEN_SPEED_FROM_TASKS, 'task')} in both pass with eligible cases on both sides there is no "
        "statement on unseen speed. Functional times make none at all.",
    ),
    Metric(
        "transfer",
        "Transfer ratio",
        "exp(mean over tasks of the mean over runs of (log s_unseen − log s_seen))",
        "The geometric counterpart of the gap: 1 means that an optimisation is worth as much on unseen cases as on "
        "seen ones; one task cannot carry it. log s is the mean of the log ratios over eligible cases. The 95 % "
        "interval is Student's t over tasks. In the CSV of speeds.",
        "As for the gap.",
    ),
    Metric(
        "secret",
        "Counts before a round is revealed",
        "the number of answers in each quadrant, over the whole suite",
        "Unseen cases follow from a secret whose hash is published before. Until the secret is, nothing about a case, "
        "a task or a time is shown.",
        f"In suites of fewer than {plural(SECRET_COUNTS_FROM_TASKS, 'task')}, by category, and while an answer of the "
        "entry has no verdict: single tasks could be told from it.",
    ),
    Metric(
        "attribution",
        "What explains success",
        "1 − D/D₀,   D = −2 log L,   log L − λ/2·Σβ² at its largest, λ = 1",
        "A logistic model of right answers on one indicator for each method, each category, or both, and D₀ of the "
        "model that knows neither. Δ log L is what the second set adds to the first. Shown for KernelBench-X, whose "
        "printed category tables give the counts.",
        "It says nothing on single tasks, and no rank is made of it.",
    ),
    Metric(
        "published",
        "Published figures",
        "as printed",
        "Tables of papers are shown with the paper's own columns, its device and its clock.",
        "They are never ranked with what was measured here, never expanded into results, never mixed into a mean.",
    ),
)


def build(query: Query) -> MetricsPage:
    statuses = tuple(Term(code, word.label, word.meaning) for code, word in STATUSES.items())
    flags = tuple(Term(code, label, text) for code, (label, text) in FLAGS.items())
    gates = tuple(Term(name, name, text) for name, text in GATES.items())
    return MetricsPage(
        title="Metrics explained",
        lead="Every number on these pages is one of the following, and nothing else.",
        crumbs=(Link("ArenaBoard", "/"),),
        tables=by_slug(_statuses_table(), _flags_table(flags)),
        protocol=PROTOCOL,
        metrics=METRICS,
        gates=gates,
        statuses=statuses,
        flags=flags,
        sections=tuple(Link(metric.name, f"#{metric.slug}") for metric in METRICS),
    )


def _statuses_table() -> Table:
    whose = {"good": "the candidate's", "bad": "the candidate's", "ours": "says nothing about it", "open": "not ended"}
    columns: tuple[Field[tuple[str, Word]], ...] = (
        Field("status", "Status", lambda row: status_cell(row[0])),
        text_field("means", "It means", lambda row: row[1].meaning),
        text_field("whose", "Whose", lambda row: whose[row[1].tone]),
    )
    return table("statuses", "How an evaluation can stand or end", columns, STATUSES.items(), "")


def _flags_table(flags: Sequence[Term]) -> Table:
    columns: tuple[Field[Term], ...] = (
        Field("code", "Flag", lambda term: Cell(term.name, term.code)),
        text_field("means", "It means", lambda term: term.means),
    )
    return table("flags", "Flags: what readers of a number must know", columns, flags, "")
