"""Metrics of KernelBench-X (arXiv 2605.04956) that the site gives for results measured here as well."""

from __future__ import annotations

from leaderboard.pages.metrics.formulas import Metric

METRICS: tuple[Metric, ...] = (
    Metric(
        "trajectory",
        "Iterations of agent sessions",
        "x of n after iteration k = Σ right(v(min(k, m))) / n,   mean = Σ u / t,   geometric mean = exp(Σ ln u / t)",
        "n is the number of an entry's sessions on the board (tasks × runs), m the number of versions that a session "
        "had checked, v(i) its i-th version and u the speedup of a right version; t of them have one. A session with "
        "fewer than k versions is carried on from its last one. “Best so far” instead takes right and u from the best "
        "of the versions 1 to k. Compiled: it got as far as its calls. Checks draw inputs of their own, so these are "
        "not the central evaluation's verdicts.",
        "A version that has no verdict through no fault of its own counts as neither right nor compiled, and is named. "
        "Without a device clock there is no speed. There is no score: a session records no times, so no share of a "
        "peak.",
    ),
    Metric(
        "rescued",
        "Rescued, persistent and lost",
        "rescued: wrong(v(k)) and right(v(k+1)),   persistent: right and right,   lost: right and wrong",
        "Counted over the sessions that have both versions, without carrying on. Speedups are those of the later "
        "version: their mean, with the largest one's share of the sum, and their geometric mean. Of two right versions "
        "the later is faster or slower where the speedups differ by at least 1 %.",
        "A pair of which one version has no verdict is in none of them.",
    ),
    Metric(
        "edit-kinds",
        "Kinds of edit",
        "a kind applies where the pieces of code that its pattern finds differ between two neighbouring versions",
        "Pieces are compared as they stand, without spaces, and by how often they occur; comments and string literals "
        "do not count. A pair may have several kinds, so they add up to more than all pairs. Mask: masks, fill values, "
        "bounds checks. Data type: dtypes and casts. Index arithmetic: strides, offsets, indices. Launch: grid, block "
        "sizes, warps, autotuning. Algorithm: loops, reductions, products, shared memory, number of kernels. "
        "Delegated operator: one of PyTorch or a library, introduced or removed. No substantial change: only comments, "
        "strings and spaces differ. Other: the code differs in none of these ways. The first version of a session, "
        "which is compared with the task's own source, is no pair.",
        "A pair is not counted where a source or the session's record is missing.",
    ),
)
