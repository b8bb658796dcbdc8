"""What a script recomputes from KernelBench-X's public corpus, by hand on a corpus of five records."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.kernelbenchx_corpus import corpus, score_pct, step

INVENTORY = {"Index/where.py", "Math/abs.py", "Math/cos.py", "Loss/kl.py"}
FAILED = {"call_ok": False, "exe_ok": False, "speedup": None, "gbs": None, "tflops": None, "dtype": ""}
WRONG = {**FAILED, "call_ok": True}


def _right(speedup: float | None, gbs: float = 896.0) -> dict[str, Any]:
    return {"call_ok": True, "exe_ok": True, "speedup": speedup, "gbs": gbs, "tflops": 1.048, "dtype": "float32"}


def _record(task: str, before: dict[str, Any], after: dict[str, Any], code: str = "new", kind: str = "") -> Any:
    return {
        "task_id": task,
        "transition": "round_0_to_round_1",
        "before": before,
        "after": after,
        "before_code": "old",
        "after_code": code,
        "kind": kind,
    }


RECORDS = (
    _record("Broadcast/where.py", FAILED, _right(0.5)),  # in the inventory as Index/where.py
    _record("Math/abs.py", WRONG, _right(1.5, 448.0)),
    _record("Math/cos.py", _right(1.0), _right(1.1), "old", "speedup_increase"),
    _record("Loss/kl.py", _right(2.0), WRONG),
    _record("Math/exp.py", FAILED, _right(800.0)),  # not in the inventory
)


def test_a_step_counts_the_tasks_of_the_inventory_by_the_name_of_their_file() -> None:
    found = step("round_0_to_round_1", RECORDS, INVENTORY)
    assert (found.rounds, found.pairs, found.compiled_gained, found.compiled_lost) == ("0 to 1", 4, 1, 0)
    assert (found.rescued, found.rescued_timed, found.lost) == (2, 2, 1)
    assert found.rescued_speedup == pytest.approx(1.0)  # of 0.5 and 1.5
    assert found.rescued_score_pct == pytest.approx((50 + 25) / 2)  # 896 and 448 of 1,792 GB/s
    assert (found.persistent_timed, found.persistent_speedup) == (1, pytest.approx(1.1))


def test_the_score_is_the_larger_share_of_the_peak_of_its_dtype() -> None:
    assert score_pct({"dtype": "float32", "gbs": 17.92, "tflops": 52.4}) == pytest.approx(50)
    assert score_pct({"dtype": "float16", "gbs": 17.92, "tflops": 52.375}) == pytest.approx(25)
    assert score_pct({"dtype": "bfloat16", "gbs": 2688.0, "tflops": 0.0}) == pytest.approx(150)  # never clipped


def test_the_corpus_tells_moved_tasks_from_foreign_ones_and_speeds_of_the_same_code() -> None:
    found = corpus(RECORDS, INVENTORY)
    assert (found.records, found.tasks) == (5, 5)
    assert (found.foreign, found.moved) == (("Math/exp.py",), ("Broadcast/where.py",))
    assert (found.same_code, found.same_code_faster, found.increases) == (1, 1, 1)
