"""What a backend is: a device and its toolchain. A new one is a file beside this and a line in `backends.KNOWN`.

tests/backends is what each has to keep; it runs for every backend that the host has.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

from evaluator.errors import HostError
from evaluator.inside.limits import Access, DeviceKind, Limits
from evaluator.records.record import HostInfo
from evaluator.tasks.spec import Case, Profile, TaskSpec


@dataclass(frozen=True, slots=True)
class Sample:
    """The device at one moment; None is what it does not tell."""

    clock_mhz: int | None
    memory_clock_mhz: int | None
    temperature_c: int | None
    power_w: float | None
    throttled: tuple[str, ...]  # why its clocks are held below what was asked for; empty on a good day


class Toolchain(Protocol):
    """What builds a HIP source for the backend's device; `readable` must be seen where it does."""

    @property
    def key(self) -> str: ...
    @property
    def readable(self) -> tuple[Path, ...]: ...
    @property
    def summary(self) -> str: ...
    def as_dict(self) -> dict[str, Any]: ...


class Backend(ABC):
    """Facts are found when first asked for."""

    name: ClassVar[str]
    torch_device: ClassVar[DeviceKind]
    profiles: ClassVar[tuple[Profile, ...]]
    has_clock: ClassVar[bool]  # a device clock: its times rank; without one they are functional
    wave_size: int  # lanes that run in lockstep
    architecture: str
    device_class: str
    cache_bytes: int  # L2 and last-level cache together, for flushing

    @property
    @abstractmethod
    def toolchain(self) -> Toolchain:
        """Prepared once per host, from trusted sources.

        Raises:
            HostError: something is missing; the message says what.
        """

    @property
    @abstractmethod
    def allocator(self) -> Path | None:
        """The library that puts red zones around tensors; None where it could not be made: see host()."""

    @abstractmethod
    def access(self) -> Access:
        """What a sandbox must reach beside the interpreter and the system."""

    @abstractmethod
    def facts(self) -> Mapping[str, str]:
        """Of the device and of its tools."""

    def sample(self) -> Sample:
        """Well under a millisecond: it is asked at every block of timed calls."""
        raise HostError(f"the backend {self.name} has no device to look at")

    @property
    def limits(self) -> Limits:
        return Limits()

    def cases(self, task: TaskSpec) -> tuple[Case, ...]:
        return task.cases_of(self.profiles)

    def toolchain_or_none(self) -> Toolchain | None:
        try:
            return self.toolchain
        except HostError:
            return None

    @functools.cache  # noqa: B019 (a process has one backend)
    def host(self) -> HostInfo:
        return HostInfo(self.name, self.device_class, self.architecture, dict(self.facts()))
