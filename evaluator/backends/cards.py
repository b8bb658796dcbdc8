"""The cards of this host, which one process each can use: what makes a process see one alone, and cores for each."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluator.backends import get_backend
from evaluator.backends.cpu import CpuBackend
from evaluator.backends.cuda import CudaBackend
from evaluator.errors import UsageError

PCI, CPUS = Path("/sys/bus/pci/devices"), Path("/sys/devices/system/cpu")


@dataclass(frozen=True, slots=True)
class Card:
    """`variables`: what makes a process see this card alone; None: not set. `cores`: of its NUMA node."""

    name: str
    variables: Mapping[str, str | None]
    cores: frozenset[int] = field(default_factory=frozenset)  # empty where the host does not tell


def cards_of(backend: str) -> tuple[Card, ...]:
    """Return the cards that a backend's processes can see, as torch numbers them.

    Raises:
        UsageError: the backend has none, or is unknown.
        HostError: this host has none.
    """
    kind = type(get_backend(backend))
    if kind is CpuBackend:
        raise UsageError("--devices chooses cards: the backend cpu has one device, this host's processor")
    import torch

    found: list[Any] = [torch.cuda.get_device_properties(index) for index in range(torch.cuda.device_count())]
    if kind is CudaBackend:
        names = [f"GPU-{one.uuid}" for one in found]
        return tuple(
            Card(name, {"CUDA_VISIBLE_DEVICES": name}, near_cores(one)) for name, one in zip(names, found, strict=True)
        )
    names = rocm_names(os.environ, len(found))
    # Not HIP_VISIBLE_DEVICES, which rocminfo knows nothing of: it would tell the facts of the first card.
    return tuple(
        Card(name, {"ROCR_VISIBLE_DEVICES": name, "HIP_VISIBLE_DEVICES": None}, near_cores(one))
        for name, one in zip(names, found, strict=True)
    )


def rocm_names(environment: Mapping[str, str], count: int) -> list[str]:
    """Return the names for ROCR_VISIBLE_DEVICES of the cards that torch sees, as numbers unless that has others."""
    outer, inner = (
        [name for name in environment.get(f"{runtime}_VISIBLE_DEVICES", "").split(",") if name]
        for runtime in ("ROCR", "HIP")
    )
    seen = [int(name) for name in inner] if inner else list(range(count))
    return [outer[index] if outer else str(index) for index in seen]


def chosen(text: str, cards: Sequence[Card]) -> list[Card]:
    """Return the cards that `all`, or a list of numbers and names, stands for.

    Raises:
        UsageError: there is no such card, or one is listed twice.
    """
    if text == "all":
        return list(cards)
    by_word = {card.name: card for card in cards} | {str(index): card for index, card in enumerate(cards)}
    words = text.split(",")
    if unknown := [word for word in words if word not in by_word]:
        known = ", ".join(f"{index} ({card.name})" for index, card in enumerate(cards))
        raise UsageError(f"--devices: seen {unknown[0]!r}; expected `all`, or some of {known}, separated by commas")
    found = [by_word[word] for word in words]
    if len({card.name for card in found}) < len(found):
        raise UsageError(f"--devices: seen a card twice in {text!r}; expected each once")
    return found


def shares(cards: Sequence[Card], allowed: Collection[int], cpus: Path = CPUS) -> list[set[int]]:
    """Divide the allowed cores among the cards: those of a NUMA node among its cards, where all nodes are known.

    Threads of one core go to one card. With fewer cores than cards, all may use all.
    """
    near = [frozenset(allowed) & card.cores for card in cards]
    near = near if all(near) else [frozenset(allowed)] * len(cards)
    found = []
    for index, cores in enumerate(near):
        together = [place for place, others in enumerate(near) if others == cores]
        first = {core: _first_thread(core, cpus) for core in cores}
        whole = sorted(set(first.values()))
        size, place = len(whole) // len(together), together.index(index)
        own = whole[place * size : (place + 1) * size]
        found.append({core for core in cores if first[core] in own} or set(allowed))
    return found


def _first_thread(core: int, cpus: Path) -> int:
    return min(_listed(cpus / f"cpu{core}" / "topology" / "thread_siblings_list") or {core})


def near_cores(card: Any, devices: Path = PCI) -> frozenset[int]:
    """Return the cores of a card's NUMA node; none where torch or the host does not tell."""
    try:
        bus = f"{card.pci_domain_id:04x}:{card.pci_bus_id:02x}:{card.pci_device_id:02x}.0"
    except AttributeError:
        return frozenset()
    return _listed(devices / bus / "local_cpulist")


def _listed(path: Path) -> frozenset[int]:
    """Read a list such as 0-3,8; none where there is no such file."""
    try:
        parts = [part.split("-") for part in path.read_text().strip().split(",") if part]
        return frozenset(core for ends in parts for core in range(int(ends[0]), int(ends[-1]) + 1))
    except (OSError, ValueError):
        return frozenset()
