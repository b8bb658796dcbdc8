"""How many codes are not the whole part of their quotient, even if it were moved as far as float32 may move it."""

from __future__ import annotations

ROUNDING = 1e-4  # of a quotient of at most 127


def relations(inputs, outputs, reference):
    q, quotient = outputs["q"], inputs["x"] / reference["scales"].repeat_interleave(inputs["group_size"], dim=1)
    return {"truncation": ((q < (quotient - ROUNDING).trunc()) | (q > (quotient + ROUNDING).trunc())).sum()}
