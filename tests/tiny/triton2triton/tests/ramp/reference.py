import torch


def reference(inputs):
    return {"y": inputs["start"] + torch.arange(inputs["n"], dtype=torch.float64) * inputs["step"]}


def second_opinion(inputs):
    values = [inputs["start"] + inputs["step"] * index for index in range(inputs["n"])]
    return {"y": torch.tensor(values, dtype=torch.float64)}
