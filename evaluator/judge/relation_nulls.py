"""Null candidates for outputs that are judged by relations: each keeps some relations of a right answer for nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import torch

from evaluator.judge.draws import Contents
from evaluator.tasks.spec import ITEMSIZE, Output, TaskSpec

Outputs = Mapping[str, torch.Tensor]
RelationNull = Callable[[TaskSpec, Contents, Outputs], dict[str, torch.Tensor]]
SCALE = 2.0  # exact in every dtype


def relation_nulls(task: TaskSpec) -> dict[str, RelationNull]:
    """Return the null candidates of a task by name; none where every output is unique.

    Each gets the inputs and the reference's outputs of one draw, and returns all outputs, not yet of their dtypes.
    """
    judged = [output for output in task.outputs if not output.unique]
    if not judged:
        return {}
    found: dict[str, RelationNull] = {"identity_factors": _identities, "unsorted": partial(_unsorted, judged[0])}
    if factors := [output.name for output in judged if "float" in output.dtype or output.dtype not in ITEMSIZE]:
        found["scaled_factors"] = partial(_scaled, factors)
    return found | {f"input_as_{output.name}": partial(_input_as, output.name) for output in judged}


def _identities(task: TaskSpec, contents: Contents, wanted: Outputs) -> dict[str, torch.Tensor]:
    """Return unit matrices for the outputs that are not unique."""
    return {one.name: wanted[one.name] if one.unique else _unit(wanted[one.name]) for one in task.outputs}


def _unit(like: torch.Tensor) -> torch.Tensor:
    return torch.eye(*like.shape[-2:], dtype=like.dtype).expand_as(like) if like.ndim > 1 else torch.ones_like(like)


def _input_as(name: str, task: TaskSpec, contents: Contents, wanted: Outputs) -> dict[str, torch.Tensor]:
    """Return what fits of the first input as one factor, and unit matrices as the others."""
    given = next((value for value in contents.values() if isinstance(value, torch.Tensor)), None)
    factor = torch.zeros_like(wanted[name])
    if given is not None and given.ndim == factor.ndim:
        part = tuple(slice(min(sizes)) for sizes in zip(given.shape, factor.shape, strict=True))
        factor[part] = given[part].to(factor.dtype)
    return _identities(task, contents, wanted) | {name: factor}


def _scaled(factors: list[str], task: TaskSpec, contents: Contents, wanted: Outputs) -> dict[str, torch.Tensor]:
    """Return a right answer with the first factor doubled and the last halved, so that their product stays right."""
    scaled = dict(wanted) | {factors[0]: wanted[factors[0]] * SCALE}
    return scaled | ({factors[-1]: wanted[factors[-1]] / SCALE} if len(factors) > 1 else {})


def _unsorted(first: Output, task: TaskSpec, contents: Contents, wanted: Outputs) -> dict[str, torch.Tensor]:
    """Return a right answer with its components in the opposite order, so that their sum stays right.

    The components lie along the last axis of the first output, and along the first axis of that size of the others:
    columns of one factor, rows of the next.
    """
    flipped = dict(wanted)
    for output in task.outputs:
        axes = [axis for axis, extent in enumerate(output.shape) if extent.text == first.shape[-1].text]
        flipped[output.name] = wanted[output.name].flip(axes[-1:] if output is first else axes[:1])
    return flipped
