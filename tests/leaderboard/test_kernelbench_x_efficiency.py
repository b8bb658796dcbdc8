"""Hardware efficiency of submitted KernelBench-X runs: claimed rates against the peaks of the machine they name."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.pages.kernelbench_x.claimed_efficiency import NO_DTYPE, NO_MACHINE, NO_RATES
from leaderboard.pages.kernelbench_x.efficiency import ABOVE
from runs.loading.published import load_published
from runs.models import Claim
from tests import factories


def submitted(machine: str, **tasks: dict[str, Any] | None) -> None:
    """A public run on a machine; of each task, named Category__stem, what it claims. None: wrong outputs."""
    about = {"facts": {"golden_machine": machine}} if machine else {}
    submission = factories.make_submission(
        format="KernelBench-X", is_public=True, state="accepted", claim_count=len(tasks), about=about
    )
    for name, claimed in tasks.items():
        correct = claimed is not None
        Claim.objects.create(
            submission=submission,
            task=f"{name.replace('__', '/', 1)}.py",
            is_known=True,
            status="passed" if correct else "wrong_output",
            claimed={"call_ok": True, "exe_ok": correct, "gbs": 500.0, "tflops": 1.0, **(claimed or {})},
        )


def rates(gbs: Any, tflops: Any, dtype: str = "float32") -> dict[str, Any]:
    return {"gbs": gbs, "tflops": tflops, "dtype": dtype}


def test_a_run_has_means_over_its_correct_kernels_on_the_machine_that_it_names(db, page) -> None:
    """On an A100 PCIe with 40 GB (1,555 GB/s, 19.5 TFLOPS of float32, 312 of 16 bits).

    relu: 777.5 GB/s are 50 %, 0.195 TFLOPS 1 %. matmul: 155.5 GB/s are 10 %, 23.4 TFLOPS 120 % of float32: TF32 is
    not admitted. matmul_bf16: 5 %, and 156 TFLOPS are 50 %. Scores 50, 120 and 50: 73.3 %.
    """
    submitted(
        "a100",
        Activation__relu=rates(777.5, 0.195),
        MatrixMultiply__matmul=rates(155.5, 23.4),
        MatrixMultiply__matmul_bf16=rates(77.75, 156.0, "bfloat16"),
        Math__add=None,
    )
    shown = page("/kernelbench-x/")
    [run] = shown.imported.runs
    found = run.efficiency
    assert found.device_class == "a100-pcie-40gb"
    assert (found.means.score, found.means.scored, found.means.above) == (pytest.approx(2.2 / 3), 3, 1)
    assert found.means.iou == pytest.approx((0.5 + 0.1 + 0.05) / 3)
    assert found.means.mfu == pytest.approx((0.01 + 1.2 + 0.5) / 3)
    assert found.categories["Matrix multiply"].score == pytest.approx((1.2 + 0.5) / 2)
    [row] = shown.tables["imported_efficiency"].cells()
    assert (row["origin"].text, row["machine"].text) == ("claimed", "NVIDIA A100 PCIe 40 GB")
    assert row["score"].text.replace("\u00a0", " ") == "73 %"
    [section] = [one for one in shown.sections if one.slug == "imported-efficiency"]
    assert section.text.endswith(ABOVE)


def test_the_dtype_is_the_tasks_own_where_a_run_claims_another(db, page) -> None:
    """330.3 TOPS are half of an RTX 4090's 660.6 in int8, and four times its float32."""
    submitted("4090", Quantization__matmul_w8a8=rates(100.8, 330.3, "float32"))
    [run] = page("/kernelbench-x/").imported.runs
    [task] = run.efficiency.tasks
    assert (task.dtype, task.mfu, task.iou) == ("int8", pytest.approx(0.5), pytest.approx(0.1))


def test_a_kernel_without_operations_has_the_score_of_its_bandwidth(db, page) -> None:
    submitted("h20", Index__index_select=rates(2000.0, 0))
    [run] = page("/kernelbench-x/").imported.runs
    [task] = run.efficiency.tasks
    assert (task.iou, task.mfu, task.score) == (pytest.approx(0.5), None, pytest.approx(0.5))
    assert not any(section.text.endswith(ABOVE) for section in page("/kernelbench-x/").sections)


@pytest.mark.parametrize(
    ("machine", "claimed", "missing"),
    [
        ("", rates(500.0, 1.0), NO_MACHINE),
        ("h200", rates(500.0, 1.0), NO_MACHINE),  # none of the benchmark's
        ("5090", rates("N/A", "N/A"), NO_RATES),
        ("5090", rates(500.0, None), NO_RATES),
        ("5090", rates(True, 1.0), NO_RATES),
        ("5090", rates(-1.0, 1.0), NO_RATES),
        ("5090", rates(500.0, 1.0, ""), NO_DTYPE),
        ("5090", rates(500.0, 1.0, "complex64"), "no peak of complex64 arithmetic is known for this device class"),
    ],
)
def test_where_a_rate_or_a_peak_is_unknown_there_is_a_reason_and_no_number(db, page, machine, claimed, missing) -> None:
    submitted(machine, Math__abs=claimed)
    [run] = page("/kernelbench-x/").imported.runs
    [task] = run.efficiency.tasks
    assert (task.score, task.missing) == (None, missing)
    assert (run.efficiency.means.score, run.efficiency.means.scored, run.efficiency.means.correct) == (None, 0, 1)


def test_the_papers_printed_scores_stand_beside(db, page) -> None:
    load_published()
    submitted("5090", Activation__relu=rates(896.0, 0.1))
    rows = {row["name"].text: row for row in page("/kernelbench-x/").tables["imported_efficiency"].cells()}
    assert [row["origin"].text for row in rows.values()].count("printed") == 5
    assert rows["AutoTriton"]["score"].text.replace("\u00a0", " ") == "60.7 %"
    assert rows["AutoTriton"]["iou"].value is None
    assert next(row for row in rows.values() if row["origin"].text == "claimed")["score"].value == pytest.approx(0.5)
