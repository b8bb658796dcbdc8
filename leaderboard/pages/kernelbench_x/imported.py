"""Submitted KernelBench-X runs: their rates by category and their speedups, by the rules of KernelBench-X.

All of it is claimed, none of it was measured here. A run is one bundle. A corpus of refinement rounds contains only
what changed from one round to the next, so it has no rates, but shows what was rescued and what was correct before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum
from statistics import fmean, geometric_mean, median

from evaluator.bundles.kernelbenchx.golden import SUITE
from evaluator.bundles.tasklists import tasks_of
from leaderboard.pages.attribution.facts import RateName
from leaderboard.pages.kernelbench_x.claimed_efficiency import ClaimedEfficiency, claimed_efficiency
from leaderboard.pages.kernelbench_x.imported_attribution import explanations
from leaderboard.pages.kernelbench_x.quality import ClaimedQuality, claimed_quality
from leaderboard.pages.kernelbench_x.rates import CategoryCount
from leaderboard.pages.papers.bundles import name_of, stated
from leaderboard.queries import bundles as bundle_queries
from leaderboard.queries import kernelbench_x as queries
from leaderboard.queries.bundles import BundleRow
from leaderboard.queries.kernelbench_x import KernelBenchXClaimRow
from leaderboard.statistics.explanation import Explanation
from leaderboard.statistics.top_task import TopTask, top_task
from leaderboard.words import operator_type

QUANTIZED = "Quantization"


@dataclass(frozen=True, slots=True)
class ImportedRun:
    """A submitted run. Speedups are over correct kernels with times, None where there is none."""

    submission: int
    name: str  # self-declared
    machine: str  # whose golden results are the baseline; empty if not stated
    tasks: int
    compiled: int
    correct: int
    categories: tuple[CategoryCount, ...]
    timed: int
    mean_speedup: float | None  # the paper's
    top_task: TopTask | None  # the largest share of one task in that mean
    geometric_mean_speedup: float | None
    global_speedup: float | None  # Σ baseline / Σ candidate
    median_speedup: float | None
    slower: int  # timed kernels that are slower than the baseline
    is_recomputed: bool  # speedups come from the bundle's own times, not only as claimed
    quantized: dict[str, str]  # task → status
    efficiency: ClaimedEfficiency  # of its correct kernels, from their claimed rates
    quality: ClaimedQuality


@dataclass(frozen=True, slots=True)
class ImportedRound:
    """The step from one refinement round to the next."""

    submission: int
    name: str
    rounds: str
    rescued: int  # incorrect before, correct after
    rescued_speedup: float | None  # mean, in the later round
    rescued_top: TopTask | None
    persistent: int  # correct before and after
    persistent_speedup: float | None
    persistent_top: TopTask | None
    lost: int  # correct before, incorrect after


@dataclass(frozen=True, slots=True)
class Unsolved:
    """Tasks of a category that no submitted run solved."""

    category: str
    tasks: int
    unsolved: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Imported:
    runs: tuple[ImportedRun, ...]
    rounds: tuple[ImportedRound, ...]
    unsolved: tuple[Unsolved, ...]
    explanations: dict[RateName, Explanation]  # of the newest run of each method
    not_explained: dict[RateName, str]  # why a rate has none


def imported() -> Imported:
    bundles = bundle_queries.bundles((queries.RUNS, queries.CORPUS))
    claims: dict[int, list[KernelBenchXClaimRow]] = {bundle.id: [] for bundle in bundles}
    for claim in queries.claims_of(list(claims)) if claims else []:
        claims[claim.submission].append(claim)
    runs = tuple(_run(bundle, claims[bundle.id]) for bundle in bundles if bundle.format == queries.RUNS)
    corpora = [bundle for bundle in bundles if bundle.format == queries.CORPUS]
    rounds = tuple(one for bundle in corpora for one in _rounds(bundle, claims[bundle.id]))
    solved = {claim.task for run in runs for claim in claims[run.submission] if is_correct(claim)}
    newest = {name_of(bundle): claims[bundle.id] for bundle in reversed(bundles) if bundle.format == queries.RUNS}
    found = explanations({name: (_tasks(own, is_compiled), _tasks(own, is_correct)) for name, own in newest.items()})
    return Imported(
        runs,
        rounds,
        _unsolved(solved) if runs else (),
        {rate: one for rate, one in found.items() if isinstance(one, Explanation)},
        {rate: one for rate, one in found.items() if isinstance(one, str)},
    )


def is_compiled(claim: KernelBenchXClaimRow) -> bool:
    return claim.claimed.get("call_ok") is True


def is_correct(claim: KernelBenchXClaimRow) -> bool:
    return is_compiled(claim) and claim.claimed.get("exe_ok") is True


def _tasks(claims: Sequence[KernelBenchXClaimRow], is_so: Callable[[KernelBenchXClaimRow], bool]) -> set[str]:
    return {claim.task for claim in claims if is_so(claim)}


def _run(bundle: BundleRow, claims: Sequence[KernelBenchXClaimRow]) -> ImportedRun:
    timed = [(claim, speedup) for claim in claims if (speedup := _speedup(claim))]
    speedups, machine = [speedup for _, speedup in timed], str(stated(bundle).get("golden_machine", ""))
    return ImportedRun(
        submission=bundle.id,
        name=name_of(bundle),
        machine=machine,
        tasks=len(tasks_of(SUITE)),
        compiled=sum(map(is_compiled, claims)),
        correct=sum(map(is_correct, claims)),
        categories=_categories(claims),
        timed=len(timed),
        mean_speedup=fmean(speedups) if speedups else None,
        top_task=_top(claims),
        geometric_mean_speedup=geometric_mean(speedups) if speedups else None,
        global_speedup=_global(timed),
        median_speedup=median(speedups) if speedups else None,
        slower=sum(speedup < 1 for speedup in speedups),
        is_recomputed=any(claim.recomputed_speedup for claim, _ in timed),
        quantized={claim.task: claim.status for claim in claims if _category(claim.task) == QUANTIZED},
        efficiency=claimed_efficiency(
            [claim for claim in claims if is_correct(claim) and claim.status == "passed"], machine
        ),
        quality=claimed_quality(bundle.id, name_of(bundle), [claim for claim in claims if is_correct(claim)]),
    )


def _speedup(claim: KernelBenchXClaimRow) -> float | None:
    """The speedup from its own times where it has a baseline, else as claimed; None unless the kernel is correct."""
    found = claim.recomputed_speedup or claim.claimed_speedup
    return found if is_correct(claim) and claim.status == "passed" and found and found > 0 else None


def _global(timed: Sequence[tuple[KernelBenchXClaimRow, float]]) -> float | None:
    """Σ baseline time / Σ kernel time over kernels with a time; the baseline's is speedup × time."""
    times = [(speedup, claim.claimed.get("runtime_ms")) for claim, speedup in timed]
    whole = [(speedup, float(time)) for speedup, time in times if isinstance(time, int | float) and time > 0]
    total = fsum(time for _, time in whole)
    return fsum(speedup * time for speedup, time in whole) / total if total else None


def _categories(claims: Sequence[KernelBenchXClaimRow]) -> tuple[CategoryCount, ...]:
    compiled = Counter(_category(claim.task) for claim in claims if is_compiled(claim))
    correct = Counter(_category(claim.task) for claim in claims if is_correct(claim))
    sizes = Counter(map(_category, tasks_of(SUITE)))
    return tuple(
        CategoryCount(operator_type(name), size, size, size, compiled[name], correct[name])
        for name, size in sorted(sizes.items())
    )


def _unsolved(solved: set[str]) -> tuple[Unsolved, ...]:
    by_category: dict[str, list[str]] = {}
    for task in tasks_of(SUITE):
        by_category.setdefault(_category(task), []).append(task)
    return tuple(
        Unsolved(name, len(tasks), tuple(task for task in tasks if task not in solved))
        for name, tasks in sorted(by_category.items())
    )


def _rounds(bundle: BundleRow, claims: Sequence[KernelBenchXClaimRow]) -> list[ImportedRound]:
    """The steps between neighbouring rounds, over the tasks that both contain."""
    rounds: dict[str, dict[str, KernelBenchXClaimRow]] = {}
    for claim in claims:
        rounds.setdefault(claim.attempt, {})[claim.task] = claim
    return [_round(bundle, (a, b), rounds[a], rounds[b]) for a, b in pairwise(sorted(rounds, key=_number))]


def _round(
    bundle: BundleRow,
    names: tuple[str, str],
    before: Mapping[str, KernelBenchXClaimRow],
    after: Mapping[str, KernelBenchXClaimRow],
) -> ImportedRound:
    pairs = [(before[task], after[task]) for task in before if task in after]
    rescued = [new for old, new in pairs if not is_correct(old) and is_correct(new)]
    persistent = [new for old, new in pairs if is_correct(old) and is_correct(new)]
    return ImportedRound(
        submission=bundle.id,
        name=name_of(bundle),
        rounds=" to ".join(name.replace("_", " ") for name in names),
        rescued=len(rescued),
        rescued_speedup=_mean(rescued),
        rescued_top=_top(rescued),
        persistent=len(persistent),
        persistent_speedup=_mean(persistent),
        persistent_top=_top(persistent),
        lost=sum(is_correct(old) and not is_correct(new) for old, new in pairs),
    )


def _mean(claims: Sequence[KernelBenchXClaimRow]) -> float | None:
    speedups = [speedup for claim in claims if (speedup := _speedup(claim))]
    return fmean(speedups) if speedups else None


def _top(claims: Sequence[KernelBenchXClaimRow]) -> TopTask | None:
    return top_task((claim.task, speedup) for claim in claims if (speedup := _speedup(claim)))


def _number(name: str) -> tuple[int, str]:
    """A sort key that puts round_10 after round_9."""
    digits = re.search(r"\d{1,9}$", name)
    return (int(digits.group()) if digits else -1, name)


def _category(task: str) -> str:
    return task.partition("/")[0]
