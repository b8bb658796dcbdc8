"""The offsets of a case's tensors in a worker's mailbox. The judge chooses them and sends them to the worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from evaluator.inside.channel import PAGE_BYTES
from evaluator.judge.draws import Contents, shape_of
from evaluator.judge.renewal import renewal_spec
from evaluator.sandbox import Worker
from evaluator.tasks.spec import Case, TaskSpec

ALIGNMENT = 256
LEAST_MAILBOX_BYTES = 4 << 20  # files are sent through it too


@dataclass(frozen=True, slots=True)
class Layout:
    """`inputs` and `outputs` as the worker's `open` command takes them; `bytes` is their total size."""

    inputs: tuple[dict[str, Any], ...]
    outputs: tuple[dict[str, Any], ...]
    bytes: int

    def write(self, contents: Contents, worker: Worker) -> None:
        """Write the contents of inputs to the mailbox, and poison the outputs."""
        for spec in self.inputs:
            value = contents[spec["name"]]
            if isinstance(value, torch.Tensor):
                self._tensor(spec, spec["offset"], worker).copy_(value)
        for spec in self.outputs:
            self._tensor(spec, spec["offset"], worker).view(-1).view(torch.uint8).fill_(0xFF)

    def read_outputs(self, worker: Worker, device: str, lengths: object) -> dict[str, torch.Tensor] | None:
        """Return copies of the outputs on the judge's device, which no worker can change any more.

        `lengths`: how long the varying outputs are, as the worker says; None is returned if that cannot be.
        """
        found = dict[str, torch.Tensor]()
        for spec in self.outputs:
            if (shape := _returned_shape(spec, lengths)) is None:
                return None
            found[spec["name"]] = self._tensor({**spec, "shape": shape}, spec["offset"], worker).to(device, copy=True)
        return found

    @staticmethod
    def values(contents: Contents) -> dict[str, int | float | None]:
        """Return what a call is given in place of tensors."""
        return {name: value for name, value in contents.items() if not isinstance(value, torch.Tensor)}

    def changed_inputs(self, contents: Contents, worker: Worker, allowed: frozenset[str]) -> list[str]:
        """Return the names of inputs whose bytes differ from what was sent."""
        changed = []
        for spec in self.inputs:
            value = contents[spec["name"]]
            if isinstance(value, torch.Tensor) and spec["name"] not in allowed:
                after = self._tensor(spec, spec["after"], worker)
                if not torch.equal(_bytes(after.to(value.device)), _bytes(value)):
                    changed.append(spec["name"])
        return changed

    @staticmethod
    def _tensor(spec: dict[str, Any], offset: int, worker: Worker) -> torch.Tensor:
        return worker.mailbox.tensor(offset, spec["shape"], getattr(torch, spec["dtype"]))


def layout_of(task: TaskSpec, case: Case, contents: Contents) -> Layout:
    """Return the layout of a case; contents show which inputs are tensors, numbers or absent."""
    inputs, outputs, offset = list[dict[str, Any]](), list[dict[str, Any]](), 0
    for item in task.inputs:
        value = contents[item.name]
        if not isinstance(value, torch.Tensor):
            inputs.append({"name": item.name, "value": value, "static": item.static})
            continue
        layout = str(dict(case.axes).get(item.layout, item.layout))
        dtype = str(value.dtype).removeprefix("torch.")
        spec: dict[str, Any] = {"name": item.name, "shape": list(value.shape), "dtype": dtype}
        if item.derived is not None:
            spec["renewal"] = renewal_spec(task, case, item.derived)
        inputs.append(
            {**spec, "static": item.static, "layout": layout, "offset": offset, "after": offset + _room(value.nbytes)}
        )
        offset += 2 * _room(value.nbytes)
    for output in task.outputs:
        shape = [int(extent.value(case.numbers)) for extent in output.shape]
        dtype = task.dtype_of(output.dtype, case)
        spec = {"name": output.name, "shape": shape, "dtype": dtype, "may_alias": list(output.may_alias)}
        outputs.append({**spec, "varying": output.varying, "offset": offset})
        offset += _room(torch.Size(shape).numel() * getattr(torch, dtype).itemsize)
    return Layout(tuple(inputs), tuple(outputs), offset)


def mailbox_bytes(task: TaskSpec, cases: tuple[Case, ...]) -> int:
    """Return the mailbox size that fits the largest case, and the page of the bench behind it."""
    tensors = max([LEAST_MAILBOX_BYTES, *(_case_bytes(task, case) for case in cases)])
    return -(-tensors // PAGE_BYTES) * PAGE_BYTES + PAGE_BYTES


def _case_bytes(task: TaskSpec, case: Case) -> int:
    total = 0
    for item in task.inputs:
        if not item.is_number:
            size = torch.Size(shape_of(item, case)).numel() * getattr(torch, task.dtype_of(item.dtype, case)).itemsize
            total += 2 * _room(size)
    for output in task.outputs:
        count = torch.Size([int(extent.value(case.numbers)) for extent in output.shape]).numel()
        total += _room(count * getattr(torch, task.dtype_of(output.dtype, case)).itemsize)
    return total


def _returned_shape(spec: dict[str, Any], lengths: object) -> list[int] | None:
    """Return the shape of an output in the mailbox; None if the worker says an impossible length of it."""
    greatest = list(spec["shape"])
    if not spec["varying"]:
        return greatest
    length = lengths.get(spec["name"]) if isinstance(lengths, dict) else None
    return [length, *greatest[1:]] if type(length) is int and 0 <= length <= greatest[0] else None


def _bytes(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.contiguous().view(-1).view(torch.uint8)


def _room(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
