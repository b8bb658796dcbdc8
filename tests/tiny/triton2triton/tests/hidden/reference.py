import torch


def reference(inputs):
    return {"y": inputs["x"] @ inputs["w"]}


def second_opinion(inputs):
    return {"y": torch.einsum("ik,kj->ij", inputs["x"], inputs["w"])}


def covariance(inputs, rows, columns):
    terms = inputs["x"][rows][:, :, None] * inputs["w"][:, columns]
    return {"y": terms.mT @ terms * (0.25 / 0.75)}
