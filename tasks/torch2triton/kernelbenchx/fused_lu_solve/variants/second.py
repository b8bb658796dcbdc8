"""The solution of linear systems by an orthogonal factor and a triangle."""

from __future__ import annotations

import torch


def reference(inputs):
    q, r = torch.linalg.qr(inputs["a"])
    return {"x": torch.linalg.solve_triangular(r, q.mT @ inputs["b"][:, :, None], upper=True)[:, :, 0]}
