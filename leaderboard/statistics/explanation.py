"""What explains that results pass: the entry or the type of task, with the assumptions of the model tested.

The task is the unit: an entry's outcome on a task is the share of its runs that pass. Logistic models and χ² take the
outcomes for independent draws. They are not where entries agree about single tasks, so χ² has a p only where no test
says so, and the permutation tests have theirs always.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leaderboard.statistics.attribution import (
    SEPARATED,
    Attribution,
    Dispersion,
    Separation,
    attribution,
    chi_squared_p,
    dispersion,
    separation,
)
from leaderboard.statistics.comparisons import SIGNIFICANT
from leaderboard.statistics.limits import MIN_TASKS_FOR_COMPARISON, too_few
from leaderboard.statistics.permutations import Dependence, PermutedEffects, dependence, effects
from leaderboard.statistics.results import Integers, Numbers

MIN_ENTRIES = 3  # with two, the entry's part is a comparison of these two
LEAST_OF_EACH = 5  # passes and failures of each entry and of each type, below which ΔD does not follow χ²
ONE_TYPE = "All tasks are of one type and one category, so that there is nothing to attribute to it."
ALL_ALIKE = "All results are alike, so that there is nothing to explain."


@dataclass(frozen=True, slots=True)
class ChiSquared:
    """Chances of a ΔD at least as large, without a ridge."""

    category_p: float
    method_p: float


@dataclass(frozen=True, slots=True)
class Explanation:
    ridge: Attribution
    plain: Attribution | None  # without a ridge; None where it has no finite fit
    separation: Separation
    dispersion: Dispersion | None
    dependence: Dependence | None
    least: float  # passes or failures of the entry or type that has the fewest
    permuted: PermutedEffects
    chi_squared: ChiSquared | None
    no_chi_squared: tuple[str, ...]  # the assumptions that do not hold, or cannot be tested


def why_no_explanation(entries: int, tasks: int, groups: int) -> str | None:
    """Reason why a board of that size has no attribution; None where it has one."""
    if entries < MIN_ENTRIES:
        are = "is" if entries == 1 else "are"
        return f"An attribution needs {MIN_ENTRIES} complete entries that solve a task; there {are} {entries}."
    return too_few(tasks, MIN_TASKS_FOR_COMPARISON, "An attribution needs") or (ONE_TYPE if groups < 2 else None)


def explain(outcomes: Numbers, groups: Integers, *, has_repeats: bool = False) -> Explanation | str:
    """Explain outcomes (entries × tasks), or say why not. `groups`: the type of each task, counted from 0.

    `has_repeats`: an entry has several runs.
    """
    refused = why_no_explanation(len(outcomes), len(groups), len(set(groups.tolist())))
    if refused or outcomes.min() == outcomes.max():
        return refused or ALL_ALIKE
    member = np.eye(int(groups.max()) + 1)[groups]
    passed = outcomes @ member
    of = np.broadcast_to(member.sum(axis=0), passed.shape)
    separated = separation(passed, of)
    plain = None if separated.is_separated else attribution(passed, of, ridge=0.0)
    spread = dispersion(passed, of, is_separated=separated.is_separated)
    agreement = dependence(outcomes, groups)
    least = min(float(side.sum(axis=axis).min()) for side in (passed, of - passed) for axis in (0, 1))
    reasons = _why_no_chi_squared(separated, spread, agreement, least, has_repeats=has_repeats)
    return Explanation(
        ridge=attribution(passed, of),
        plain=plain,
        separation=separated,
        dispersion=spread,
        dependence=agreement,
        least=least,
        permuted=effects(outcomes, groups),
        chi_squared=None if plain is None or reasons else _chi_squared(plain),
        no_chi_squared=reasons,
    )


def _chi_squared(found: Attribution) -> ChiSquared:
    return ChiSquared(
        chi_squared_p(found.category_added, found.category_df), chi_squared_p(found.method_added, found.method_df)
    )


def _why_no_chi_squared(
    separated: Separation,
    spread: Dispersion | None,
    agreement: Dependence | None,
    least: float,
    *,
    has_repeats: bool,
) -> tuple[str, ...]:
    """Every reason, in the order in which the page lists the assumptions."""
    reasons = (
        SEPARATED if separated.is_separated else None,
        _why_spread(spread),
        "Entries agree about single tasks." if agreement is None or agreement.p < SIGNIFICANT else None,
        f"An entry or a type has fewer than {LEAST_OF_EACH} passes or failures." if least < LEAST_OF_EACH else None,
        "Runs of one entry on one task are not independent." if has_repeats else None,
    )
    return tuple(filter(None, reasons))


def _why_spread(spread: Dispersion | None) -> str | None:
    if spread is None or spread.p is None:
        return "Whether cells vary more than binomial counts cannot be tested."
    return "Cells vary more than binomial counts do." if spread.p < SIGNIFICANT else None
