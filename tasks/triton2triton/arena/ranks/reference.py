"""How many logits of a row are at least as high as that of the row's token."""

from __future__ import annotations


def reference(inputs):
    chosen = inputs["logits"].gather(1, inputs["token_ids"][:, None])
    return {"ranks": (inputs["logits"] >= chosen).sum(dim=1)}
