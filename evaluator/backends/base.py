"""The interface of a backend: a device and its toolchain. A new one is a module here and a line in `backends.KNOWN`.

tests/backends has the tests that every backend must pass; they run for each that the host has.
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
from evaluator.tasks.float8 import runs_on
from evaluator.tasks.spec import Case, Profile, TaskSpec


@dataclass(frozen=True, slots=True)
class Sample:
    """The state of the device at one moment; None if the device does not report it."""

    clock_mhz: int | None
    memory_clock_mhz: int | None
    temperature_c: int | None
    power_w: float | None
    throttled: tuple[str, ...]  # why its clocks are reduced; empty if they are not


class Toolchain(Protocol):
    """Builds HIP sources for the backend's device; builds need access to the paths in `readable`."""

    @property
    def key(self) -> str: ...
    @property
    def readable(self) -> tuple[Path, ...]: ...
    @property
    def summary(self) -> str: ...
    def as_dict(self) -> dict[str, Any]: ...


class Backend(ABC):
    """A device and its toolchain. Facts are looked up when first needed."""

    name: ClassVar[str]
    torch_device: ClassVar[DeviceKind]
    profiles: ClassVar[tuple[Profile, ...]]
    has_clock: ClassVar[bool]  # a device clock, whose times are ranked; without one times are functional
    # Whether the judge's clock waits for the work of all streams. If not, a source with streams or graphs is on hold.
    clock_covers_streams: ClassVar[bool] = False
    wave_size: int  # lanes that run in lockstep
    architecture: str
    device_class: str
    cache_bytes: int  # L2 and last-level cache together, for flushing

    @property
    @abstractmethod
    def toolchain(self) -> Toolchain:
        """The toolchain for HIP, prepared once per host from trusted sources.

        Raises:
            HostError: something is missing; the message names it.
        """

    @property
    @abstractmethod
    def allocator(self) -> Path | None:
        """The library that adds red zones around tensors; None if it cannot be built, for a reason given in host()."""

    @property
    @abstractmethod
    def bench(self) -> Path:
        """The compiled bench, built once per host.

        Raises:
            HostError: it cannot be built; the message says what is missing.
        """

    @abstractmethod
    def access(self) -> Access:
        """The paths, devices and variables that a sandbox needs besides interpreter and system."""

    @abstractmethod
    def facts(self) -> Mapping[str, str]:
        """Return facts on the device and its tools, for records."""

    def sample(self) -> Sample:
        """Return the device's state. It takes well under 1 ms, since every block of timed calls reads it."""
        raise HostError(f"the backend {self.name} has no device")

    @property
    def limits(self) -> Limits:
        return Limits()

    def cases(self, task: TaskSpec) -> tuple[Case, ...]:
        """Return the cases that this device can run: those of its profiles whose dtypes it has."""
        cases = task.cases_of(self.profiles)
        return tuple(case for case in cases if runs_on(task, case, self.architecture))

    def toolchain_or_none(self) -> Toolchain | None:
        try:
            return self.toolchain
        except HostError:
            return None

    @functools.cache  # noqa: B019 (a process has one backend)
    def host(self) -> HostInfo:
        return HostInfo(self.name, self.device_class, self.architecture, dict(self.facts()))
