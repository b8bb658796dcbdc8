def reference(inputs):
    return {"y": inputs["x"].mean(1)}


def second_opinion(inputs):
    return {"y": inputs["x"].sum(1) / inputs["x"].shape[1]}
