"""Metrics of KernelBench-X (arXiv 2605.04956) that the site gives for results measured here as well."""

from __future__ import annotations

from leaderboard.pages.metrics.formulas import Metric
from leaderboard.statistics.limits import MIN_TASKS_FOR_PERCENT
from leaderboard.statistics.samples import KS

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
    Metric(
        "pass-at-k",
        "pass@k",
        "mean over tasks of 1 − C(n − c, k) / C(n, k)",
        "The share of tasks that at least one of k independent samples solves, estimated without bias from n ≥ k "
        "samples, of which c are correct (Chen et al., arXiv 2107.03374). The n samples are the public runs of one "
        "configuration, repeated: each begins anew. The iterations of a session are no samples, since each has seen "
        "the reports on those before it; nor are the repeats of a program without chance, which writes the same each "
        "time. pass@1 is the rate of correct results. A leaderboard shows the largest k of "
        f"{', '.join(map(str, KS))} that some entry has enough runs for; CSV and JSON have them all.",
        f"There is none from fewer than k runs, for reference lines, or while a result is missing. Below "
        f"{MIN_TASKS_FOR_PERCENT} tasks it is written as the number of tasks that k samples are expected to solve, x "
        "of n. It has no interval: Wilson's is for counts, and Student's t for means of a logarithm.",
    ),
)
