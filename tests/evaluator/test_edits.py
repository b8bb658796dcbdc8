"""Kinds of edit: each has a pair of sources that shows it, and a twin that differs and does not."""

from __future__ import annotations

import time
from difflib import unified_diff

import pytest

from evaluator.records.edits import KINDS, kinds_of, kinds_of_diff

LOAD = "x = tl.load(x_ptr + offs, mask=mask)"
# File, kind, a line before, the line after, and what the line becomes where it is no such edit.
SHOWN = (
    (
        "k.py",
        "mask",
        LOAD,
        "x = tl.load(x_ptr + offs, mask=mask & (cols < n))",
        "x = tl.load(x_ptr + offs,  mask=mask)",
    ),
    ("k.py", "mask", LOAD, "x = tl.load(x_ptr + offs, mask=mask, other=0.0)", "y = tl.load(x_ptr + offs, mask=mask)"),
    ("k.py", "mask", "y = x", "y = tl.where(keep, x, 0.0)", "y = where(keep, x, 0.0)"),
    ("k.hip", "mask", "if (i < n) f(i);", "if (i < n - 1) f(i);", "if (i < n) g(i);"),
    ("k.py", "cast", "y = x", "y = x.to(tl.float32)", "y = x.total"),
    ("k.py", "cast", "y = torch.empty(n, dtype=a)", "y = torch.empty(n, dtype=b)", "y = torch.empty(m, dtype=a)"),
    ("k.hip", "cast", "float y = x;", "float y = static_cast<float>(x);", "float y = cast(x);"),
    ("k.hip", "cast", "f(x);", "f(__half2float(x));", "f(half_to_float(x));"),
    ("k.py", "stride", "p = a", "p = a + row * stride_m", "p = a + b"),
    ("k.py", "stride", "x = tl.load(p + i)", "x = tl.load(p + j)", "x = tl.load(p + i, mask=m)"),
    ("k.py", "stride", "i = 0", "i = tl.arange(0, n)", "i = arange"),
    ("k.hip", "stride", "y[i] = x[i];", "y[i] = x[i * n + j];", "y[i] = z[i];"),
    ("k.py", "launch", "k[grid](x, num_warps=4)", "k[grid](x, num_warps=8)", "k[grid](y, num_warps=4)"),
    ("k.py", "launch", "BLOCK = 128", "BLOCK = 256", "BLOCK = 128; blocks = 2"),
    ("k.hip", "launch", "k<<<n, 256>>>(x);", "k<<<n, 512>>>(x);", "k<<<n, 256>>>(y);"),
    ("k.hip", "launch", "void k() {", "__launch_bounds__(256) void k() {", "void launch_bounds_256() {"),
    ("k.py", "algorithm", "s = x", "s = tl.sum(x, axis=0)", "s = total(x, axis=0)"),
    ("k.py", "algorithm", "s += f(0)", "for i in range(4): s += f(i)", "s += f(1)"),
    ("k.hip", "algorithm", "float s = x;", "__shared__ float s[32];", "float shared = x;"),
    ("k.hip", "algorithm", "s = x;", "s += __shfl_down(x, 1);", "s += shuffle(x, 1);"),
    ("k.py", "delegated", "y = k(x)", "y = torch.softmax(x, -1)", "y = torch.empty_like(x)"),
    ("k.py", "delegated", "y = torch.mm(a, b)", "y = k(a, b)", "y = torch.mm(b, a)"),
    ("k.py", "delegated", "y = k(x)", "y = F.gelu(x)", "y = f.gelu(x)"),
    ("k.hip", "delegated", "k(x);", "hipblasSgemm(h, x);", "blas(x);"),
)


@pytest.mark.parametrize(
    ("path", "kind", "before", "after", "twin"), SHOWN, ids=[f"{one[1]}-{one[3]}" for one in SHOWN]
)
def test_an_edit_has_its_kind_and_its_twin_has_not(path, kind, before, after, twin) -> None:
    assert kind in kinds_of({path: before}, {path: after})
    assert kind not in kinds_of({path: before}, {path: twin})
    assert kind in kinds_of({path: after}, {path: before})  # what was taken away is an edit, too


@pytest.mark.parametrize(
    ("path", "kind", "before", "after", "twin"), SHOWN, ids=[f"{one[1]}-{one[3]}" for one in SHOWN]
)
def test_a_diff_has_the_kinds_of_its_sources(path, kind, before, after, twin) -> None:
    for new in (after, twin):
        assert kinds_of_diff(written(path, before, new)) == kinds_of({path: before}, {path: new})


def test_comments_strings_and_spaces_are_no_substantial_change() -> None:
    before = 'x = 1  # mask=old\n"""tl.sum(x)"""\n'
    assert kinds_of({"k.py": before}, {"k.py": 'x  =  1\n"""torch.mm(a, b)"""\n# for i in range(4)\n'}) == ("none",)
    assert kinds_of({"k.hip": "f(); // a"}, {"k.hip": "f(); /* for (;;) */"}) == ("none",)
    assert kinds_of_diff("") == ("none",)


@pytest.mark.parametrize(
    ("path", "before", "after", "kinds"),
    [
        ("k.py", "if x:\n    y = 1\nz = 2\n", "if x:\n    y = 1\n    z = 2\n", ("other",)),
        ("k.py", "if x:\n    y = 1\nz = 2\n", "if x:\n  y = 1\n\n\nz  = 2\n", ("none",)),
        ("k.py", "y = f(a,\n      b)\nz = 2\n", "y = f(a,\n  b)\nz = 2\n", ("none",)),
        ("k.hip", "if (x) y = 1;\nz = 2;\n", "if (x) y = 1;\n    z = 2;\n", ("none",)),
    ],
    ids=["into another block", "narrower steps", "inside brackets", "no Python"],
)
def test_in_python_the_block_of_a_line_is_code(path, before, after, kinds) -> None:
    assert kinds_of({path: before}, {path: after}) == kinds
    lines = before.splitlines(), after.splitlines()
    assert kinds_of_diff("\n".join(unified_diff(*lines, f"a/{path}", f"b/{path}", lineterm=""))) == kinds


def test_what_lies_beyond_what_is_read_has_no_kind() -> None:
    long = "x = 1\n" * 20_000
    assert kinds_of({"k.py": f"{long}y = 2"}, {"k.py": f"{long}y = tl.sum(x)"}) == ()
    assert kinds_of({"k.py": "y = 2", "long.py": long}, {"k.py": "y = tl.sum(x)", "long.py": long}) == ("algorithm",)


def test_what_has_no_kind_is_other_and_one_edit_may_have_several() -> None:
    assert kinds_of({"k.py": "y = a * b"}, {"k.py": "y = a / b"}) == ("other",)
    found = kinds_of({"k.py": LOAD}, {"k.py": "for i in range(4): x = tl.load(x_ptr + i, mask=i < n).to(tl.float32)"})
    assert found == ("mask", "cast", "stride", "algorithm")  # in the order of KINDS
    assert [kind for kind in KINDS if kind in found] == list(found)


def test_a_line_that_only_moved_is_an_edit_of_no_kind() -> None:
    assert kinds_of({"k.py": f"{LOAD}\na = 1"}, {"k.py": f"a = 1\n{LOAD}"}) == ("other",)


def test_a_hunk_that_ends_inside_a_long_string_still_shows_its_code() -> None:
    diff = '--- a/k.py\n+++ b/k.py\n@@ -8,3 +8,3 @@\n the end of it\n """\n-s = x\n+s = tl.sum(x)\n'
    assert kinds_of_diff(diff) == ("algorithm",)


def test_files_of_several_languages_are_read_each_in_its_own() -> None:
    diff = written("a.hip", "f(); // x", "f(); // tl.sum(y)") + written("b.py", "a = b // c", "a = b // d")
    assert kinds_of_diff(diff) == ("other",)  # what follows // is a comment in the first alone


HOSTILE = (
    "mask = ",
    "if (",
    "[",
    "torch.",
    "<<<",
    "tl.load(",
    "stride ",
    "x[a",
    '"""',
    "_",
    "if ( <",
    "half2",
    "grid",
    "a=b\n",
)


@pytest.mark.parametrize("piece", HOSTILE)
def test_the_time_is_linear_in_what_a_stranger_wrote(piece) -> None:
    small, large = (piece * (size // len(piece)) for size in (10_000, 40_000))
    assert seconds_of(large) < 12 * seconds_of(small) + 0.2  # four times as much; a square would be sixteen times


def seconds_of(text: str) -> float:
    began = time.process_time()
    kinds_of({"k.py": text}, {"k.py": f"{text}b"})
    return time.process_time() - began


def written(path: str, before: str, after: str) -> str:
    return "\n".join(unified_diff([before], [after], f"a/{path}", f"b/{path}", lineterm="")) + "\n"
