import torch


def reference(inputs):
    x = inputs["x"][inputs["order"]] * inputs["weight"] * inputs["scale"]
    if inputs["bias"] is not None:
        x = x + inputs["bias"]
    x = x + inputs["shift"][:, None]
    return {"y": torch.where(inputs["keep"][:, None], x, 0.0), "kept": inputs["keep"].sum()}


def second_opinion(inputs):
    assert inputs["width"] == inputs["x"].shape[1]
    rows = []
    for at, source in enumerate(inputs["order"].tolist()):
        row = inputs["x"][source] * (inputs["weight"] * inputs["scale"]) + float(inputs["shift"][at])
        row = row if inputs["bias"] is None else row + inputs["bias"]
        rows.append(row if inputs["keep"][at] else torch.zeros_like(row))
    return {"y": torch.stack(rows), "kept": torch.tensor(int(inputs["keep"].count_nonzero()))}
