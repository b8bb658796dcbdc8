"""A compilation that ran out of time is reported as not checked; a compiler error is a failure."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from evaluator.gates.context import Context
from evaluator.gates.isa import is_baseline_known, note_baseline, note_launches
from evaluator.tasks.candidate import baseline
from evaluator.tasks.spec import TaskSpec

LATE, REFUSED = "not compiled after 240 s for all launches", "error: no such instruction"


def reporting(errors: list[str | None]) -> Any:
    """Return a runner whose worker reports a kernel with each of these errors."""
    kernels = [
        {"kernel": f"k{index}", "target": "gfx942", "configuration": "", "error": error, "skippable": False}
        for index, error in enumerate(errors)
    ]
    return SimpleNamespace(report=lambda: {"kernels": kernels, "faults": []}, side=None)


@pytest.mark.parametrize(
    ("errors", "checked"),
    [
        ([LATE], f"not checked: k0: {LATE}"),
        ([REFUSED], "failed"),
        ([LATE, REFUSED], "failed"),
        ([None], "compiled"),
    ],
)
def test_only_a_compiler_error_is_a_failure(
    tiny_task: Callable[[str], TaskSpec], errors: list[str | None], checked: str
) -> None:
    task = tiny_task("triton2triton")
    backend = SimpleNamespace(name="cuda", has_clock=True)
    context = Context(task, baseline(task), baseline(task), backend, None)  # type: ignore[arg-type]
    context.runner = reporting(errors)
    assert note_launches(context) is None
    assert context.isa_checked["gfx942"] == checked


@pytest.mark.parametrize(("errors", "is_kept"), [([None, REFUSED], True), ([None, LATE], False)])
def test_what_is_known_of_a_baseline_is_kept_once_all_of_it_was_compiled_in_time(
    tiny_task: Callable[[str], TaskSpec], errors: list[str | None], is_kept: bool
) -> None:
    task = tiny_task("triton2triton")
    backend = SimpleNamespace(cases=lambda task: task.cases)
    context = Context(task, baseline(task), baseline(task), backend, None)  # type: ignore[arg-type]
    note_baseline(context, reporting(errors))
    assert is_baseline_known(context) is is_kept
    note_baseline(context, reporting([]) if is_kept else reporting(errors))
    assert [report.kernel for report in context.isa] == ["k0", "k1"] * 2
