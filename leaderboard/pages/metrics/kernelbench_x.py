"""Metrics of KernelBench-X (arXiv 2605.04956) that the site gives for results measured here as well."""

from __future__ import annotations

from leaderboard.pages.metrics.formulas import Metric
from leaderboard.statistics.limits import MIN_TASKS_FOR_PERCENT
from leaderboard.statistics.samples import KS

METRICS: tuple[Metric, ...] = (
    Metric(
    ),
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
    Metric(
    ),
    Metric(
        "code-quality",
        "Code quality",
        "index = max(0, min(100, (171 − 5.2·ln V − 0.23·C − 16.2·ln L)·100/171)),  V = N·log₂ n,  "
        "complexity of a function = 1 + its branches",
        "Of the files that a candidate's author wrote, never of a task's test or reference. The kernel part is what "
        "triton.jit compiles, or in HIP and CUDA what __global__ or __device__ marks; the host part is the rest. "
        "Comments, docstrings and layout are removed first, and the index has no bonus for comments. Python is "
        "measured by radon: V is Halstead's volume, of N operators and operands of n kinds; L counts logical lines, a "
        "statement with a colon inside, such as a slice, as two; C is the complexity of the whole part. A function's "
        "cyclomatic complexity counts if, for, while, except, and, or, conditional expressions and comprehensions, and "
        "each function inside another for itself. HIP and CUDA have complexity by lizard; their lines are those that "
        "are neither blank nor a comment, from a function's name on. An entry has medians over its correct results. "
        "A bundle's claimed index is shown as claimed: KernelBench-X measures candidate and test in one file, with the "
        "bonus for comments.",
        "A source that does not parse, is too large or nested too deeply is not measured, and the result's page says "
        "so. There is no index of HIP or CUDA, and none of a part without an operator, whose volume of 0 has no "
        "logarithm (radon says 100).",
    ),
    Metric(
        "static-proxies",
        "Static proxies of a task",
        "assignments, calls of torch, max over functions of complexity, statements",
        "Counts over the PyTorch module that a task starts from, inside functions: assignments of every form; calls of "
        "what the module imported from torch, so no methods of tensors; the largest cyclomatic complexity, by radon; "
        "and the span, which is the number of statements. KernelBench-X correlates such counts with failure and does "
        "not define them further; these definitions are ours.",
        "A task that starts from a kernel has none.",
    ),
)
