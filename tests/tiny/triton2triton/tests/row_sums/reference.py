def reference(inputs):
    return {"y": inputs["x"].sum(1)}


def second_opinion(inputs):
    return {"y": inputs["x"].cumsum(1)[:, -1]}
