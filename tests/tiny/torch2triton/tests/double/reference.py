def reference(inputs):
    return {"y": 2 * inputs["x"]}


def second_opinion(inputs):
    return {"y": inputs["x"] + inputs["x"]}
