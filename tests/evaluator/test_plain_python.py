"""The lists for Python sources: every known way around them is held by its rule, and what kernels need is plain."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluator.gates.plain.child import read_source
from evaluator.gates.plain.found import LABELS, RULES, STREAMS
from evaluator.tasks.reader import load_task
from evaluator.tasks.spec import CATEGORIES
from tests.cheats import corpus
from tests.covered import covered

HEAD = "import torch\nimport triton\nimport triton.language as tl\n\nx = f = k = v = late = torch.ones(1)\n"
HERE = Path(__file__).parent


def rules(text: str | bytes, name: str = "kernel.py", clock_covers_streams: bool = False) -> set[str]:
    data = text.encode() if isinstance(text, str) else text
    found = read_source(name, data)
    return {one.rule for one in found if one.holds(clock_covers_streams=clock_covers_streams)}


def labels(text: str) -> set[str]:
    return {one.rule for one in read_source("kernel.py", text.encode())} & LABELS.keys()


def attacks() -> Iterator[object]:
    for part in (HERE / "python_attacks.txt").read_text(encoding="utf-8").split("\n=== ")[1:]:
        title, _, text = part.partition("\n")
        rule, _, name = title.partition(": ")
        yield pytest.param(rule, text, id=name)


@pytest.mark.parametrize(("rule", "text"), list(attacks()))
def test_a_way_around_the_lists_is_held_by_its_rule(rule, text):
    assert rule in rules(HEAD + text)


PLAIN = {
    "a parameter called input": "def f(input):\n    return input.shape",
    "type in a message": "def f(x):\n    raise TypeError(f'{type(x)} {type(x).__name__}')",
    "a dtype that may be missing": "F8 = getattr(torch, 'float8_e4m3fn', None)\nhasattr(torch, 'float8_e4m3fn')",
    "a module of torch": (
        "class M(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.register_buffer('factor', torch.ones(1))\n        self.offset = 1\n"
        "    def forward(self, x):\n        return self.factor, self.offset\nm = M().eval()\nm(1)"
    ),
    "an autograd function": (
        "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        ctx.size = 1\n"
        "        ctx.save_for_backward(x)\n        return x\n    @staticmethod\n    def backward(ctx, g):\n"
        "        return g, ctx.size\nF.apply(1)"
    ),
    "a module that is not installed": "try:\n    import flash_attn\nexcept ImportError:\n    flash_attn = None",
    "a module by two ways": (
        "try:\n    from triton.language.extra import libdevice\nexcept ImportError:\n"
        "    from triton.language.math import exp as libdevice2\n    libdevice = None\n"
        "def g(y):\n    return libdevice.exp(y) if libdevice is not None else y"
    ),
    "a module that nobody uses": "import os, sys, time, numpy as np",
    "a parameter with a module's name": "import math\ndef g(math):\n    return math.shape",
    "comments and texts": (
        '"""import ctypes; eval(1); open("/proc/self/mem")"""\n# os.system(\'x\') __import__ exec( ((((((((((((((((((('
        + "(" * 300
        + "\nprint('aten::mul', '/proc/', 'launch_pdl', '__globals__', 'subprocess', \"'''def evil(x):'''\")"
    ),
    "emoji": "y = 1  # \U0001f468\u200d\U0001f4bb \u200e",
    "an encoding that is ours": "# -*- coding: utf-8 -*-\ny = 'größer'",
    "a docstring with code in it": (
        "class A:\n    def g(self):\n        '''Like this::\n\n"
        "            def other(x):\n                return x\n        '''"
    ),
    "a jitted function by a call": "def g(y):\n    pass\nq = triton.jit(g)\n@triton.jit(debug=True)\ndef h(y): pass",
    "options of a launch": (
        "@triton.jit\ndef g(y, BLOCK: tl.constexpr):\n    pass\n"
        "g[(1,)](x, BLOCK=1, num_warps=4, **{'num_stages': 2})\ntriton.Config({'BLOCK': 1}, num_warps=8)"
    ),
    "a class with alternatives": "if f is None:\n    class A: pass\nelse:\n    class A: pass\na = A()",
    "a class method": "class A:\n    @classmethod\n    def make(cls, v):\n        return cls()\na = A.make(1)",
    "an enumeration": "import enum\nclass E(enum.Enum):\n    A = 1\nE(1)",
    "a match": (
        "def g(y):\n    match y:\n        case 1 | 2: return 1\n"
        "        case [a, *b]: return a\n        case {'k': c}: return c"
    ),
    "a named tuple": "import collections\nP = collections.namedtuple('P', 'a b')\np = P(1, 2)",
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in PLAIN.items()])
def test_what_kernels_need_is_plain(text):
    assert rules(HEAD + text) == set()


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("y = x.softmax(0)", "library_operator"),
        ("y = x @ x", "library_operator"),
        ("y = x.item()", "reads_on_the_host"),
        ("torch.backends.cuda.matmul.allow_tf32 = True", "sets_switches"),
        ("def g(**options):\n    k[(1,)](x, **options)", "computed_options"),
        ("tl.inline_asm_elementwise", "device_assembly"),
        ("C = {}\ndef g(y):\n    C[1] = y", "keeps_state"),
        ("C = {0: 1}\ndef put(d):\n    d[1] = 2\ndef g(y):\n    put(C)", "keeps_state"),
        ("import itertools\nC = itertools.count()\ndef g(y):\n    return next(C)", "keeps_state"),
        ("def make():\n    kept = []\n    def g(y):\n        kept.append(y)\n    return g", "keeps_state"),
        ("def g(y, kept=[]):\n    kept.append(y)", "keeps_state"),
        ("N = 0\ndef g(y):\n    global N\n    N += 1", "keeps_state"),
        ("import functools\n@functools.lru_cache\ndef g(y): return y", "keeps_state"),
        ("B = torch.empty(3)\ndef g(y):\n    return B", "keeps_state"),
        ("class A:\n    def g(self):\n        self.last = 1", "keeps_state"),
    ],
)
def test_what_a_reader_should_know_is_a_label_and_holds_nothing(text, label):
    text = HEAD + text
    assert label in labels(text)
    assert rules(text) == set()


def test_tables_and_numbers_are_no_state():
    text = "import math\nSIZES = {1: 2}\nEPS = 1e-6\nSCALE = (1.0, 2 * EPS)\nD = torch.float32\n"
    text += "def g(y, eps=EPS, shape=(1, 2)):\n    return y * SIZES[1] * SCALE[0], D, math.pi"
    assert "keeps_state" not in labels(HEAD + text)


def test_streams_hold_where_the_clock_does_not_cover_them():
    text = HEAD + "s = torch.cuda.Stream()\ns.wait_stream(torch.cuda.current_stream())\ng = torch.cuda.CUDAGraph()"
    assert rules(text) == {STREAMS}
    assert rules(text, clock_covers_streams=True) == set()


@pytest.mark.parametrize(
    "data",
    [
        b"y = 1\x00",
        "y = 1  # \u202e".encode(),
        "y = 'größer'".encode("latin-1"),
        b"# coding: unicode_escape\ny = 1",
        b"# coding: rot13\n",
        b"y = " + b"+".join([b"1"] * 4000),
        b"y = (",
    ],
)
def test_what_cannot_be_read_is_held(data):
    assert rules(data) == {"unreadable_source"}


def test_every_rule_has_a_sentence():
    code = "".join(path.read_text() for path in Path(corpus.TESTS.parent / "evaluator/gates/plain").glob("python_*.py"))
    used = set(re.findall(r'"((?:unlisted|computed|foreign|text|two|module_as|class_as)_\w+)"', code))
    assert used
    assert used <= RULES.keys()


def test_the_sources_of_our_tasks_are_plain():
    """All that a candidate may look like; a PyTorch baseline, which is no candidate, may use what the lists lack."""
    triton = [task for task in map(load_task, covered()) if CATEGORIES[task.category].language == "triton"]
    ours = [one for task in triton for name in task.editable for one in task.folder.rglob(name)]
    assert len(ours) >= 40
    assert {str(one): found for one in ours if (found := rules(one.read_bytes(), clock_covers_streams=True))} == {}


@pytest.mark.parametrize("entry", [one for one in (*corpus.honest(), *corpus.twins()) if one.path.suffix == ".py"])
def test_an_honest_source_is_plain_unless_it_cannot_be_read(entry):
    expected = {"computed_name"} if "held" in entry.header else set()
    assert rules(entry.path.read_bytes(), clock_covers_streams=True) == expected
