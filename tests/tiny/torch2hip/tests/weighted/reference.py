def reference(inputs):
    return {"y": inputs["x"] @ inputs["w"]}


def second_opinion(inputs):
    return {"y": (inputs["x"] * inputs["w"]).sum(1)}
