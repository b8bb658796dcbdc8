"""Find features of a HIP source that the CPU's fiber runtime lacks, so that it is not judged instead of failing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evaluator.inside.hip_cpu.masking import SourceError, mask

# Defined in evaluator/hip/cpu/hipcpu/builtins.h; here without their common prefix.
SUPPORTED_BUILTINS = frozenset(
    {
        *("readfirstlane", "readlane", "ds_bpermute", "ballot_w64", "mbcnt_lo", "mbcnt_hi"),
        *("s_barrier", "wave_barrier", "sched_barrier", "sched_group_barrier", "s_waitcnt", "s_setprio", "s_sleep"),
        *("fence", "rcpf", "rsqf", "sqrtf", "exp2f", "logf", "fmed3f"),
    }
)

_BUILTIN = re.compile(r"\b__builtin_amdgcn_(\w+)")
_ASSEMBLY = re.compile(r'\b(?:asm|__asm__|__asm)\b(?:\s|\b(?:volatile|__volatile__)\b)*\(\s*"((?:\\.|[^"\\])*)"')
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^">\n]+)[">]', re.MULTILINE)

# By prefix of an included path.
_LIBRARIES = {
    "cooperative_groups": "cooperative groups",
    "hipblas": "hipBLAS",
    "rocblas": "rocBLAS",
    "rocprim": "rocPRIM",
    "hipcub": "hipCUB",
    "cub/": "hipCUB",
    "thrust/": "rocThrust",
    "rocwmma": "rocWMMA",
    "ck/": "Composable Kernel",
    "ck_tile/": "Composable Kernel",
    "miopen": "MIOpen",
    "hiprand": "hipRAND",
    "rocrand": "rocRAND",
    "hipfft": "hipFFT",
    "hipsparse": "hipSPARSE",
    "hipsolver": "hipSOLVER",
    "rccl": "RCCL",
    "hip/hiprtc": "run-time compilation (hiprtc)",
    "hip/amd_detail": "HIP's internal headers",
    "hip/hip_fp8": "8-bit floats",
    "hip/hip_fp4": "4-bit floats",
    "hip/hip_complex": "hipComplex",
    "hip/hip_texture": "textures",
    "ATen/cuda/Atomic": "torch's device headers",
    "ATen/hip/Atomic": "torch's device headers",
    "ATen/native/cuda": "torch's device headers",
    "ATen/native/hip": "torch's device headers",
}

_CALLS = {
    r"\b(?:this_grid|this_multi_grid|grid_group|multi_grid_group)\b": "cooperative groups",
    r"\bhipLaunchCooperative\w+": "cooperative groups",
    r"\bhip(?:Module\w+|ExtModule\w+|ExtLaunchMulti\w+|DrvLaunch\w+)": "loaded code objects (hipModule)",
    r"\bhiprtc\w+": "run-time compilation (hiprtc)",
    r"\bhip(?:Graph\w+|StreamBeginCapture\w*)": "HIP graphs",
    r"\b(?:tex[123]D\w*|hipTexture\w+|hipCreateTexture\w+|texture\s*<)": "textures",
    r"\b(?:surf[123]D\w*|hipSurface\w+|hipCreateSurface\w+)": "surfaces",
    r"\b(?:__match_any|__match_all|__reduce_\w+)_sync\b": "wave match and reduce operations",
}


def unsupported_features(text: str) -> list[str]:
    """Return a phrase for each unsupported feature, sorted, e.g. `the builtin __builtin_amdgcn_mfma_f32_16x16x16f16`.

    A text that cannot be read has none; its build reports the error.
    """
    try:
        masked = mask(text)
    except SourceError:
        return []
    return sorted({*_builtins(masked), *_assembly(text, masked), *_libraries(text, masked), *_calls(masked)})


def _builtins(masked: str) -> Iterator[str]:
    for found in _BUILTIN.finditer(masked):
        if found[1] not in SUPPORTED_BUILTINS:
            yield f"the builtin {found.group()}"


def _assembly(text: str, masked: str) -> Iterator[str]:
    """Yield inline assembly, unless it is empty: that is a compiler barrier."""
    for found in _ASSEMBLY.finditer(text):
        if masked.startswith(("asm", "__asm"), found.start()) and found[1].strip():
            yield "inline assembly"


def _libraries(text: str, masked: str) -> Iterator[str]:
    for found in _INCLUDE.finditer(text):
        if "#" in masked[found.start() : found.start(1)]:
            yield from (name for start, name in _LIBRARIES.items() if found[1].startswith(start))


def _calls(masked: str) -> Iterator[str]:
    yield from (name for pattern, name in _CALLS.items() if re.search(pattern, masked))
