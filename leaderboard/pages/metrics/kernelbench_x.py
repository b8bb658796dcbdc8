"""Metrics of KernelBench-X (arXiv 2605.04956) that the site gives for results measured here as well."""

from __future__ import annotations

from leaderboard.pages.metrics.formulas import Metric

METRICS: tuple[Metric, ...] = (
    Metric(
        "kbx-stages",
        "Two stages of correctness",
        "compiled: x of K·R,  correct: y of K·R,  correct of compiled: y of x,  slower: #(speedup < 1) of those timed",
        "KernelBench-X's call accuracy, its execution accuracy and the conversion of one into the other, over the K "
        "tasks of its suite or of one of its categories and the R published runs of an entry. As everywhere here, a "
        "kernel compiles if it builds, and is correct if every case is on every draw of inputs and no later gate "
        "rejects it. Cells say x of n, with a percentage only from 10 tasks on. An entry on one device class and under "
        "one protocol is counted by itself. Submitted runs count by the benchmark's own rule, in which a missing task "
        "is wrong; printed percentages are shown as printed, and stand for whole tasks.",
        "While a result is missing there is no percentage, and its cell of a heat map has no shade.",
    ),
    Metric(
        "kbx-speedup",
        "KernelBench-X's speedup",
        "s = Σ t(PyTorch eager) / Σ t(candidate) over the task's full cases, on kbx_do_bench;   "
        "mean of s over correct results, run by run, ± σr",
        "The paper's speedup of a task divides all of the reference's time by all of the candidate's, so long cases "
        "weigh most, and its overall table averages over correct results alone: an entry that solves the easy tasks "
        "may have a higher mean than one that solves all. The baseline in PyTorch to Triton is the task's PyTorch "
        "module, run eagerly. The geometric mean, exp(mean log s) over the same results, and σr, the standard "
        "deviation between runs, are our additions.",
        "None where a correct result lacks the clock on one full case, as all do that were measured before it was "
        "taken; none while a result is missing. Entries are not ranked by it.",
    ),
)
