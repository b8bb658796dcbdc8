"""NVIDIA's management library through ctypes: a card's properties and current state.

Neither torch nor Triton has a binding for it; libnvidia-ml.so.1 is part of every driver.
"""

from __future__ import annotations

import contextlib
import ctypes
from ctypes import byref, c_char_p, c_uint, c_ulonglong, c_void_p
from typing import Any

from evaluator.backends.base import Sample
from evaluator.errors import HostError

TEXT_BYTES = 96
SM_CLOCK, MEMORY_CLOCK = 1, 2
CORE_SENSOR = 0
# Bits of nvmlDeviceGetCurrentClocksThrottleReasons. Left out: idle, application clocks, sync boost, display.
SLOWED_BY = {
    0x4: "power cap",
    0x8: "hardware slowdown",
    0x20: "temperature",
    0x40: "hardware temperature",
    0x80: "power brake",
}


class NvmlError(HostError):
    """The driver does not report it."""


class Nvml:
    """One card, by its UUID as in torch."""

    def __init__(self, uuid: str) -> None:
        try:
            self._library = ctypes.CDLL("libnvidia-ml.so.1")
        except OSError as error:
            raise NvmlError(f"libnvidia-ml.so.1 cannot be loaded: {error}") from error
        self._call("nvmlInit_v2")
        self._card = c_void_p()
        self._call("nvmlDeviceGetHandleByUUID", c_char_p(uuid.encode()), byref(self._card))

    def sample(self) -> Sample:
        power_mw = self._number("nvmlDeviceGetPowerUsage")
        reasons = self._number("nvmlDeviceGetCurrentClocksThrottleReasons", kind=c_ulonglong) or 0
        return Sample(
            clock_mhz=self._number("nvmlDeviceGetClockInfo", SM_CLOCK),
            memory_clock_mhz=self._number("nvmlDeviceGetClockInfo", MEMORY_CLOCK),
            temperature_c=self._number("nvmlDeviceGetTemperature", CORE_SENSOR),
            power_w=None if power_mw is None else power_mw / 1000,
            throttled=tuple(name for bit, name in SLOWED_BY.items() if reasons & bit),
        )

    @property
    def node(self) -> str:
        """The card's device file; the driver's numbering of cards differs from torch's."""
        minor = self._number("nvmlDeviceGetMinorNumber")
        if minor is None:
            raise NvmlError("the driver does not report which /dev/nvidia* is this card")
        return f"/dev/nvidia{minor}"

    def facts(self) -> dict[str, str]:
        """Return the properties that do not change while the host runs; unreported ones are left out."""
        limit_mw = self._number("nvmlDeviceGetPowerManagementLimit")
        found = {
            "card": self._text("nvmlDeviceGetName", self._card),
            "card_uuid": self._text("nvmlDeviceGetUUID", self._card),
            "driver": self._text("nvmlSystemGetDriverVersion"),
            "sm_clock_max_mhz": self._number("nvmlDeviceGetMaxClockInfo", SM_CLOCK),
            "memory_clock_max_mhz": self._number("nvmlDeviceGetMaxClockInfo", MEMORY_CLOCK),
            "power_limit_w": None if limit_mw is None else limit_mw // 1000,
            "ecc": self._mode("nvmlDeviceGetEccMode"),
            "mig": self._mode("nvmlDeviceGetMigMode"),
        }
        return {name: str(value) for name, value in found.items() if value is not None}

    def _number(self, name: str, *arguments: int, kind: Any = c_uint) -> int | None:
        value = kind()
        with contextlib.suppress(NvmlError):
            self._call(name, self._card, *arguments, byref(value))
            return int(value.value)
        return None

    def _mode(self, name: str) -> str | None:
        current, pending = c_uint(), c_uint()
        with contextlib.suppress(NvmlError):
            self._call(name, self._card, byref(current), byref(pending))
            return "on" if current.value else "off"
        return None

    def _text(self, name: str, *before: c_void_p) -> str | None:
        buffer = ctypes.create_string_buffer(TEXT_BYTES)
        with contextlib.suppress(NvmlError):
            self._call(name, *before, buffer, c_uint(TEXT_BYTES))
            return buffer.value.decode(errors="replace")
        return None

    def _call(self, name: str, *arguments: Any) -> None:
        try:
            code = getattr(self._library, name)(*arguments)
        except AttributeError as error:
            raise NvmlError(f"this driver has no {name}") from error
        if code != 0:
            raise NvmlError(f"{name}: error {code}")
