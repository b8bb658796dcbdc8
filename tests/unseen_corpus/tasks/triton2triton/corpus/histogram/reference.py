import torch


def reference(inputs):
    return {"counts": torch.bincount(inputs["x"], minlength=inputs["bins"])}


def second_opinion(inputs):
    values = torch.arange(inputs["bins"], device=inputs["x"].device)
    return {"counts": (inputs["x"][None, :] == values[:, None]).sum(1)}
