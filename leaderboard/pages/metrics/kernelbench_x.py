"""Metrics of KernelBench-X (arXiv 2605.04956) that the site gives for results measured here as well."""

from __future__ import annotations

from leaderboard.pages.metrics.formulas import Metric

METRICS: tuple[Metric, ...] = (
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
