"""Distances between rows and their norm, each as a sum of powers and a root."""

from __future__ import annotations


def reference(inputs):
    p, q = inputs["p_distance"], inputs["p_norm"]
    away = inputs["x1"] - inputs["x2"] + inputs["eps_distance"]
    distance = (away.abs() ** p).sum(2) ** (1 / p)
    norm = (distance**q).sum(inputs["dim_norm"], keepdim=True) ** (1 / q)
    return {"out": distance / norm.clamp(min=inputs["eps_norm"])}
