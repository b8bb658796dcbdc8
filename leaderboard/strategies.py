"""Optimization strategies that a candidate uses and its baseline does not, recognized by patterns in their sources.

A label says that a pattern is in the source, not that the code helps or is ever reached. Comments and string literals
are ignored. Only files of the same language are compared: where a HIP kernel replaces PyTorch code there is no kernel
to compare with, and the labels describe the candidate alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from evaluator.records.plain_code import code_of, is_python

UNCHANGED = "unchanged"
Rule = Literal["appears", "new_value", "fewer"]


@dataclass(frozen=True, slots=True)
class Strategy:
    """A label with its pattern and the rule by which the pattern counts.

    `appears`: it is in the candidate and not in the baseline. `new_value`: its group has a value that is not in the
    baseline. `fewer`: it occurs less often than in the baseline.
    """

    name: str
    sentence: str
    pattern: re.Pattern[str]
    rule: Rule = "appears"


STRATEGIES = {
    "vector_loads": Strategy(
        "Vector loads",
        "Several elements in one load or store: float4, packed structs, alignment hints.",
        re.compile(
            r"\b(?:float|double|int|uint|u?short|u?char|u?longlong)[248]\s*[*&>]|\b(?:__)?(?:half|hip_bfloat16|bfloat16)2\s*\*"
            r"|\bstruct\s+(?:alignas|__align__)\s*\(|\bext_vector_type\b|\bvector_size\b|\baligned_vector\b"
            r"|\btl\.(?:multiple_of|max_contiguous)\b"
        ),
    ),
    "shared_memory": Strategy(
        "Shared memory", "Tiles or sums in LDS.", re.compile(r"\b__shared__\b|\bHIP_DYNAMIC_SHARED\b")
    ),
    "wave_shuffles": Strategy(
        "Wave shuffles",
        "Lanes of a wave exchange values without memory.",
        re.compile(
            r"\b__shfl\w*\s*\(|\b__(?:ballot|reduce_\w+_sync)\b"
            r"|\b__builtin_amdgcn_(?:ds_bpermute|ds_swizzle|mov_dpp|update_dpp|readlane|permlane\w*)\b"
        ),
    ),
    "matrix_units": Strategy(
        "Matrix units",
        "Products on matrix cores: MFMA, WMMA, tl.dot.",
        re.compile(r"\b__builtin_amdgcn_[sw]?mfma\w*|\brocwmma\b|\bwmma::|\btl\.dot(?:_scaled)?\s*\("),
    ),
    "elements_per_thread": Strategy(
        "Several elements per thread",
        "A thread holds a tile in registers, or a constant sets its number of elements.",
        re.compile(r"_(?i:per|a)_(?i:thread|lane)\b|\bacc\w*\s*\[\w+\]\s*\[\w+\]|(?i:\bthread_tile|\bcoarsen)"),
    ),
    "unrolling": Strategy(
        "Unrolling",
        "Loops unrolled by a pragma, tl.static_range or a factor.",
        re.compile(r"#\s*pragma\s+(?:clang\s+loop\s+)?unroll\b|\btl\.static_range\b|\bloop_unroll_factor\b"),
    ),
    "launch_bounds": Strategy(
        "Launch bounds",
        "A limit on threads or waves for the compiler.",
        re.compile(r"\b__launch_bounds__\b|\bamdgpu_(?:flat_work_group_size|waves_per_eu)\b"),
    ),
    "block_sizes": Strategy(
        "Other block sizes",
        "A block or tile size that the baseline does not use.",
        re.compile(r"""\b(?i:block(?!s\b|idx)|threads?|tile)\w*["']?\s*[:=]\s*(\d+)"""),
        "new_value",
    ),
    "num_warps": Strategy(
        "Other num_warps",
        "A number of warps that the baseline does not use.",
        re.compile(r"""\bnum_warps["']?\s*[:=]\s*(\w+)"""),
        "new_value",
    ),
    "num_stages": Strategy(
        "Other num_stages",
        "A pipeline depth that the baseline does not use.",
        re.compile(r"""\bnum_stages["']?\s*[:=]\s*(\w+)"""),
        "new_value",
    ),
    "amd_knobs": Strategy(
        "AMD knobs",
        "waves_per_eu, matrix_instr_nonkdim or kpack set differently.",
        re.compile(r"""\b(?:waves_per_eu|matrix_instr_nonkdim|kpack)["']?\s*[:=]\s*(\w+)"""),
        "new_value",
    ),
    "autotuning": Strategy(
        "Autotuning", "Several configurations are tried at run time.", re.compile(r"\btriton\.(?:autotune|Config)\s*\(")
    ),
    "reduced_precision": Strategy(
        "Reduced precision",
        "Values stored or multiplied in 16 or 8 bits, or products in TF32.",
        re.compile(
            r"\b(?:__half2?|_Float16|__bf16|__hip_fp8\w*|__hip_bfloat162?)\b|\.to\(\s*tl\.(?:float16|bfloat16|float8\w*)\b"
            r"""|\ballow_tf32\s*=\s*True\b|\binput_precision\s*=\s*["']tf32|\.(?:half|bfloat16)\(\)"""
        ),
    ),
    "cheaper_arithmetic": Strategy(
        "Cheaper arithmetic",
        "Approximate functions: __expf, exp2 for exp, reciprocals.",
        re.compile(
            r"\b__(?:exp|exp10|log|log2|log10|sin|cos|tan|pow)f\s*\(|\b__(?:fdividef|frcp_rn)\b"
            r"|\b__builtin_amdgcn_(?:exp2f?|rcpf?|rsqf?|logf?)\b|\btl\.(?:math\.)?exp2\b|\bfast_\w+\s*\("
        ),
    ),
    "cache_hints": Strategy(
        "Cache hints",
        "Loads or stores with a cache policy.",
        re.compile(r"\b__builtin_nontemporal_\w+|\b__ldg\s*\(|\b(?:cache_modifier|eviction_policy)\s*="),
    ),
    "fused_kernels": Strategy(
        "Fewer launches",
        "Fewer kernel launches in the source than in the baseline's: work was fused.",
        re.compile(r"<<<|\bhipLaunchKernelGGL\b|\b\w+\[[^\]\n]{1,80}\]\("),
        "fewer",
    ),
    "walking_grid": Strategy(
        "Persistent or strided grid",
        "A grid whose size does not depend on the work loops over it.",
        re.compile(
            r"\bblockDim\.[xyz]\s*\*\s*gridDim\b|\bgridDim\.[xyz]\s*\*\s*blockDim\b|\+=\s*gridDim\b"
            r"|\btl\.num_programs\s*\(|\bmulti_?[pP]rocessor_?[cC]ount\b"
        ),
    ),
    "atomics": Strategy(
        "Atomics",
        "Blocks update the same memory atomically.",
        re.compile(r"\batomic(?:Add|Sub|Max|Min|And|Or|Xor|Exch|CAS|Inc|Dec)\w*|\b__hip_atomic_\w+|\btl\.atomic_\w+"),
    ),
    "library_operators": Strategy(
        "Library operators",
        "Work is left to PyTorch, hipBLAS, rocBLAS or MIOpen.",
        re.compile(
            r"\b(?:hipblas|rocblas|miopen)\w+\s*\(|\btorch\.compile\b|\bF\.\w+\s*\("
            r"|\b(?:at::|torch::|torch\.)(?:\w+::)?(?:matmul|mm|bmm|addmm|baddbmm|linear|einsum|softmax|log_softmax|conv\d?d?"
            r"|layer_norm|batch_norm|gelu|silu|sum|mean|amax|sort|topk|gather|scaled_dot_product_attention)\s*\("
        ),
    ),
}


def labels(candidate: Mapping[str, str], baseline: Mapping[str, str]) -> frozenset[str]:
    """Return the keys of STRATEGIES that apply; only UNCHANGED where the sources differ in comments and spaces alone.

    Both sources map paths to texts.
    """
    new = _code(candidate)
    languages = {is_python(path) for path in candidate}
    old = _code({path: text for path, text in baseline.items() if is_python(path) in languages})
    if new.split() == old.split():
        return frozenset({UNCHANGED})
    return frozenset(slug for slug, strategy in STRATEGIES.items() if _is_used(strategy, new, old))


def _is_used(strategy: Strategy, new: str, old: str) -> bool:
    pattern = strategy.pattern
    if strategy.rule == "appears":
        return bool(pattern.search(new)) and not pattern.search(old)
    if strategy.rule == "fewer":
        return 0 < len(pattern.findall(new)) < len(pattern.findall(old))
    return bool(old) and bool(set(pattern.findall(new)) - set(pattern.findall(old)))


def _code(files: Mapping[str, str]) -> str:
    """Join all files, without their comments and string literals."""
    return "\n".join(code_of(path, text) for path, text in sorted(files.items()))
