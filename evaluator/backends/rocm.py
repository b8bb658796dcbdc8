"""An AMD card: ROCm's torch has the torch.cuda interface, hipcc builds HIP sources, ROCm's tools and sysfs give facts.

It has not run on a card yet: readers of a card's data are tested with recorded outputs (tests/backends). The reason for
throttling is not read: `Sample.throttled` stays empty, and only clocks show it.
"""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evaluator.backends.base import Backend, Sample, Toolchain
from evaluator.backends.libraries import loaded_library, quiet_heap
from evaluator.backends.software import software_facts
from evaluator.bench.build import build_bench
from evaluator.errors import HostError
from evaluator.hip.gpu_allocator import build_allocator
from evaluator.hip.prepare_gpu import GpuHost, prepare_gpu, version_of
from evaluator.inside.limits import GPU_LIMITS, Access, Limits
from evaluator.state import state_folder

ROCM = Path("/opt/rocm")
NODES = ("/dev/kfd", "/dev/dri")
SYSTEM_PATHS = ("/sys/devices", "/sys/class/kfd", "/sys/class/drm", "/sys/bus/pci", "/sys/module/amdgpu")
TOOL_TIMEOUT_S = 20
SHOWN_CARDS = ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")


class RocmBackend(Backend):
    """The first card that torch sees; HIP_VISIBLE_DEVICES is set in the sandbox too.

    Raises:
        HostError: torch sees no AMD card, or ROCm's tools fail.
    """

    name = "rocm"
    torch_device = "cuda"
    profiles = ("small", "full")
    has_clock = True
    clock_covers_streams = True  # T_out consumes each call's outputs, so what they need has been waited for

    def __init__(self) -> None:
        import torch

        if torch.version.hip is None or not torch.cuda.is_available():
            raise HostError(f"torch {torch.__version__} sees no AMD card here")
        card: Any = torch.cuda.get_device_properties(0)
        self.architecture = str(card.gcnArchName).partition(":")[0]
        bus = f"{card.pci_domain_id:04x}:{card.pci_bus_id:02x}:{card.pci_device_id:02x}.0"
        self._sysfs = Path("/sys/bus/pci/devices") / bus
        agent = agent_of(_output_of("rocminfo"), self.architecture)
        self._static = static_of(json.loads(_output_of("amd-smi", "static", "--json")), bus)
        self.wave_size = int(agent["wave_size"])
        self.cache_bytes = int(agent["l2_bytes"]) * xcc_count(self.architecture) + int(agent["l3_bytes"])
        self.device_class = device_class(self._static)
        self._agent = agent

    @functools.cached_property
    def toolchain(self) -> Toolchain:
        hipcc = shutil.which("hipcc") or shutil.which("hipcc", path=str(ROCM / "bin"))
        if hipcc is None:
            raise HostError("HIP on AMD needs hipcc: install ROCm's compiler")
        host = GpuHost("rocm", self.architecture, Path(hipcc), version_of(Path(hipcc)), _runtime())
        return prepare_gpu(state_folder(), host)

    @property
    def allocator(self) -> Path | None:
        return self._allocator[0]

    @functools.cached_property
    def bench(self) -> Path:
        return build_bench(state_folder(), "hip")

    @property
    def limits(self) -> Limits:
        return GPU_LIMITS

    def sample(self) -> Sample:
        return sample_of(self._sysfs)

    def access(self) -> Access:
        toolchain = self.toolchain_or_none()
        readable = [*map(Path, SYSTEM_PATHS), ROCM.resolve(), ROCM, *(toolchain.readable if toolchain else ())]
        readable += [self.bench.parent, *([self.allocator.parent] if self.allocator else [])]
        shown = {name: os.environ[name] for name in SHOWN_CARDS if name in os.environ}
        return Access(
            readable=tuple(str(path) for path in readable if path.exists()),
            nodes=tuple(node for node in NODES if os.path.exists(node)),
            variables=quiet_heap() | shown,
            device="cuda",
        )

    def facts(self) -> dict[str, str]:
        import torch

        facts = software_facts() | self._agent | self._static
        facts |= {"hip": str(torch.version.hip), "red_zones": self._allocator[1]}
        return facts | ({"hip_toolchain": toolchain.key} if (toolchain := self.toolchain_or_none()) else {})

    @functools.cached_property
    def _allocator(self) -> tuple[Path | None, str]:
        return build_allocator(state_folder(), "hip", _runtime())


def agent_of(rocminfo: str, architecture: str) -> dict[str, str]:
    """Return the facts of the first agent of that architecture in rocminfo's output.

    Raises:
        HostError: there is no such agent, or a needed fact is missing.
    """
    for text in re.split(r"^\*+\s*$\s*^Agent \d+\s*$", rocminfo, flags=re.MULTILINE):
        if not re.search(rf"^\s*Name:\s*{re.escape(architecture)}\s*$", text, re.MULTILINE):
            continue
        sizes = {level: _field(text, rf"{level}:\s*(\d+)\(0x[0-9a-f]+\) KB") for level in ("L2", "L3")}
        return {
            "card": _needed(text, r"Marketing Name:\s*(.+)"),
            "card_uuid": _needed(text, r"Uuid:\s*(\S+)"),
            "compute_units": _needed(text, r"Compute Unit:\s*(\d+)"),
            "wave_size": _needed(text, r"Wavefront Size:\s*(\d+)"),
            "l2_bytes": str(int(sizes["L2"] or 0) << 10),
            "l3_bytes": str(int(sizes["L3"] or 0) << 10),
        }
    raise HostError(f"rocminfo lists no agent {architecture}")


def static_of(report: Any, bus: str) -> dict[str, str]:
    """Return the facts of the card at a bus address in the output of `amd-smi static --json`.

    The output is a list, in newer versions below `gpu_data`.

    Raises:
        HostError: the card is not in it.
    """
    cards = report.get("gpu_data", []) if isinstance(report, dict) else report
    for card in cards:
        if str(card.get("bus", {}).get("bdf", "")).lower() == bus:
            limit = card.get("limit", {}).get("max_power")
            return {
                "product": str(card["asic"]["market_name"]),
                "driver": str(card["driver"]["version"]),
                "compute_partition": str(card["partition"]["compute_partition"]),
                "memory_partition": str(card["partition"]["memory_partition"]),
                "power_limit_w": str(limit.get("value") if isinstance(limit, dict) else limit),
                "ecc": "on" if "ENABLED" in str(card.get("ras", {}).get("ecc_block_state", "")) else "off",
            }
    raise HostError(f"amd-smi lists no card at {bus}")


def device_class(static: Mapping[str, str]) -> str:
    """Return the device class: AMD Instinct MI300X OAM in SPX and NPS1 → mi300x-spx; else the memory mode too."""
    model = re.search(r"MI\d+\w*", static["product"])
    words = [model[0] if model else static["product"], static["compute_partition"]]
    words += [static["memory_partition"]] if static["memory_partition"] != "NPS1" else []
    return re.sub(r"[^a-z0-9]+", "-", "-".join(words).lower()).strip("-")


def sample_of(device: Path) -> Sample:
    """Read the card's state from the driver's hwmon files in microseconds; amd-smi would take a second."""
    folder = next((device / "hwmon").glob("hwmon*"), device)
    power_uw = _number(folder / "power1_average")
    power_uw = _number(folder / "power1_input") if power_uw is None else power_uw
    return Sample(
        clock_mhz=_scaled(_number(folder / "freq1_input"), 1_000_000),
        memory_clock_mhz=_scaled(_number(folder / "freq2_input"), 1_000_000),
        temperature_c=_scaled(_number(folder / "temp2_input"), 1000),  # junction temperature
        power_w=None if power_uw is None else power_uw / 1e6,
        throttled=(),
    )


def xcc_count(architecture: str, topology: Path = Path("/sys/class/kfd/kfd/topology/nodes")) -> int:
    """Return the number of the card's compute dies: each has an L2 of its own, and rocminfo gives the size of one."""
    target = _topology_version(architecture)
    for properties in sorted(topology.glob("*/properties")):
        fields = dict(line.split(maxsplit=1) for line in properties.read_text().splitlines() if " " in line)
        if fields.get("gfx_target_version") == target:
            return max(1, int(fields.get("num_xcc", 1)))
    return 1


def _topology_version(architecture: str) -> str:
    """Return the architecture as the driver writes it, gfx942 → 90402: two digits for each of the last two."""
    digits = architecture.removeprefix("gfx")
    return f"{int(digits[:-2])}{int(digits[-2], 16):02d}{int(digits[-1], 16):02d}"


def _runtime() -> Path:
    return loaded_library("libamdhip64.so")


def _output_of(*command: str) -> str:
    """Run a tool of ROCm and return its output."""
    program = shutil.which(command[0]) or shutil.which(command[0], path=str(ROCM / "bin"))
    if program is None:
        raise HostError(f"{command[0]} is missing: install ROCm's tools")
    try:
        done = subprocess.run(
            [program, *command[1:]], capture_output=True, text=True, timeout=TOOL_TIMEOUT_S, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise HostError(f"{' '.join(command)}: {error}") from error
    return done.stdout


def _field(text: str, pattern: str) -> str | None:
    found = re.search(pattern, text)
    return found[1].strip() if found else None


def _needed(text: str, pattern: str) -> str:
    found = _field(text, pattern)
    if found is None:
        raise HostError(f"rocminfo does not report {pattern}")
    return found


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None


def _scaled(value: int | None, by: int) -> int | None:
    return None if value is None else round(value / by)
