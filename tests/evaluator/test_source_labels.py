"""Labels of Python sources: for capabilities that no kernel needs, and not for what real kernels do.

Most of the harmless texts here are on hold all the same, since the lists do not know what they use.
"""

from __future__ import annotations

import pytest

from evaluator.gates.plain import python_labels
from evaluator.gates.plain.child import read_source

CAPABILITIES = {
    *python_labels.MODULES.values(),
    *python_labels.ATTRIBUTES.values(),
    *python_labels.WHOLE.values(),
    "works_off_the_device",
}


def labels(text: str) -> set[str]:
    return {one.rule for one in read_source("kernel.py", text.encode())} & CAPABILITIES


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("import ctypes", "native_calls"),
        ("from ctypes import util", "native_calls"),
        ("import _thread", "own_threads"),
        ("import os\nos.posix_spawn('/bin/sh', [], {})", "own_processes"),
        ("import sys\nsys.modules['torch']", "looks_around"),
        ("import sys\nsys._getframe()", "looks_around"),
        ("import os\nos.spawnvp(os.P_NOWAIT, 'sh', ['sh'])", "own_processes"),
        ("import os\nos._exit(0)", "own_processes"),
        ("class A:\n    def __del__(self):\n        pass", "finaliser"),
        ("from evaluator.inside import channel", "reaches_for_the_evaluator"),
        ("import torch\ntorch.empty = None", "replaces_library_functions"),
        ("import torch\ntorch.Tensor.copy_ = None", "replaces_library_functions"),
        ("import time\nsetattr(time, 'perf_counter', None)", "replaces_library_functions"),
        ("eval('1')", "runs_text"),
        ("from sys import modules", "looks_around"),
        ("from os import fork as spoon", "own_processes"),
        ("import os\ngetattr(os, 'fo' + 'rk')()", "imports_by_name"),
        ("import os\ngetattr(os, 'fork')()", "own_processes"),
        ("import sys\nvars(sys)['modules']", "imports_by_name"),
        ("import atexit", "runs_at_exit"),
        ("from torch.utils._python_dispatch import TorchDispatchMode", "replaces_library_functions"),
        ("import torch\ntorch.overrides.TorchFunctionMode", "replaces_library_functions"),
        ("import torch\ntorch.library.Library('at' + 'en', 'IMPL')", "replaces_library_functions"),
        ("import torch\ns = torch.cuda.Stream()\ndef forward(x):\n    return x.cpu()", "works_off_the_device"),
        # by another name, or through a library that holds the module
        ("import torch as t\nt.empty = None", "replaces_library_functions"),
        ("from torch import Tensor\nTensor.copy_ = None", "replaces_library_functions"),
        ("from triton.runtime.jit import JITFunction as J\nJ.run = None", "replaces_library_functions"),
        ("import torch\nf = torch.Tensor\nf.copy_ = None", "replaces_library_functions"),
        ("import torch\nvars(torch)['empty'] = None", "replaces_library_functions"),
        ("import torch\ntorch.__dict__.update(empty=None)", "replaces_library_functions"),
        ("import torch\ntype.__setattr__(torch.Tensor, 'copy_', None)", "replaces_library_functions"),
        ("import torch\nfor torch.empty in [None]:\n    pass", "replaces_library_functions"),
        ("import torch\n@torch.library.impl(NAME, 'CPU')\ndef f(x, y):\n    pass", "replaces_library_functions"),
        ("import sys as s\ns.modules", "looks_around"),
        ("import traceback\nframes = [f.f_locals for f, _ in traceback.walk_stack(None)]", "looks_around"),
        ("from logging import currentframe", "looks_around"),
        ("import os as o\ngetattr(o, 'fo' + 'rk')()", "imports_by_name"),
        ("import builtins as b\nb.exec('1')", "runs_text"),
        ("__builtins__['exec']('1')", "runs_text"),
        ("import torch.multiprocessing as mp", "own_processes"),
        ("from torch import multiprocessing", "own_processes"),
        ("import numpy as np\nnp.ctypeslib.ctypes", "native_calls"),
        ("from torch.utils.cpp_extension import load_inline", "native_calls"),
        ("import torch.utils.data as d\nd.dataloader.threading", "own_threads"),
        ("import torch\ntorch.ops.load_library('x.so')", "native_calls"),
        ("# coding: unicode_escape\n# \\nimport ctypes", "native_calls"),
    ],
)
def test_a_capability_no_kernel_needs_is_named(text, label):
    assert label in labels(text)


@pytest.mark.parametrize(
    "text",
    [
        "import torch\nm = torch.nn.Linear(2, 2)\nm.eval()\nlist(m.modules())",
        "import torch\ntorch.backends.cuda.matmul.allow_tf32 = True",
        "import os\nos.environ['TRITON_PRINT_AUTOTUNING'] = '1'",
        "try:\n    import triton.language.extra.libdevice as libdevice\nexcept ImportError:\n    libdevice = None",
        "import functools, math, typing, dataclasses",
        "import torch, triton.language as tl\ngetattr(tl, str(torch.float32).split('.')[-1])",
        "print('aten::mul', '/proc/self/maps')  # os.fork(), ctypes",
        "def forward(eval):\n    return eval",
        "import os\ngetattr(os, 'environ')['X'] = '1'",
        "def forward(x):\n    x.grad = None\n    return x",
        "def forward(array):\n    array.data = None\n    return array",
        "import torch\nw = torch.signal.windows.hann(4)",
        "import torch._dynamo\ntorch._dynamo.config.cache_size_limit = 64",
        "# -*- coding: utf-8 -*-\nx = 'größer'",
        "import torch\ny = torch.empty(3)\ny.data = None",
        "print('aten')",
        "def forward(x):\n    return x.lengths.cpu()",
        "import torch\ns = torch.cuda.Stream()",
        "this is not python (",
    ],
)
def test_harmless_code_gets_no_label(text):
    assert labels(text) == set()
