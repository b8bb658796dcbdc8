"""Flipping an even number of times changes nothing."""


def reference(inputs):
    x = inputs["x"]
    return {"y": x if inputs["rounds"] % 2 == 0 else 1.0 - x}


def second_opinion(inputs):
    y = inputs["x"]
    for _ in range(inputs["rounds"]):
        y = 1.0 - y
    return {"y": y}
