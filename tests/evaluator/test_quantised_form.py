"""Whether a source shows the quantised form that its task asks for: two honest styles of each do, floats do not."""

from __future__ import annotations

import pytest

from evaluator.gates import source
from evaluator.gates.plain.quantised import missing_forms
from evaluator.judge.rejection import Rejection
from tests.evaluator.test_source_reader import Context

KERNEL = """\
import torch
import triton
import triton.language as tl


I8 = tl.constexpr(tl.int8)
LOW = tl.constexpr(15)


@triton.jit
def rounded(x):
    return tl.floor(x + 0.5).to(tl.int8)


@triton.jit
def sometimes(x):
    if x.shape[0] > 16:
        return x
    return x.to(tl.int8)


@triton.jit
def unpack(packed):
    return (packed & 15) - 8, (packed >> 4) - 8


@triton.jit
def product_kernel(a_ptr, b_ptr, y_ptr, scale, K, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK, BLOCK), dtype=tl.int32)
    a = tl.load(a_ptr + at)
    b = tl.load(b_ptr + at)
    for k in range(0, K, BLOCK):
{body}
    tl.store(y_ptr + at, acc * scale)
"""
INT8 = {
    "cast where used": "acc += tl.dot(a.to(tl.int8), b.to(tl.int8))",
    "cast where assigned": "q = tl.floor(a / scale).to(tl.int8)\nr = b.to(tl.int8)\nacc = tl.dot(q, tl.trans(r), acc)",
    "by tl.cast, and given by name": "acc += tl.dot(input=tl.cast(a, tl.int8), other=b.to(tl.int8).T)",
    "with types given by name": "acc += tl.dot(a.to(dtype=tl.int8), tl.cast(b, dtype=tl.int8))",
    "by a method, and with a constant": "acc += tl.dot(a.cast(tl.int8), b.to(I8, bitcast=False))",
    "by a function of the source": "acc += tl.dot(rounded(a), rounded(b))",
    "one of two casts": "acc += tl.dot(tl.where(a > 0, a.to(tl.int8), (-a).to(tl.int8)), b.to(tl.int8))",
    "with a scale a group": "acc += tl.dot(a.to(tl.int8), b.to(tl.int8)).to(tl.float32) * scale",
    "and a sum of one factor": "acc = tl.dot(a.to(tl.int8), b.to(tl.int8))\np = tl.exp(acc * scale)\ns = tl.sum(p, 1)",
    "and a sum of integers": (
        "acc = tl.dot(a.to(tl.int8), b.to(tl.int8))\ns = tl.sum(a.to(tl.int32) * b.to(tl.int32), 1)"
    ),
}
NOT_INT8 = {
    "floats": ("acc += tl.dot(a, b)", "tl.dot of a, not cast to tl.int8"),
    "one operand": ("acc += tl.dot(a.to(tl.int8), b)", "tl.dot of b"),
    "the bits of floats": ("acc += tl.dot(a.to(tl.int8, bitcast=True), b.to(tl.int8))", "tl.dot of a.to(tl.int8, bit"),
    "bits by position": (
        "acc += tl.dot(tl.cast(a, tl.int8, None, True), b.to(tl.int8))",
        "tl.dot of tl.cast(a, tl.int",
    ),
    "by a function that sometimes casts": ("acc += tl.dot(sometimes(a), b.to(tl.int8))", "tl.dot of sometimes(a)"),
    "one of two, of which one is a cast": (
        "acc += tl.dot(tl.where(a > 0, a.to(tl.int8), a), b.to(tl.int8))",
        "tl.dot of tl.where(",
    ),
    "cast to something else": ("acc += tl.dot(a.to(tl.int8), b.to(tl.float16))", "tl.dot of b.to(tl.float16)"),
    "dequantised after the cast": (
        "q = a.to(tl.int8) * scale\nacc += tl.dot(q, b.to(tl.int8))",
        "tl.dot of q, not cast to tl.int8",
    ),
    "cast in one branch": (
        "q = a.to(tl.int8)\nif k > 0:\n    q = a\nacc += tl.dot(q, b.to(tl.int8))",
        "tl.dot of q, not cast to tl.int8",
    ),
    "a sum beside a decoy": (
        "d = tl.dot(a.to(tl.int8), b.to(tl.int8))\nacc += tl.sum(a * b, 1)",
        "a sum of a * b, not cast to tl.int32",
    ),
    "no product": ("acc += 1", "no tl.dot"),
    "a library's": ("acc = a @ b", "@ may multiply anything"),
    "a library's by name": ("acc = torch.matmul(a, b)", ".matmul may multiply anything"),
    "a library's by a text": ("acc = getattr(torch, 'mm')(a, b)", ".mm may multiply anything"),
    "under another name": ("dot = tl.dot\nacc = dot(a, b)", ".dot may multiply anything"),
    "scaled by the unit": ("acc = tl.dot_scaled(a, s, 'e4m3', b, s, 'e4m3')", ".dot_scaled may multiply anything"),
    "arguments in a list": ("acc = tl.dot(*pair)", "tl.dot of tl.dot(*pair)"),
}
INT4 = {
    "halves in two products": "acc += tl.dot(a, (b & 15).to(a.dtype) - 8)\nacc += tl.dot(a, (b >> 4).to(a.dtype))",
    "interleaved and scaled": (
        "low = b & 15\nhigh = b >> 4\nw = tl.interleave(low, high).to(tl.float16)\nacc += tl.dot(a, (w - 8) * scale)"
    ),
    "by a function": "low, high = unpack(b)\nw = tl.join(low, high)\nacc += tl.dot(a, w)",
    "by a mask with a name": "M: tl.constexpr = 15\nacc += tl.dot(a, (b & M).to(tl.float16))",
    "by a constant of the file": "acc += tl.dot(a, (LOW & b).to(tl.float16))",
    "without a tl.dot": "acc += tl.sum(a * (b // 16), 1)",
}
NOT_INT4 = {
    "weights as they are": "acc += tl.dot(a, b)",
    "half bytes in an address alone": "w = tl.load(b_ptr + at // 16)\nacc += tl.dot(a, w)",
    "half bytes of positions alone": "i = tl.arange(0, BLOCK)[None, :]\nacc += tl.dot(a, b + 0 * (i & 15))",
    "one product of two": "acc += tl.dot(a, (b & 15).to(tl.float16))\nacc += tl.dot(a, b)",
    "another mask": "acc += tl.dot(a, (b & 255).to(tl.float16))",
    "a sum of what is not unpacked": "acc += tl.sum(a * b, 1)",
}


def kernel(body: str) -> bytes:
    return KERNEL.format(body="\n".join(f"        {line}" for line in body.splitlines())).encode()


def missing(body: str, form: str) -> list[str]:
    return [finding.name for finding in missing_forms(kernel(body), [form])]


@pytest.mark.parametrize("body", INT8.values(), ids=INT8)
def test_an_int8_product_is_seen(body):
    assert missing(body, "int8_dot") == []


@pytest.mark.parametrize(("body", "expected"), NOT_INT8.values(), ids=NOT_INT8)
def test_what_is_no_int8_product_is_found(body, expected):
    assert any(name.startswith(expected) for name in missing(body, "int8_dot")), missing(body, "int8_dot")


@pytest.mark.parametrize("body", INT4.values(), ids=INT4)
def test_unpacked_weights_are_seen(body):
    assert missing(body, "int4_weights") == []


@pytest.mark.parametrize("body", NOT_INT4.values(), ids=NOT_INT4)
def test_weights_that_are_not_unpacked_are_found(body):
    assert missing(body, "int4_weights") != []


def test_the_source_gate_holds_what_does_not_show_the_form_and_asks_only_where_a_task_requires_it():
    floats = {"kernel.py": kernel(NOT_INT8["floats"][0])}
    asked, unasked = Context(floats), Context(floats)
    asked.requirements = ("int8_dot",)
    found: list[Rejection | None] = [source.check(one) for one in (asked, unasked)]
    assert found == [None, None]
    assert [finding.code for finding in asked.held] == ["not_quantised"]
    assert "tl.dot of a, not cast to tl.int8 (line 34)" in asked.held[0].text
    assert unasked.held == []
