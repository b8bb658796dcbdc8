"""pass@k: how many tasks at least one of k samples of a configuration solves.

A configuration's runs are its samples: each begins anew and knows nothing of the others. The iterations of one session
are no samples, since each has seen the reports on those before it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import comb

from leaderboard.statistics.limits import MISSING
from leaderboard.statistics.results import ResultMatrix

KS = (1, 2, 3, 5, 10)
NO_SAMPLES = "A reference line submits known candidates: its runs are no samples."


@dataclass(frozen=True, slots=True)
class PassAtK:
    k: int
    tasks: float | None  # that k samples are expected to solve
    of: int  # tasks
    share: float | None  # pass@k: the mean over tasks
    refused: str | None


def pass_at_k(results: ResultMatrix, k: int, *, is_sampled: bool = True) -> PassAtK:
    """Estimate without bias from n ≥ k runs, of which c solve a task: 1 − C(n − c, k) / C(n, k), the mean over tasks.

    The sum is one of whole numbers, so that it is exact up to its last step. There is no number from fewer than k runs.
    """
    runs, tasks = results.runs, results.tasks
    refused = None
    if not is_sampled:
        refused = NO_SAMPLES
    elif runs < k:
        refused = f"pass@{k} needs {k} runs of the configuration; there {'is' if runs == 1 else 'are'} {runs}."
    elif not results.is_complete:
        refused = MISSING
    if refused:
        return PassAtK(k, None, tasks, None, refused)
    subsets, solved = comb(runs, k), Counter(results.correct.sum(axis=1).tolist())
    hits = sum(count * (subsets - comb(runs - right, k)) for right, count in solved.items())
    return PassAtK(k, hits / subsets, tasks, hits / (subsets * tasks), None)
