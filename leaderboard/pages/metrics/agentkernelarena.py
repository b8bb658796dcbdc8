"""Metrics of AgentKernelArena (arXiv 2605.16819) that the site gives for its printed tables and for submitted runs."""

from __future__ import annotations

from leaderboard.formatting import LEAST_FOR_PERCENT, plural
from leaderboard.pages.metrics.formulas import Metric

METRICS: tuple[Metric, ...] = (
    Metric(
        "printed-checks",
        "Checks of a printed row",
        "|20·c + 100·y + 100·s̄ − score| ≤ 0.55,   x[⌊h⌋+1] ≥ P if P = (1 − f)·x[⌊h⌋] + f·x[⌊h⌋+1],   "
        "(σ²·(K − 1)/K + s̄²) / s̄ ≤ largest ≤ s̄ + σ·(K − 1)/√K",
        "c and y are the shares of results that compile and are correct, as the whole numbers that the percentages "
        "stand for. 0.55 points is half the last printed digit of the mean speedup s̄ and of the score. Of the K "
        "sorted speedups x of a row, a printed quantile P bounds those on either side of it, at h = 1 + (K − 1)·p or "
        "(K + 1)·p, and fast_p says how many are at least p. The least spread σ and the largest geometric mean are "
        "those of K numbers within these ends that are otherwise equal and add up to K·s̄; the largest spread has all "
        "that is left in one task. The fastest task's share of the mean is largest / (K·s̄).",
        "They test what is printed, not whether it is right. Nothing public has the speedups of single tasks.",
    ),
    Metric(
        "arena-claims",
        "A submitted run in AgentKernelArena's columns",
        "compiled, correct: x of N tasks;   mean = Σ s / N;   score = 20·compiled + 100·correct + 100·mean;   "
        "geometric mean over s > 0;   fast_p = #(s ≥ p) / N",
        "N is all 196 tasks or those of a category: a task that the run does not have counts as wrong. s is the "
        "speedup from the run's own times, or else as claimed, and 0 unless the kernel is claimed to be correct and "
        "its times are plausible. There is no mean over categories, whose clocks differ. A bundle is one run, so it "
        "has no σr. On unseen inputs, the rate is #(both pass) / #(original passes).",
        f"Claims, not measured here. There is no percentage of fewer than {plural(LEAST_FOR_PERCENT, 'task')}.",
    ),
)
