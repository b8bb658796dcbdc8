"""The figures of KernelBench-X's paper for results measured here, in words or on another page; others have none yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leaderboard.formatting import NBSP, rate_over, significant, x_of_n
from leaderboard.pages.base import Link, page_url, task_url
from leaderboard.pages.kernelbench_x.native import NativeTask
from leaderboard.pages.kernelbench_x.own import OwnEntry, own_url
from leaderboard.pages.kernelbench_x.speeds import DeviceSpeeds, OwnSpeeds

NONE_YET = "none yet"
NO_ROUND_SCORES = "not measured: a session records no times"
SINGLE = {"logit_speedup": "Math/logit.py", "expand_where_speedup": "Index/expand_where.py"}


@dataclass(frozen=True, slots=True)
class Ours:
    """What is measured here of the paper's figures: in words, or the page that shows it, by a figure's name or part."""

    values: Mapping[str, str]
    pages: Mapping[str, Link]

    def of(self, *names: str) -> Link:
        """The first of these names that has either."""
        for name in names:
            if name in self.values:
                return Link(self.values[name], "")
            if name in self.pages:
                return self.pages[name]
        return Link(NONE_YET, "")


def measured(entries: Sequence[OwnEntry], speeds: OwnSpeeds, tasks: Sequence[NativeTask]) -> Ours:
    return Ours({**_slow(speeds), **_portable(speeds), **_solved(entries)}, _pages(entries, tasks))


def _pages(entries: Sequence[OwnEntry], tasks: Sequence[NativeTask]) -> dict[str, Link]:
    """The pages of the first board, which has a clock if any has one, and of single tasks."""
    if not entries:
        return {}
    first = entries[0]
    attribution = Link("on the attribution page", own_url("attribution", first))
    iterations = Link("on the page of iterations", own_url("trajectory", first))
    found = {
        "fusion_unsolved_pct": attribution,
        "proxies": attribution,
        "explained": attribution,
        "edits": iterations,
        "round_rates": iterations,
        "round_scores": Link(NO_ROUND_SCORES, iterations.url),
    }
    if not first.is_functional:
        found["round_speedups"] = iterations
        found["speedup"] = Link("by entry", page_url("kernelbench_x") + "#measured-title")
        found["score_pct"] = Link("on the efficiency page", own_url("efficiency", first))
    current = {one.counterpart: one.task for one in tasks if one.is_current and one.is_in_suite}
    single = {key: current[path] for key, path in SINGLE.items() if path in current}
    return found | {key: Link("on the task's page", task_url(task)) for key, task in single.items()}


def _slow(speeds: OwnSpeeds) -> dict[str, str]:
    """The median is of the device class with the most results, since speeds of several are never pooled."""
    if not speeds.timed:
        return {}
    by_share = sorted(speeds.devices, key=lambda one: (one.slower / one.timed, one.device))
    found = {
        "slower_share": rate_over(speeds.slower, speeds.timed, speeds.tasks),
        "slower_share_a100": _on(by_share[0]),
        "slower_share_l20": _on(by_share[-1]),
    }
    most = max(speeds.devices, key=lambda one: one.timed)
    if most.median is not None:
        found["median_speedup"] = f"{significant(most.median, 4)}× of {most.timed} on{NBSP}{most.device_title}"
    return found


def _portable(speeds: OwnSpeeds) -> dict[str, str]:
    ratios = speeds.ratios
    values = {
        "portability_median": ratios.median,
        "portability_mean": ratios.mean,
        "portability_max": ratios.largest,
    }
    return {key: f"{significant(value)}× of {ratios.pairs}" for key, value in values.items() if value is not None}


def _solved(entries: Sequence[OwnEntry]) -> dict[str, str]:
    counts = [one for entry in entries for one in entry.categories if one.judged == one.of]
    quantized = [one for one in counts if one.category == "Quantization"]
    loss = [one for one in counts if one.category == "Loss"]
    found: dict[str, str] = {}
    if quantized:
        solved, of = sum(one.correct for one in quantized), sum(one.of for one in quantized)
        found["quantization_solved"] = x_of_n(solved, of)
    if loss:
        best = max(loss, key=lambda one: one.correct / one.of)
        found["highest_loss"] = x_of_n(best.correct, best.of)
    return found


def _on(one: DeviceSpeeds) -> str:
    return f"{rate_over(one.slower, one.timed, one.tasks)} on{NBSP}{one.device_title}"
