"""The contract of every backend, tested for each that this host has. Tests of GPUs are skipped without a card."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evaluator.backends import KNOWN, Backend, get_backend, present
from evaluator.errors import HostError
from evaluator.pipeline import Evaluator
from evaluator.records.reasons import Status
from evaluator.sandbox import open_sandbox
from evaluator.tasks.candidate import Candidate, baseline, read_candidate
from evaluator.tasks.spec import TaskSpec

ARCHITECTURES = r"cpu|sm_\d+|gfx[0-9a-f]+"
NAMES = [pytest.param(name, marks=[] if name == "cpu" else [pytest.mark.gpu]) for name in KNOWN]
# How the tiny Triton task is spoilt, and what that is called. Red zones see on a GPU what the interpreter sees at once.
FAULTS = {
    "wrong": ("2.0 *", "3.0 *", {"mismatch"}),
    "a little outside": ("mask=inside), mask=inside)", "mask=inside))", {"out_of_bounds", "wrote_outside"}),
    "far outside": ("tl.store(y + at", "tl.store(y + at + (1 << 40)", {"out_of_bounds"}),
    "refused": ("tl.store(", "tl.stroe(", {"compiler_error", "target_compiler_error"}),
}


@pytest.fixture(scope="module", params=NAMES)
def backend(request: pytest.FixtureRequest) -> Backend:
    if request.param not in present():
        pytest.skip(f"this host has no {request.param}")
    return get_backend(request.param)


@pytest.fixture(scope="module")
def evaluating(backend: Backend) -> Iterator[Evaluator]:
    with Evaluator(backend) as evaluator:
        yield evaluator


def test_it_describes_itself(backend: Backend) -> None:
    host = backend.host()
    assert host.backend == backend.name
    assert re.fullmatch(ARCHITECTURES, host.architecture)
    assert re.fullmatch(r"[a-z0-9_]+(-[a-z0-9_]+)*", host.device_class)
    assert {"processor", "system", "python", "torch", "triton"} <= set(host.facts)
    assert all(isinstance(value, str) and value for value in host.facts.values())


def test_its_cases_are_the_tasks(backend: Backend, tiny_task: Callable[[str], TaskSpec]) -> None:
    task = tiny_task("triton2triton")
    cases = backend.cases(task)
    assert cases
    assert set(cases) <= set(task.cases)


def test_the_paths_that_its_sandbox_needs_exist(backend: Backend) -> None:
    access = backend.access()
    assert access.device == backend.torch_device
    assert all(Path(path).exists() for path in (*access.readable, *access.nodes))
    with (
        open_sandbox("auto", limits=backend.limits, access=access) as sandbox,
        sandbox.spawn(mailbox_bytes=4096) as worker,
    ):
        worker.call("attach", timeout_s=120, device=backend.torch_device, **_plain_options(backend))


@pytest.mark.gpu
def test_a_sandbox_has_the_judged_card_and_no_other() -> None:
    if "cuda" not in present():
        pytest.skip("this host has no cuda")
    backend = get_backend("cuda")
    access = backend.access()
    assert access.variables["CUDA_VISIBLE_DEVICES"] == backend.facts()["card_uuid"]
    assert len([node for node in access.nodes if re.fullmatch(r"/dev/nvidia\d+", node)]) == 1


def test_a_sample_is_quick_and_true(backend: Backend) -> None:
    if not backend.has_clock:
        with pytest.raises(HostError):
            backend.sample()
        return
    samples, took_s = [], []
    for _ in range(20):
        begin = time.perf_counter()
        samples.append(backend.sample())
        took_s.append(time.perf_counter() - begin)
    assert min(took_s) < 1e-3, "the quickest: others wait for a processor"
    assert all(sample.clock_mhz and 0 < (sample.temperature_c or 0) < 120 for sample in samples)


@pytest.mark.slow
@pytest.mark.parametrize("category", ["triton2triton", "hip2hip"])
def test_a_tasks_own_baseline_passes(
    evaluating: Evaluator, tiny_task: Callable[[str], TaskSpec], category: str
) -> None:
    task = tiny_task(category)
    record = evaluating.evaluate(task, baseline(task))
    assert record.status is Status.PASSED, f"{record.message}\n{record.log}"


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_kernel_is_detected(
    evaluating: Evaluator, tiny_task: Callable[[str], TaskSpec], tmp_path: Path, fault: str
) -> None:
    old, new, reasons = FAULTS[fault]
    record = evaluating.evaluate(*_changed(tiny_task("triton2triton"), tmp_path, old, new))
    assert record.reason in reasons, record.log


def _changed(task: TaskSpec, folder: Path, old: str, new: str) -> tuple[TaskSpec, Candidate]:
    [name] = task.editable
    source = (task.folder / name).read_text()
    assert old in source
    (folder / name).write_text(source.replace(old, new))
    return task, read_candidate(folder, task)


def _plain_options(backend: Backend) -> dict[str, object]:
    options: dict[str, object] = {"allocator": None, "cross_compile": False}
    return options | ({"guarded": False, "memory_mb": 4096} if backend.torch_device == "cpu" else {})
