"""The cosine of two normalised tensors' lines, by PyTorch."""

from __future__ import annotations

from torch.nn.functional import cosine_similarity, normalize


def reference(inputs):
    dim, how = inputs["dim"], {"p": inputs["p_norm"], "dim": inputs["dim"], "eps": inputs["eps_norm"]}
    x1, x2 = normalize(inputs["x1"], **how), normalize(inputs["x2"], **how)
    return {"similarity": cosine_similarity(x1, x2, dim=dim, eps=inputs["eps_similarity"])}
