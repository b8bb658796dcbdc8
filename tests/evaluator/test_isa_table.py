"""The table of all tasks' kernels on both targets: what is compiled again, what it says of failures, its summary."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evaluator.backends.cpu import CpuBackend
from evaluator.errors import UsageError
from evaluator.records.record import ISA_NUMBERS, IsaReport
from evaluator.tasks.candidate import baseline
from evaluator.tasks.spec import TaskSpec
from scripts import isa_table
from scripts.isa_table import COLUMNS, Compilers, LaunchCompiler, line_of, main, read, sides, summary, tabulated

Task = Callable[[str], TaskSpec]


def row(task: str = "hip2hip/a", side: str = "baseline", target: str = "gfx942", **values: object) -> isa_table.Row:
    found = {"task": task, "digest": "d", "side": side, "target": target, "kernel": "k", "seconds": "1.0", **values}
    return dict.fromkeys(COLUMNS, "") | {name: str(value) for name, value in found.items()}


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The sides that were compiled, in order; the expert's compiler fails."""
    made: list[tuple[str, str]] = []

    def rows(_: Compilers, task: TaskSpec, side: str, candidate: object) -> list[isa_table.Row]:
        made.append((task.id, side))
        if side == "expert":
            raise KeyboardInterrupt
        return [row(task.id, side, digest=task.digest)]

    monkeypatch.setattr(Compilers, "rows", rows)
    return made


def test_an_interrupted_table_goes_on_where_it_was(
    tiny_task: Task, compiled: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    task, out = tiny_task("hip2hip"), tmp_path / "table.csv"
    chosen = [("baseline", baseline(task)), ("expert", baseline(task))]
    monkeypatch.setattr(isa_table, "sides", lambda _: chosen)
    with pytest.raises(KeyboardInterrupt):
        list(tabulated([task], out))
    assert list(csv.DictReader(io.StringIO(out.read_text()))) == [row(task.id, digest=task.digest)]
    del chosen[1]
    assert list(tabulated([task], out)) == [row(task.id, digest=task.digest)]
    assert compiled == [(task.id, "baseline"), (task.id, "expert")], "the first one is known"
    list(tabulated([replace(task, digest="another")], out))
    assert compiled[2:] == [(task.id, "baseline")], "a changed task is compiled again"


def test_another_table_is_refused_and_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n")
    with pytest.raises(UsageError, match="expected the columns task, digest"):
        read(other)
    assert main(["hip2hip/arena/GELU", "--out", str(other)]) == 2
    assert other.read_text() == "a,b\n1,2\n"


def test_the_summary_counts_tasks_kernels_and_spills_of_each_target() -> None:
    rows = [
        row(vgpr=8, vgpr_spills=0),
        row(side="expert", vgpr=9, vgpr_spills=3, scratch_bytes=16),
        row(side="expert", kernel="other", vgpr_spills=1),
        row("triton2triton/b", vgpr=7, problem="needs 99999 bytes of LDS"),
        row(target="gfx950", scratch_bytes=4),
        row("triton2triton/b", target="gfx950", kernel="", problem="no compiler"),
    ]
    assert list(summary(rows)) == [
        "hip2hip on gfx942: 1 task, 3 kernels, spills in 2 of 1 task, 0 refused, not compiled: 0",
        "hip2hip on gfx950: 1 task, 1 kernel, spills in 1 of 1 task, 0 refused, not compiled: 0",
        "triton2triton on gfx942: 1 task, 1 kernel, spills in 0 of 0 tasks, 1 refused, not compiled: 0",
        "triton2triton on gfx950: 1 task, 0 kernels, spills in 0 of 0 tasks, 0 refused, not compiled: 1",
        "all on gfx942: 2 tasks, 4 kernels, spills in 2 of 1 task, 1 refused, not compiled: 0",
        "all on gfx950: 2 tasks, 1 kernel, spills in 1 of 1 task, 0 refused, not compiled: 1",
    ]
    assert line_of([rows[3], rows[5]]) == (
        "triton2triton/b baseline, 1.0 s; gfx942 1 kernel, at most vgpr 7 lds_bytes 0, 0 with spills, "
        "1 kernel refused; gfx950 no compiler"
    )


def test_a_side_that_is_not_compiled_has_its_reason_and_the_exit_code_says_so(
    tiny_task: Task, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def failing(*_: object) -> None:
        raise UsageError("it does not load\nwith details")

    monkeypatch.setattr(Compilers, "_of_triton", failing)
    task = tiny_task("triton2triton")
    with Compilers() as compilers:
        found = compilers.rows(task, "baseline", baseline(task))
    assert [(one["target"], one["kernel"], one["problem"]) for one in found] == [
        ("gfx942", "", "it does not load"),
        ("gfx950", "", "it does not load"),
    ]
    monkeypatch.setattr(isa_table, "tabulated", lambda *_: found)
    assert main(["hip2hip/arena/GELU", "--out", str(tmp_path / "table.csv")]) == 1


def test_host_code_that_reads_what_kernels_compute_is_shown_by_a_whole_evaluation(tiny_task: Task) -> None:
    task = tiny_task("triton2triton")
    whole = [IsaReport(side, "gfx942", f"{side}s", "", None, {"vgpr": 8}) for side in ("baseline", "candidate")]  # type: ignore[arg-type]
    compilers: Any = Compilers()
    evaluator = SimpleNamespace(launches=lambda *_: None, evaluate=lambda *_: SimpleNamespace(isa=whole))
    compilers._evaluator = evaluator
    assert compilers._of_triton(task, baseline(task)) == [
        {"target": "gfx942", "kernel": "candidates", "configuration": "", "problem": "", "vgpr": "8"}
    ]


def test_a_pytorch_baseline_has_no_kernels_and_is_left_out(tiny_task: Task) -> None:
    assert "baseline" in dict(sides(tiny_task("triton2triton")))
    plain: Any = SimpleNamespace(starts_from_torch=True, solution=None)
    assert dict(sides(plain)) == {}


@pytest.mark.slow
def test_a_hip_source_has_its_figures_on_both_targets(tmp_path: Path, hip_toolchain: object) -> None:
    out = tmp_path / "table.csv"
    assert main(["hip2hip/arena/GELU", "--out", str(out)]) == 0
    rows = [one for found in read(out).values() for one in found if one["side"] == "baseline"]
    assert [one["target"] for one in rows] == ["gfx942"] * 4 + ["gfx950"] * 4
    assert {one["vgpr"] for one in rows} == {"8"}
    assert all(one[name].isdigit() for one in rows for name in ISA_NUMBERS[:10])


@pytest.mark.slow
def test_compiling_shows_the_launches_that_an_evaluation_shows(tiny_task: Task) -> None:
    task = tiny_task("triton2triton")
    with LaunchCompiler(CpuBackend()) as evaluator:
        record = evaluator.evaluate(task, baseline(task))
        expected = [replace(one, side="candidate") for one in record.isa if one.side == "baseline"]
        assert evaluator.launches(task, baseline(task)) == expected != []
