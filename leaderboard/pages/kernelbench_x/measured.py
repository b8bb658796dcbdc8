"""The figures of KernelBench-X's paper for results measured here, in words; a figure that is not here has none yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from leaderboard.formatting import NBSP, rate, significant
from leaderboard.pages.kernelbench_x.own import OwnEntry
from leaderboard.pages.kernelbench_x.rates import LEAST_FOR_PERCENT, x_of_n
from leaderboard.pages.kernelbench_x.speeds import DeviceSpeeds, OwnSpeeds


def measured(entries: Sequence[OwnEntry], speeds: OwnSpeeds) -> Mapping[str, str]:
    """By the short name of the paper's figure."""
    return {**_slow(speeds), **_portable(speeds), **_solved(entries)}


def _slow(speeds: OwnSpeeds) -> dict[str, str]:
    """The median is of the device class with the most results, since speeds of several are never pooled."""
    if not speeds.timed:
        return {}
    by_share = sorted(speeds.devices, key=lambda one: (one.slower / one.timed, one.device))
    found = {
        "slower_share": _share(speeds.slower, speeds.timed),
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
    return f"{_share(one.slower, one.timed)} on{NBSP}{one.device_title}"


def _share(count: int, of: int) -> str:
    return rate(count, of) if of >= LEAST_FOR_PERCENT else x_of_n(count, of)
