"""Labels of a source's text: what no kernel needs is named, what honest kernels do is not."""

from __future__ import annotations

import pytest

from evaluator.gates.source import native_labels, python_labels
from evaluator.taskreader import load_task, task_ids


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("import ctypes", "native_calls"),
        ("from ctypes import util", "native_calls"),
        ("import _thread", "own_threads"),
        ("import os\nos.posix_spawn('/bin/sh', [], {})", "own_processes"),
        ("import sys\nsys.modules['torch']", "looks_around"),
        ("import sys\nsys._getframe()", "looks_around"),
        ("open('/proc/self/maps')", "looks_around"),
        ("from evaluator.inside import channel", "reaches_for_the_evaluator"),
        ("import torch\ntorch.empty = None", "replaces_library_functions"),
        ("import torch\ntorch.Tensor.copy_ = None", "replaces_library_functions"),
        ("import time\nsetattr(time, 'perf_counter', None)", "replaces_library_functions"),
        ("eval('1')", "runs_text"),
    ],
)
def test_a_capability_no_kernel_needs_is_named(text, label):
    assert label in python_labels(text)


@pytest.mark.parametrize(
    "text",
    [
        "import torch\nm = torch.nn.Linear(2, 2)\nm.eval()\nlist(m.modules())",
        "import torch\ntorch.backends.cuda.matmul.allow_tf32 = True",
        "import os\nos.environ['TRITON_PRINT_AUTOTUNING'] = '1'",
        "try:\n    import triton.language.extra.libdevice as libdevice\nexcept ImportError:\n    libdevice = None",
        "import functools, math, typing, dataclasses",
        "def forward(x):\n    x.grad = None\n    return x",
        "this is not python (",
    ],
)
def test_honest_code_gets_no_label(text):
    assert python_labels(text) == set()


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("void* h = dlopen(0, 1);", "native_calls"),
        ("std::thread t(f);", "own_threads"),
        ("__attribute__((constructor)) void f() {}", "constructor"),
        ("extern char __start_hipcpu_shared;", "looks_around"),
    ],
)
def test_native_sources_are_read_too(text, label):
    assert label in native_labels(text)


def test_no_bundled_source_gets_a_label():
    for task in map(load_task, task_ids()):
        for path in [*task.folder.rglob("*.py"), *task.folder.rglob("*.hip")]:
            text = path.read_text(encoding="utf-8")
            assert (python_labels(text) if path.suffix == ".py" else native_labels(text)) == set(), path
