"""Texts that are cut say so, exceptions name their class and the line that helps, and no folder of a host is shown."""

from __future__ import annotations

import os
import sys
import sysconfig
import time
from pathlib import Path

import pytest
import torch
import triton

from evaluator.gates.isa import first_error
from evaluator.gates.recording import log_of
from evaluator.host_paths import without_host_paths
from evaluator.inside.exceptions import sentence_of
from evaluator.inside.excerpts import cut, excerpt
from evaluator.judge.compare import compare
from evaluator.judge.rejection import Rejection, rejection_of
from evaluator.records.record import LOG_BYTES
from evaluator.sandbox import Limits, WorkerFault, WorkerTimeout, open_sandbox
from evaluator.state import REPOSITORY
from evaluator.tasks.candidate import MAX_BYTES, read_candidate
from evaluator.tasks.expressions import parse
from evaluator.tasks.reader import load_task
from evaluator.tasks.spec import Output, Tolerance
from evaluator.wording import ratio_text


def test_a_long_text_keeps_its_beginning_and_end_and_says_what_is_missing():
    text = "".join(f"line {number}\n" for number in range(5000))
    shown = excerpt(text, 1000)
    head, gap, tail = shown.partition("\n… ")
    count, _, rest = tail.partition(" characters left out …\n")
    assert len(shown) <= 1000
    assert text.startswith(head)
    assert text.endswith(rest)
    assert gap
    assert len(head) + int(count) + len(rest) == len(text)


@pytest.mark.parametrize("most", [0, 1, 20, 60, 99])
def test_a_short_limit_still_says_what_is_missing(most: int):
    assert "characters left out" in excerpt("x" * 100, most)


def test_a_text_within_the_limit_is_not_changed():
    assert (excerpt("abc", 3), cut("abc", 3), cut("abcd", 3)) == ("abc", "abc", "ab…")


def test_a_record_keeps_both_ends_of_a_log():
    log = log_of("the first error\n" + "x" * 100_000 + "\nthe last line")
    assert log.startswith("the first error")
    assert log.endswith("the last line")
    assert len(log) <= LOG_BYTES


class Silent(Exception):
    """One without a text."""


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ValueError("expected a square matrix\n" + "0.5, " * 9000), "ValueError: expected a square matrix"),
        (RuntimeError("\n\n  the second line\nmore"), "RuntimeError: the second line"),
        (AssertionError(), "AssertionError"),
        (KeyError("name"), "KeyError: 'name'"),
        (Silent(), "Silent"),
        (OSError(28, "No space left"), "OSError: [Errno 28] No space left"),
        (
            SyntaxError("invalid syntax", ("/ws/0/kernel.py", 3, 1, "x")),
            "SyntaxError: invalid syntax (kernel.py, line 3)",
        ),
        (ExceptionGroup("two\nproblems", [ValueError("a"), ValueError("b")]), "ExceptionGroup: two"),
    ],
)
def test_class_and_first_line_of_an_exception(error: Exception, sentence: str):
    assert sentence_of(error) == sentence


def test_an_endless_line_is_cut():
    assert len(sentence_of(ValueError("x" * 100_000))) == 600


def _compiler_error(kernel) -> Exception:
    from triton.compiler import ASTSource

    from evaluator.inside.isa.driver import gpu_target
    from evaluator.inside.isa.targets import GFX942

    with pytest.raises(triton.compiler.errors.CompilationError) as caught:
        triton.compile(ASTSource(fn=kernel, signature={"x": "*fp32"}, constexprs={}, attrs={}), gpu_target(GFX942))
    return caught.value


@triton.jit
def misspelled(x):
    triton.language.store(x, triton.language.maximun(1.0, 2.0))


@triton.jit
def caller_of_misspelled(x):
    misspelled(x)


@pytest.mark.parametrize("kernel", [misspelled, caller_of_misspelled])
def test_what_tritons_compiler_objects_to_comes_first(kernel):
    sentence = sentence_of(_compiler_error(kernel))
    assert sentence.startswith("CompilationError: AttributeError(")
    assert "has no attribute 'maximun'" in sentence
    assert "(line 2 of the function)" in sentence


SENTENCES = [
    ("raise ValueError('one\\n' + '2.5, ' * 9000)", "The candidate raised an exception: ValueError: one."),
    ("raise ValueError('2.5, ' * 9000)", "The candidate raised an exception: ValueError: 2.5, 2.5, "),
    ("class Own(Exception): pass\nraise Own('mine')", "The candidate raised an exception: Own: mine."),
    ("assert False", "The candidate raised an exception: AssertionError."),
    ("try:\n  1 / 0\nexcept ZeroDivisionError as e:\n  raise KeyError('k') from e", "exception: KeyError: 'k'."),
    (
        "class A(Exception):\n  def __str__(self): return 1 / 0\nraise A",
        "exception: A, whose text cannot be formatted.",
    ),
    ("open('/ws/missing/x.txt')", "[Errno 2] No such file or directory: '/ws/missing/x.txt'."),
]


@pytest.mark.parametrize(("code", "sentence"), SENTENCES)
def test_the_sentence_on_an_exception_begins_with_its_class(code: str, sentence: str):
    with open_sandbox("plain") as sandbox, sandbox.spawn(mailbox_bytes=1 << 16) as worker:
        worker.put("kernel.py", code.encode())
        with pytest.raises(WorkerFault) as caught:
            worker.call("run", path="kernel.py", timeout_s=30)
    rejection = rejection_of(caught.value)
    assert sentence in rejection.sentence
    assert len(rejection.sentence) < 400
    assert 'File "kernel.py", line ' in log_of(rejection.log)
    assert "/tmp/" not in log_of(rejection.log)


def test_both_ends_of_what_a_worker_printed_are_kept():
    code = b"print('the first line')\nprint('x' * 300_000)\nprint('the last line', flush=True)"
    with open_sandbox("plain") as sandbox, sandbox.spawn(mailbox_bytes=1 << 16) as worker:
        worker.put("kernel.py", code)
        worker.call("run", path="kernel.py", timeout_s=30)
        printed = worker.output()
    assert printed.startswith("the first line\n")
    assert printed.endswith("the last line\n")
    assert "bytes left out" in printed
    assert len(printed) < 100_000


def test_the_limits_that_a_worker_meets_are_named():
    with open_sandbox("plain", limits=Limits(output_bytes=1000)) as sandbox:
        worker = sandbox.spawn(mailbox_bytes=1 << 16)
        worker.put("kernel.py", b"print('x' * 5000, flush=True)\nwhile True: pass")
        with pytest.raises(Exception, match="printed more than 1,000 bytes"):
            worker.call("run", path="kernel.py", timeout_s=30)
    assert "no reply within 3 s" in rejection_of(WorkerTimeout("call", "no reply within 3 s", "")).sentence


def test_a_source_above_the_limit_is_named_with_its_size(tmp_path: Path):
    task = load_task("triton2triton/arena/softmax")
    (tmp_path / "softmax.py").write_bytes(b"#" * (MAX_BYTES + 1))
    (reason, detail), *_ = read_candidate(tmp_path, task).problems
    sentence = Rejection(reason, detail).sentence
    assert "softmax.py has 2,097,153 bytes; a source may have 2 MiB (2,097,152 bytes)" in sentence


@pytest.mark.parametrize("name", ["softmax.py", "notes.txt"])
def test_a_link_is_called_one(name: str, tmp_path: Path):
    (tmp_path / name).symlink_to("/etc/passwd")
    (reason, detail), *_ = read_candidate(tmp_path, load_task("triton2triton/arena/softmax")).problems
    assert (reason, detail) == ("not_a_source", f"{name} is a link")


@pytest.mark.parametrize(
    ("log", "line"),
    [
        ("k.hip:3:1: warning: unused\nk.hip:4:2: error: no member\nmore", "k.hip:4:2: error: no member"),
        (
            "k.o: undefined reference to `f'\ncollect2: error: ld returned 1 exit status",
            "k.o: undefined reference to `f'",
        ),
        (
            "nvcc error   : 'cicc' died due to signal 9 (Kill signal)",
            "nvcc error   : 'cicc' died due to signal 9 (Kill signal)",
        ),
        ("ptxas fatal   : Unresolved extern function 'f'\nlast", "ptxas fatal   : Unresolved extern function 'f'"),
        ("LLVM ERROR: out of memory\nstack dump", "LLVM ERROR: out of memory"),
        (
            "clang: error: linker command failed with exit code 1",
            "clang: error: linker command failed with exit code 1",
        ),
        ("only this", "only this"),
        ("", "the compiler printed nothing"),
    ],
)
def test_the_line_of_a_compiler_that_helps(log: str, line: str):
    assert first_error(log) == line


def _comparison(seen: torch.Tensor, wanted: torch.Tensor, tau: float) -> str:
    spec = Output(name="y", dtype="float32", shape=())
    case = load_task("triton2triton/arena/softmax").cases[0]
    tolerance = Tolerance(c=tau, n=parse("1"), tau=tau, because="test")
    found = compare(seen, wanted.double(), spec=spec, tolerance=tolerance, case=case, baseline=None)
    assert found.reason == "mismatch"
    return found.detail


@pytest.mark.parametrize("size", [1.0, 1e-30, 1e30])
@pytest.mark.parametrize("tau", [0.0, 1e-30, 1e-6])
def test_no_figure_of_a_sentence_is_longer_than_a_few_digits(size: float, tau: float):
    wanted = torch.linspace(0.1, 1, 100) * size
    detail = _comparison(-wanted, wanted, tau)
    assert len(detail) < 150
    assert ("none may" in detail) == (tau == 0)


@pytest.mark.parametrize(
    ("ratio", "text"), [(1.5, "1.5"), (9999.0, "9999.0"), (1.2345e300, "1.2e+300"), (-1e9, "-1.0e+09")]
)
def test_ratios(ratio: float, text: str):
    assert ratio_text(ratio) == text


PACKAGES, LIBRARY = sysconfig.get_path("purelib"), sysconfig.get_path("stdlib")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f'File "{REPOSITORY}/evaluator/pipeline.py", line 3', 'File "evaluator/pipeline.py", line 3'),
        ('File "/arena/evaluator/inside/caller.py", line 3', 'File "evaluator/inside/caller.py", line 3'),
        ('File "/ws/0123456789abcdef/softmax.py", line 40', 'File "softmax.py", line 40'),
        ("in /ws/0123456789abcdef", "in <workspace>"),
        ("/tmp/arena-a1b2c3d4/0123456789abcdef/k.hip:3:1: error", "k.hip:3:1: error"),
        ("cannot write /tmp/tmpab12/deep/er/x.o: full", "cannot write <tmp>/x.o: full"),
        (f"{PACKAGES}/triton/jit.py", "site-packages/triton/jit.py"),
        (f"{LIBRARY}/json/decoder.py", f"python3.{sys.version_info.minor}/json/decoder.py"),
        ("no such file: '/home/alice/models/w.bin'", "no such file: '~/models/w.bin'"),
        ("/Users/alice/x and /root/y and /root", "~/x and ~/y and ~"),
        ("hip2hip/arena/GELU in triton2triton/arena/softmax", "hip2hip/arena/GELU in triton2triton/arena/softmax"),
        ("a/tmp/b, x/home/y/z, /rooted, 3 /roots", "a/tmp/b, x/home/y/z, /rooted, 3 /roots"),
        ("/usr/include/c++/12/cmath:4: error", "/usr/include/c++/12/cmath:4: error"),
        ("https://example.org/home/x", "https://example.org/home/x"),
    ],
)
def test_folders_of_this_host_are_not_shown(text: str, shown: str):
    assert without_host_paths(text) == shown


def test_the_state_folder_is_not_shown(monkeypatch, tmp_path):
    assert str(os.environ.get("ARENA_STATE") or REPOSITORY) not in without_host_paths(
        f"cannot read {os.environ.get('ARENA_STATE') or REPOSITORY / '.arena'}/builds/x.so"
    )


@pytest.mark.parametrize("unit", ["/tmp/", "/home/", "/ws/", "/tmp/a", "/root", "/arena/", "tmp/tmp/", "/a"])
def test_hostile_texts_take_linear_time(unit: str):
    text = unit * 100_000
    begin = time.perf_counter()
    without_host_paths(text)
    assert time.perf_counter() - begin < 2
