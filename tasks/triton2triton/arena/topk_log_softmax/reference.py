"""The log-probabilities of some tokens, by PyTorch's log_softmax."""

from __future__ import annotations


def reference(inputs):
    return {"log_probabilities": inputs["logits"].log_softmax(dim=1).gather(1, inputs["token_ids"])}
