import torch


def reference(inputs):
    return {"y": inputs["x"] * inputs["w"]}


def second_opinion(inputs):
    x, w = inputs["x"], inputs["w"]
    return {"y": torch.polar(x.abs() * w.abs(), x.angle() + w.angle())}
