"""The charts of a generalization page: quadrants, seen against unseen speedup, config categories."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from leaderboard.charts import Chart, PointGroup, Series, Spot, StackedChart, against, heat_map, stacked_bars
from leaderboard.formatting import percent, plural, rate, times
from leaderboard.pages.base import with_note
from leaderboard.pages.generalization.facts import SuiteCounts, UnseenEntry, UnseenResult
from leaderboard.statistics.generalization import Conditional, Quadrants
from leaderboard.words import CONFIG_CATEGORIES, QUADRANTS, role_note

SERIES = tuple(Series(key, word.label) for key, word in QUADRANTS.items() if key != "evaluation_error")


def revealed(entries: Sequence[UnseenEntry], results: Sequence[UnseenResult]) -> dict[str, Chart]:
    if not entries:
        return {}
    bars = [
        _bar(entry.name, entry.role, pooled.paper, pooled.conditional, pooled.retention)
        for entry in entries
        for pooled in (entry.measures.pooled,)
    ]
    found: list[Chart | None] = [_quadrants(bars), _speeds(entries, results), _categories(entries)]
    return {chart.slug: chart for chart in found if chart}


def before_reveal(counts: Sequence[SuiteCounts]) -> dict[str, Chart]:
    bars = [
        _bar(one.name, one.role, one.paper, one.conditional, one.retention)
        for one in counts
        if one.paper and one.conditional and one.retention
    ]
    return {"quadrants": _quadrants(bars)} if bars else {}


_Bar = tuple[str, str, Sequence[int], Sequence[str]]


def _bar(name: str, role: str, counts: Quadrants, conditional: Conditional, retention: Conditional) -> _Bar:
    missing = f"{counts.without_verdict} without a verdict" if counts.without_verdict else ""
    lines = (f"conditional correctness {_rate(conditional)}", f"retention {_rate(retention)}")
    return name, role_note(role, missing), [getattr(counts, series.key) for series in SERIES], lines


def _rate(found: Conditional) -> str:
    return rate(found.count, found.of) if found.of else "not known: the baseline is never correct"


def _quadrants(bars: Sequence[_Bar]) -> StackedChart:
    description = (
        "For each entry, the number of results in each quadrant: whether the baseline, the candidate, both or neither "
        "are correct on all unseen cases of the task."
    )
    note = (
        "Conditional correctness: of the results whose baseline is correct on every unseen case, the share whose "
        "candidate is too. Retention: the same among results that were correct on the seen cases."
    )
    return stacked_bars("quadrants", "Results by quadrant", description, "of results", SERIES, bars, note)


def _speeds(entries: Sequence[UnseenEntry], results: Sequence[UnseenResult]) -> Chart | None:
    """Scatter chart of unseen against seen speedups; None without a result that has both."""
    groups = _groups(entries)
    spots = [*_single_spots(groups, results), *_mean_spots(groups, entries)]
    if not spots:
        return None
    description = (
        "Speedup on seen cases across, on unseen cases up, both on logarithmic axes. On the dashed line an "
        "optimisation is worth as much on unseen cases as on seen ones."
    )
    note = (
        "Small marks are tasks, by the mean of their runs. Large lettered marks are an entry's mean over all its "
        "tasks, where there are enough. Colour is the model, shape the agent. Only eligible cases of results in "
        "“both pass”."
    )
    regions = ("faster on unseen cases than on seen ones", "slower on unseen cases")
    axes = ("speedup over the baseline on seen cases", "speedup over the baseline on unseen cases")
    return against("speeds", "Seen against unseen speedup", description, axes, regions, spots, note)


def _groups(entries: Sequence[UnseenEntry]) -> dict[str, PointGroup]:
    """Mark of each configuration: its number in the order of the page, a colour by model, a shape by agent."""
    models = list(dict.fromkeys(entry.model for entry in entries))
    agents = list(dict.fromkeys(entry.agent for entry in entries))
    return {
        entry.configuration: PointGroup(
            number,
            with_note(entry.name, role_note(entry.role)),
            models.index(entry.model),
            agents.index(entry.agent),
        )
        for number, entry in enumerate(entries, 1)
    }


def _single_spots(groups: dict[str, PointGroup], results: Sequence[UnseenResult]) -> list[Spot]:
    """One spot for each entry and task."""
    pairs: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for result in results:
        if result.paper == "both_pass" and result.seen and result.unseen:
            pairs[result.configuration, result.task].append((result.seen, result.unseen))
    return [
        _spot(groups[configuration], task, *(sum(side) / len(side) for side in zip(*of_one, strict=True)))
        for (configuration, task), of_one in pairs.items()
    ]


def _mean_spots(groups: dict[str, PointGroup], entries: Sequence[UnseenEntry]) -> list[Spot]:
    found = [(groups[entry.configuration], entry.measures.pooled.transfer) for entry in entries]
    return [
        _spot(group, f"mean over {plural(one.tasks, 'task')}", one.seen, one.unseen, is_mean=True)
        for group, one in found
        if one.seen and one.unseen
    ]


def _spot(group: PointGroup, what: str, seen: float, unseen: float, *, is_mean: bool = False) -> Spot:
    text = f"{what}: {times(math.log(seen))} on seen cases, {times(math.log(unseen))} on unseen ones"
    return Spot(group, seen, unseen, text, is_mean)


def _categories(entries: Sequence[UnseenEntry]) -> Chart:
    description = (
        "For each entry and kind of case, of the unseen cases on which the baseline is correct, the share on which "
        "the candidate is too."
    )
    rows = [
        (
            entry.name,
            role_note(entry.role),
            [_cell(one.conditional) for one in entry.measures.pooled.categories],
        )
        for entry in entries
    ]
    title = "Correctness by kind of case"
    return heat_map("categories", title, description, list(CONFIG_CATEGORIES.values()), rows)


def _cell(found: Conditional) -> tuple[float | None, str, str]:
    if found.share is None:
        return None, "–", ""
    return found.share, percent(found.share), f"{found.count} of {found.of}"
