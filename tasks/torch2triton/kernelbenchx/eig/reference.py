"""Eigenvalues and eigenvectors by PyTorch: one of the right answers, which relations.py tells from wrong ones."""

from __future__ import annotations

import torch


def reference(inputs):
    values, vectors = torch.linalg.eigh(inputs["a"])
    return {"values": values, "vectors": vectors}
