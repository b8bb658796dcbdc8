import torch


def reference(inputs):
    mantissa, exponent = torch.frexp(inputs["x"])
    return {"y": torch.ldexp(torch.round(mantissa * 8), exponent - 4)}


def second_opinion(inputs):
    return {"y": (inputs["x"] / 2).float().to(torch.float8_e5m2).double()}
