"""An NVIDIA card: Triton runs natively, HIP sources are built with nvcc. A warp has 32 lanes, as every record states.

Torch and CUDA are the host's own. The judge's process has a device context too, but runs no kernels of a candidate.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

from evaluator.backends.base import Backend, Sample, Toolchain
from evaluator.backends.libraries import driver_folder, loaded_library, quiet_heap
from evaluator.backends.nvml import Nvml
from evaluator.backends.software import software_facts
from evaluator.bench.build import build_bench
from evaluator.errors import HostError
from evaluator.hip.gpu_allocator import build_allocator
from evaluator.hip.prepare_gpu import GpuHost, find_nvcc, prepare_gpu, version_of
from evaluator.inside.limits import GPU_LIMITS, Access, Limits
from evaluator.state import state_folder

NODES = ("/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/nvidia-caps")
SYSTEM_PATHS = ("/sys/devices", "/sys/bus/pci", "/sys/module/nvidia")  # where the driver looks up the card
DRIVER = "libcuda.so.1"
SLUGS = {"NVIDIA H100 80GB HBM3": "h100-sxm", "NVIDIA H200": "h200-sxm"}


class CudaBackend(Backend):
    """The first card that torch sees.

    Raises:
        HostError: torch sees no NVIDIA card.
    """

    name = "cuda"
    torch_device = "cuda"
    profiles = ("small", "full")
    has_clock = True
    clock_covers_streams = True  # T_out consumes each call's outputs, so what they need has been waited for
    wave_size = 32

    def __init__(self) -> None:
        import torch

        if torch.version.cuda is None or not torch.cuda.is_available():
            raise HostError(f"torch {torch.__version__} sees no NVIDIA card here")
        self._card: Any = torch.cuda.get_device_properties(0)
        self.architecture = f"sm_{self._card.major}{self._card.minor}"
        self.cache_bytes = int(self._card.L2_cache_size)
        self._card_name = f"GPU-{self._card.uuid}"  # by UUID, since a sandbox numbers only its own cards
        self._nvml = Nvml(self._card_name)
        self.device_class = slug(str(self._card.name)) + ("-mig" if self._nvml.facts().get("mig") == "on" else "")

    @functools.cached_property
    def toolchain(self) -> Toolchain:
        nvcc = find_nvcc()
        host = GpuHost("cuda", self.architecture, nvcc, version_of(nvcc), loaded_library("libcudart.so"))
        return prepare_gpu(state_folder(), host)

    @property
    def allocator(self) -> Path | None:
        return self._allocator[0]

    @functools.cached_property
    def bench(self) -> Path:
        return build_bench(state_folder(), "cuda")

    @property
    def limits(self) -> Limits:
        return GPU_LIMITS

    def sample(self) -> Sample:
        return self._nvml.sample()

    def access(self) -> Access:
        toolchain, folder = self.toolchain_or_none(), driver_folder(DRIVER)
        readable = [folder, *map(Path, SYSTEM_PATHS), *(toolchain.readable if toolchain else ())]
        readable += [self.bench.parent, *([self.allocator.parent] if self.allocator else [])]
        return Access(
            readable=tuple(str(path) for path in readable if path.exists()),
            nodes=(self._nvml.node, *(node for node in NODES if Path(node).exists())),
            variables=quiet_heap() | driver_variables(folder) | {"CUDA_VISIBLE_DEVICES": self._card_name},
            device="cuda",
        )

    def facts(self) -> dict[str, str]:
        import torch

        facts = software_facts() | self._nvml.facts()
        facts |= {"cuda": str(torch.version.cuda), "wave_size": str(self.wave_size), "red_zones": self._allocator[1]}
        facts |= {"multiprocessors": str(self._card.multi_processor_count), "l2_bytes": str(self.cache_bytes)}
        return facts | ({"hip_toolchain": toolchain.key} if (toolchain := self.toolchain_or_none()) else {})

    @functools.cached_property
    def _allocator(self) -> tuple[Path | None, str]:
        return build_allocator(state_folder(), "cuda", loaded_library("libcudart.so"))


def slug(product: str) -> str:
    """Return the device class for a product name: NVIDIA H100 PCIe → h100-pcie."""
    words = re.sub(r"[^a-z0-9]+", "-", product.lower().removeprefix("nvidia ")).strip("-")
    return SLUGS.get(product, words)


def driver_variables(driver: Path) -> dict[str, str]:
    """Return variables with which the loader and Triton find the driver."""
    return {"LD_LIBRARY_PATH": str(driver), "TRITON_LIBCUDA_PATH": str(driver), "CUDA_MODULE_LOADING": "LAZY"}
