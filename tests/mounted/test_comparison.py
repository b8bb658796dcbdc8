"""When the times of two sides can be compared, and the resulting cases."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evaluator.mounted.comparison import Times
from evaluator.mounted.report_formats import ScriptTimes

ONE = ScriptTimes("perf1", {"n": 8, "dtype": "float16"}, "cuda_graph", 2.0)
TWO = ScriptTimes("perf2", {"n": 9, "dtype": "float16"}, "cuda_graph", 4.0)


def test_a_speedup_is_of_one_case_by_the_baseline_before_and_after() -> None:
    after = (replace(ONE, time_ms=4.0), TWO)
    times = Times((ONE, TWO), (replace(TWO, time_ms=1.0), replace(ONE, time_ms=1.5)), after)
    assert times.difference() is None
    assert times.drift == 1.0
    first, second = times.cases(functional=False)
    assert (first.clocks["cuda_graph"].baseline_ms, first.speedup) == ((2.0, 4.0), 2.0)
    assert second.speedup == 4.0


def test_a_host_without_a_gpu_gives_no_speedup() -> None:
    (case,) = Times((ONE,), (ONE,), (ONE,)).cases(functional=True)
    assert (list(case.clocks), case.speedup) == (["functional"], None)


@pytest.mark.parametrize(
    ("candidate", "reason", "said"),
    [
        ((ONE,), "case_mismatch", "missing cases: perf2,dtype=float16,n=9"),
        ((ONE, TWO, replace(TWO, name="perf3")), "case_mismatch", "additional cases: perf3,dtype=float16,n=9"),
        (
            (ONE, replace(TWO, axes={"n": 9, "dtype": "float32"})),
            "case_mismatch",
            "additional cases: perf2,dtype=float32,n=9",
        ),
        ((ONE, replace(TWO, clock="cuda_event_fallback")), "method_mismatch", "seen cuda_event_fallback"),
    ],
)
def test_other_cases_or_clocks_are_refused(candidate: tuple[ScriptTimes, ...], reason: str, said: str) -> None:
    found = Times((ONE, TWO), candidate, (ONE, TWO)).difference()
    assert found is not None
    assert found.reason == reason
    assert said in found.detail


def test_a_baseline_that_changes_its_clock_is_noticed() -> None:
    assert Times((ONE,), (ONE,), (replace(ONE, clock="aka_events"),)).unsteadiness() is not None
