"""Metrics of KernelBench-X (arXiv 2605.04956) that the site gives for results measured here as well."""

from __future__ import annotations

from leaderboard.pages.metrics.formulas import Metric

METRICS: tuple[Metric, ...] = (
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
