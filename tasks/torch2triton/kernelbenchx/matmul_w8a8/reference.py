"""The product in full precision; the judge calls it on quantised inputs too."""

from __future__ import annotations


def reference(inputs):
    return {"out": inputs["x"] @ inputs["w"]}
