"""The solution of least squares problems by QR factors in double precision."""

from __future__ import annotations

import torch


def reference(inputs):
    q, r = torch.linalg.qr(inputs["a"])
    return {"x": torch.linalg.solve_triangular(r, q.mT @ inputs["b"], upper=True)}
