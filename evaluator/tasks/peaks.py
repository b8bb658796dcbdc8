"""Peak rates of device classes: what makers promise of memory and of arithmetic, each device with its source.

All are dense (without structured sparsity), at boost clock, and of the fastest units that take the dtype: products of
16 and 8 bits add up in float32 or int32. `float32` is the rate of the units that keep all its bits, `tf32` that of
matrix units which round each factor to ten bits of mantissa. A dtype without a line here has no known peak. None of
them is measured: a calibration reads from the caches, and multiplies in one dtype only.

Makers' pages could not be opened where this was written (2026-11-30), so `checked` says against what a device's figures
were compared instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Peaks:
    """Peak bytes per second of device memory and peak operations per second by dtype, with their source."""

    device_class: str
    title: str
    bytes_per_s: float
    flops_per_s: Mapping[str, float]
    source: str  # the maker's document
    url: str
    checked: str  # on which day, and against what


def _tera(bits16: float, bits8: Mapping[str, float], **others: float) -> dict[str, float]:
    """Operations per second by dtype from figures in 10¹² a second; float16 and bfloat16 are alike on all devices."""
    return {name: rate * 1e12 for name, rate in {**others, "float16": bits16, "bfloat16": bits16, **bits8}.items()}


def _ocp8(rate: float, int8: float | None = None) -> dict[str, float]:
    """The 8-bit dtypes of NVIDIA's cards: OCP's floats and integers."""
    return {"float8_e4m3fn": rate, "float8_e5m2": rate, "int8": rate if int8 is None else int8}


_KLOCKWOOD = "2026-11-30, a copy of the data sheet's figures: https://glennklockwood.com/garden/processors/"
_HOPPER = _tera(989.4, _ocp8(1978.9), float64=66.9, float32=66.9, tf32=494.7, int32=33.5)

PEAKS = {
    peaks.device_class: peaks
    for peaks in (
        Peaks(
            "h100-sxm",
            "NVIDIA H100 SXM",
            3.35e12,
            _HOPPER,
            "NVIDIA H100 Tensor Core GPU, data sheet; NVIDIA H100 Tensor Core GPU Architecture",
            "https://resources.nvidia.com/en-us-tensor-core/nvidia-tensor-core-gpu-datasheet",
            f"{_KLOCKWOOD}h100",
        ),
        Peaks(
            "h200-sxm",
            "NVIDIA H200 SXM",
            4.8e12,
            _HOPPER,
            "NVIDIA H200 Tensor Core GPU, data sheet",
            "https://www.nvidia.com/en-us/data-center/h200/",
            f"{_KLOCKWOOD}h100 (arithmetic as the H100's); 4.8 TB/s in several public copies",
        ),
        Peaks(
            "mi300x-spx",
            "AMD Instinct MI300X, SPX",
            5.3e12,
            _tera(
                1307.4,
                dict.fromkeys(("float8_e4m3fnuz", "float8_e5m2fnuz", "int8"), 2614.9),
                float64=163.4,
                float32=163.4,
                tf32=653.7,
            ),
            "AMD Instinct MI300X Accelerator, data sheet",
            "https://www.amd.com/en/products/accelerators/instinct/mi300/mi300x.html",
            "2026-11-30, bandwidth, 16-bit and FP8 rates in a public comparison of MI300X and H200; others not checked",
        ),
        Peaks(
            "rtx-4090",
            "NVIDIA GeForce RTX 4090",
            1.008e12,
            _tera(165.2, _ocp8(330.3, 660.6), float64=1.29, float32=82.6, tf32=82.6, int32=41.3),
            "NVIDIA Ada GPU Architecture, appendix A",
            "https://images.nvidia.com/aem-dam/Solutions/geforce/ada/nvidia-ada-gpu-architecture.pdf",
            "2026-11-30, a copy of its figures: https://waredb.com/processor/nvidia-geforce-rtx-4090",
        ),
        Peaks(
            "rtx-5090",
            "NVIDIA GeForce RTX 5090",
            1.792e12,
            _tera(209.5, _ocp8(419, 838), float32=104.8, tf32=104.8),
            "NVIDIA RTX Blackwell GPU Architecture, appendix A",
            "https://images.nvidia.com/aem-dam/Solutions/geforce/blackwell/nvidia-rtx-blackwell-gpu-architecture.pdf",
            "2026-11-30, bandwidth and float32 in several public copies; the rates of matrix units not checked",
        ),
        Peaks(
            "a100-pcie-40gb",
            "NVIDIA A100 PCIe 40 GB",
            1.555e12,
            _tera(312, {"int8": 624}, float64=19.5, float32=19.5, tf32=156),
            "NVIDIA A100 Tensor Core GPU, data sheet",
            "https://www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/a100/pdf/nvidia-a100-datasheet.pdf",
            f"{_KLOCKWOOD}A100",
        ),
        Peaks(
            "h20",
            "NVIDIA H20",
            4.0e12,
            _tera(148, _ocp8(296), float64=1.0, float32=44, tf32=74),
            "NVIDIA H20, figures of the maker without a public data sheet that we know of",
            "",
            "2026-11-30, public copies agree, as https://willitrunai.com/es/gpus/h20-96gb",
        ),
        Peaks(
            "h800-pcie",
            "NVIDIA H800 PCIe",
            2.0e12,
            _tera(756, _ocp8(1513), float64=0.8, float32=51, tf32=378),
            "NVIDIA H800 GPU, data sheet",
            "https://chaoqing-i.com/upload/20231128/NVIDIA%20H800%20GPU%20Datasheet.pdf",
            "not checked; half of the printed figures of matrix units, which are with sparsity",
        ),
        Peaks(
            "l20",
            "NVIDIA L20",
            0.864e12,
            _tera(119.5, _ocp8(239), float32=59.8, tf32=59.8),
            "NVIDIA L20, figures of the maker without a public data sheet that we know of",
            "",
            "2026-11-30, bandwidth, 16-bit and INT8 rates in https://github.com/citsjtu2020/LLM-Prof only",
        ),
    )
}
# The names that KernelBench-X gives its machines, as its paper describes them.
KERNELBENCHX_MACHINES = {
    "4090": "rtx-4090",
    "5090": "rtx-5090",
    "a100": "a100-pcie-40gb",
    "h20": "h20",
    "h800": "h800-pcie",
    "l20": "l20",
}
