def reference(inputs):
    x = inputs["x"]
    return {"kept": x[x > 0]}


def second_opinion(inputs):
    x = inputs["x"]
    return {"kept": x.new_tensor([value for value in x.tolist() if value > 0])}
