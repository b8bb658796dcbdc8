"""How many codes are not the nearest integer to their quotient, which float32 cannot tell from a half exactly."""

from __future__ import annotations

ROUNDING = 1e-4  # of a quotient of at most 127


def relations(inputs, outputs, reference):
    quotient = inputs["x"] / reference["scales"]
    return {"rounding": ((outputs["q"] - quotient).abs() > 0.5 + ROUNDING).sum()}
