"""What explains success in submitted KernelBench-X runs, as on leaderboards, but as claimed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from evaluator.bundles.kernelbenchx.golden import SUITE
from evaluator.bundles.tasklists import tasks_of
from leaderboard.pages.attribution.facts import RateName, explained_parts
from leaderboard.pages.attribution.screen import assumptions_table, explained_table
from leaderboard.pages.base import Link
from leaderboard.pages.section import Section, Shown
from leaderboard.statistics.explanation import Explanation, explain

AS_CLAIMED = ", submitted runs, as claimed"


def explanations(runs: Mapping[str, tuple[set[str], set[str]]]) -> dict[RateName, Explanation | str]:
    """What explains each rate, of the tasks that each method claims to compile and to solve.

    A task that a run does not name counts as failed. Methods that solve nothing are left out, as in the paper.
    """
    tasks = sorted(tasks_of(SUITE))
    categories = [task.partition("/")[0] for task in tasks]
    names = sorted(set(categories))
    groups = np.array([names.index(one) for one in categories], dtype=int)
    solving = [sets for sets in runs.values() if sets[1]]
    rates: tuple[tuple[RateName, int], ...] = (("correctness", 1), ("compilation", 0))
    return {rate: explain(_outcomes([sets[at] for sets in solving], tasks), groups) for rate, at in rates}


def section(found: Mapping[RateName, Explanation | str]) -> Section:
    refused = next((one for one in found.values() if isinstance(one, str)), "")
    explained = explained_table(explained_parts(found), "category", refused, "imported_explained", AS_CLAIMED)
    assumptions = assumptions_table(found, refused, "imported_assumptions", AS_CLAIMED)
    return Section(
        slug="imported-explained",
        title="Runs submitted here: method or category?",
        text="Of each method the newest run. Computed as on the attribution page of each leaderboard, from claims.",
        links=(Link("The formula", "/metrics/#attribution"),),
        tables=(Shown(explained), *((Shown(assumptions, "prose-table"),) if assumptions.size else ())),
    )


def _outcomes(passed: Sequence[set[str]], tasks: Sequence[str]) -> np.ndarray:
    return np.array([[task in one for task in tasks] for one in passed], dtype=float).reshape(len(passed), len(tasks))
