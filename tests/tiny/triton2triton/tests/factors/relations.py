import torch


def relations(inputs, outputs, reference):
    a, q, r = inputs["a"], outputs["q"], outputs["r"]
    scale = a.norm(dim=(1, 2)).clamp_min(torch.finfo(torch.float32).tiny)
    return {
        "residual": (a - q @ r).norm(dim=(1, 2)) / scale,
        "orthogonality": (q.mT @ q - torch.eye(2, dtype=q.dtype, device=q.device)).norm(dim=(1, 2)) / 2**0.5,
        "triangle": (r[:, 1, 0] != 0).sum(),
    }
