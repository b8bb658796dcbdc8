"""Layer normalisation in full precision, with mean and biased variance written out."""

from __future__ import annotations


def reference(inputs):
    x = inputs["x"]
    centred = x - x.sum(1, keepdim=True) / x.shape[1]
    out = centred / (centred.square().sum(1, keepdim=True) / x.shape[1] + inputs["eps"]).sqrt()
    return {"out": out if inputs["weight"] is None else out * inputs["weight"] + inputs["bias"]}
