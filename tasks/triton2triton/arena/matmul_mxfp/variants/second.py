"""The product row by row, with codes decoded by their fields and scales by math.ldexp; NaN fills a row at once."""

from __future__ import annotations

import math

import torch


def number(code):
    sign, exponent, mantissa = code // 8, code // 2 % 4, code % 2
    size = mantissa / 2 if exponent == 0 else (1 + mantissa / 2) * 2 ** (exponent - 1)
    return -size if sign else size


def reference(inputs):
    b = inputs["b"]
    out = torch.full((len(inputs["a"]), b.shape[1]), math.nan, dtype=torch.float64)
    for result, octets, scales in zip(out, inputs["a"].tolist(), inputs["a_scale"].tolist(), strict=True):
        if 255 in scales:
            continue
        result.zero_()
        for group, scale in enumerate(scales):
            codes = [half for octet in octets[16 * group : 16 * group + 16] for half in (octet % 16, octet // 16)]
            row = torch.tensor([math.ldexp(number(code), scale - 127) for code in codes], dtype=torch.float64)
            result += (row[:, None] * b[32 * group : 32 * group + 32]).sum(0)
    return {"out": out}
