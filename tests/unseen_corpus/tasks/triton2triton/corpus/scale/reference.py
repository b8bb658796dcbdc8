import torch


def reference(inputs):
    y = inputs["x"] * inputs["w"]
    return {"y": y if inputs["b"] is None else y + inputs["b"]}


def second_opinion(inputs):
    b = torch.zeros_like(inputs["w"]) if inputs["b"] is None else inputs["b"]
    return {"y": torch.stack([row * inputs["w"] + b for row in inputs["x"]])}
