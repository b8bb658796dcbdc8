"""The child process that reads sources: bounded in time and memory, and whatever goes wrong in it holds."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from evaluator.errors import HostError
from evaluator.gates import source
from evaluator.gates.plain import reader
from evaluator.gates.plain.found import LISTS, UNREADABLE
from evaluator.gates.plain.reader import LARGEST, read_sources
from evaluator.records.record import Finding
from evaluator.tasks.candidate import Candidate

PLAIN = b"import torch\n\ndef forward(x):\n    return torch.empty_like(x)\n"
HOSTILE = {
    "elements": b"x = [" + b"1," * 120_000 + b"]",
    "names": b"x\n" * 120_000,
    "attributes": b"x" + b".a" * 30_000,
    "nested calls": b"f(" * 80 + b")" * 80,
    "brackets": b"(" * 200_000,
    "a sum": b"x = " + b"+1" * 100_000,
    "lambdas": b"lambda: " * 30_000 + b"1",
    "unary": b"x = " + b"-" * 200_000 + b"1",
    "strings": b'"""' + b"\ndef " * 50_000,
    "decorators": b"@a\n" * 80_000 + b"def f(): pass",
    "functions": b"def f(x): pass\n" * 15_000,
    "nested functions": b"".join(b" " * depth + b"def f(x):\n" for depth in range(90)) + b" " * 90 + b"pass",
    "classes": b"class A:\n def f(self): self.x = 1\n" * 7_000,
    "one class with many methods": b"class A:\n" + b" def f(self): self.x = A.f\n" * 8_000,
    "comprehensions": b"[" * 60 + b"x" + b" for x in y]" * 60,
    "aliases": b"".join(b"a%d = a%d\n" % (n, n + 1) for n in range(15_000)) + b"a0.x",
    "many parameters": b"def f(" + b"".join(b"a%d, " % n for n in range(20_000)) + b"): pass",
    "many names of one import": b"from torch import (" + b"nn as a, " * 20_000 + b")\na.x",
    "many bindings and uses": b"x = x.a + y\n" * 15_000,
    "many bindings in functions": b"x = [1]\n" * 7_000 + b"def f():\n" + b" x[0] = next(x)\n" * 8_000,
    "many classes of one name": b"class A: pass\n" * 8_000 + b"A.b\n" * 8_000,
    "many modules of one name": b"import torch as a\n" * 7_000 + b"a.b\n" * 8_000,
    "many methods of one name": b"class A(B):\n" + b" def f(self): pass\n" * 8_000 + b"A.f\n" * 8_000,
    "many instances": b"class A: pass\n" + b"x = A()\n" * 10_000 + b"x.b\n" * 10_000,
    "codings": b"#" + b" coding:" * 30_000,
    "spaces": b"#" + b" " * 250_000,
    "defs": b"def f(\nx): '''" + b"\ndef" * 60_000 + b"'''",
    "null": b"\x00" * 200_000,
    "backslashes": b"\\\n" * 100_000,
}


class Context:
    """A context of the source gate over these files."""

    clock_covers_streams = True
    foreign_files: tuple[str, ...] = ()
    requirements: tuple[str, ...] = ()
    is_library_line = False

    def __init__(self, files: dict[str, bytes]) -> None:
        self.candidate_files = Candidate(files, "test")
        self.findings: list[Finding] = []
        self.held: list[Finding] = []

    def hold(self, finding: Finding) -> None:
        self.held.append(finding)


def test_plain_sources_are_read_as_plain_by_one_child(monkeypatch):
    started = []
    run = subprocess.run
    monkeypatch.setattr(subprocess, "run", lambda *args, **options: started.append(args) or run(*args, **options))
    assert read_sources({"a.py": PLAIN, "b.py": PLAIN}) == {"a.py": [], "b.py": []}
    assert len(started) == 1


@pytest.mark.slow
@pytest.mark.parametrize("data", [pytest.param(data, id=name) for name, data in HOSTILE.items()])
def test_a_hostile_source_is_read_or_held_within_the_limits(data):
    assert len(data) <= LARGEST
    begin = time.process_time()
    found = read_sources({"a.py": data})["a.py"]
    assert all(isinstance(one.line, int) and len(one.name) <= 200 for one in found)
    assert time.process_time() - begin < 1.0  # in the judge's own process
    assert len(found) <= 1000


def test_a_source_beyond_the_size_is_held_without_being_read(monkeypatch):
    monkeypatch.setattr(subprocess, "run", None)
    (finding,) = read_sources({"a.py": b"#" * (LARGEST + 1)})["a.py"]
    assert finding.rule == UNREADABLE
    assert "256 KiB" in finding.name


@pytest.mark.parametrize(
    "start",
    [
        "import os; os.kill(os.getpid(), 9)",
        "import os; os.abort()",
        "print('{}')",
        "print('[')",
        "raise MemoryError",
        "import sys; sys.exit(3)",
        "print('{\"a.py\": [1]}')",
        "import time; time.sleep(60)",
    ],
)
def test_a_child_that_fails_holds_every_source(monkeypatch, start):
    monkeypatch.setattr(reader, "_START", start)
    monkeypatch.setattr(reader, "WALL_S", 3.0)
    found = read_sources({"a.py": PLAIN, "b.hip": b""})
    assert {name: [one.rule for one in those] for name, those in found.items()} == {
        "a.py": [UNREADABLE],
        "b.hip": [UNREADABLE],
    }


def test_the_child_is_ended_by_its_own_limits(monkeypatch):
    limits = "import sys, resource; sys.path.insert(0, {!r}); from evaluator.gates.plain import child; child.confine()"
    root = str(Path(reader.__file__).parents[3])
    takes_memory = f"{limits.format(root)}; b = bytearray(2 << 30)"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", takes_memory], capture_output=True, check=False)
    assert b"MemoryError" in done.stderr
    reads = f"{limits.format(root)}; print(resource.getrlimit(resource.RLIMIT_CPU))"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", reads], capture_output=True, check=True)
    assert done.stdout == b"(10, 10)\n"


def test_a_host_that_cannot_start_the_reader_is_not_the_candidates_fault(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(HostError, match="did not start"):
        read_sources({"a.py": PLAIN})


def test_the_readers_answer_does_not_depend_on_how_deep_its_caller_is():
    deep = PLAIN + b"import ctypes\nDEEP = " + b"1+" * 2_860 + b"1\n"

    def below(depth: int) -> set[str]:
        return below(depth - 1) if depth else {one.rule for one in read_sources({"a.py": deep})["a.py"]}

    assert below(0) == below(200)
    assert below(0) & {UNREADABLE, "unlisted_import"}


def test_the_gate_names_rule_name_and_line():
    context = Context({"a.py": PLAIN + b"import ctypes\ny = ctypes.CDLL\nz = torch.ones(1).softmax(0)\n"})
    assert source.check(context) is None
    texts = {finding.code: finding.text for finding in context.held}
    assert texts["unlisted_import"] == (
        f"a.py: imports what kernels are not known to need: ctypes (line 5) (lists of {LISTS})"
    )
    assert "ctypes.CDLL (line 6)" in texts["unlisted_attribute"]
    assert "ctypes.CDLL (line 6)" in texts["native_calls"]
    assert [finding.code for finding in context.findings] == ["library_operator"]


def test_the_gate_names_some_of_many_uses():
    context = Context({"a.py": b"".join(b"import mine%d\n" % number for number in range(9))})
    source.check(context)
    (finding,) = context.held
    assert finding.text.endswith(f"and 4 more uses (lists of {LISTS})")


def test_streams_hold_where_the_clock_does_not_cover_them():
    text = b"import torch\ns = torch.cuda.Stream()\n"
    covered, uncovered = Context({"a.py": text}), Context({"a.py": text})
    uncovered.clock_covers_streams = False
    source.check(covered)
    source.check(uncovered)
    assert [[one.code for one in those.held] for those in (covered, uncovered)] == [[], ["streams"]]
    assert [one.code for one in covered.findings] == ["streams"]
