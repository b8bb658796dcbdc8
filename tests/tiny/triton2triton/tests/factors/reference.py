import torch


def reference(inputs):
    """In closed form: torch.linalg.qr factorises a million matrices on a GPU one after another, for a minute."""
    a = inputs["a"]
    length = a[:, :, 0].norm(dim=1)
    divisor = torch.where(length > 0, length, 1.0)
    cosine = torch.where(length > 0, a[:, 0, 0] / divisor, 1.0)
    sine = a[:, 1, 0] / divisor
    q = torch.stack([cosine, -sine, sine, cosine], 1).reshape(-1, 2, 2)
    r = q.mT @ a
    return {"q": q, "r": r.triu()}


def second_opinion(inputs):
    q, r = torch.linalg.qr(inputs["a"])
    return {"q": q, "r": r.triu()}
