"""The probabilities after top-k and top-p, by a sort. Tokens that miss top-p by less than float32 can tell get next
to nothing.
"""

from __future__ import annotations

import torch

UNDECIDED = 1e-5  # of the mass: float32 sums of a vocabulary are as exact as this
NEXT_TO_NOTHING = 1e-30  # may be drawn, never will be


def reference(inputs):
    logits = inputs["logits"]
    if inputs["allowed"] is not None:
        logits = logits.masked_fill(~inputs["allowed"], -torch.inf)
    ordered = logits.sort(dim=1, descending=True).values
    place = (inputs["top_k"].long() - 1).clamp(max=logits.shape[1] - 1)
    stays = (logits >= ordered.gather(1, place[:, None])) & (logits > -torch.inf)
    scaled = (logits / inputs["temperature"][:, None]).masked_fill(~stays, -torch.inf)
    mass = scaled.softmax(1)
    down = mass.sort(dim=1, descending=True).values
    before = torch.nn.functional.pad(down.cumsum(1), (1, 0))
    first_equal = torch.searchsorted(-ordered, -logits)  # of each token: the first place with its logit
    above = before.gather(1, first_equal)
    margin = inputs["top_p"][:, None] - above
    chosen = torch.where(stays & (margin > 0), mass, 0.0)
    chosen /= chosen.sum(1, keepdim=True)
    return {"tokens": torch.where(stays & (margin <= 0) & (margin > -UNDECIDED), NEXT_TO_NOTHING, chosen)}
