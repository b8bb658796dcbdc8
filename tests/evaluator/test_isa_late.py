"""A compilation that ran out of time is reported as not checked; a compiler error is a failure."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from evaluator.gates.context import Context
from evaluator.gates.isa import note_launches
from evaluator.tasks.candidate import baseline
from evaluator.tasks.spec import TaskSpec

LATE, REFUSED = "not compiled after 240 s for all launches", "error: no such instruction"


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
    kernels = [
        {"kernel": f"k{index}", "target": "gfx942", "configuration": "", "error": error, "skippable": False}
        for index, error in enumerate(errors)
    ]
    context.runner = SimpleNamespace(report=lambda: {"kernels": kernels, "faults": []})  # type: ignore[assignment]
    assert note_launches(context) is None
    assert context.isa_checked["gfx942"] == checked
