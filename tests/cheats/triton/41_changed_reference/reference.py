def reference(inputs):
    return {"y": inputs["x"]}
