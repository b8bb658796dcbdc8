"""Find features of a HIP source that NVIDIA cards lack, so that it is not judged instead of failing."""

from __future__ import annotations

import re

from evaluator.inside.hip_cpu.features import unsupported_features
from evaluator.inside.hip_cpu.masking import SourceError, mask

_HAS = {"cooperative groups", "8-bit floats", "HIP graphs", "wave match and reduce operations"}
_LACKS = {
    r"\b__builtin_amdgcn_\w+": "builtins of AMD's compiler",
    r"\b__hip_atomic_\w+": "__hip_atomic operations",
    r"\bhipExtLaunch\w+": "launches with events (hipExtLaunch)",
    r"\b(?:__ockl|__ocml|__llvm_amdgcn)_\w+": "AMD's device library",
}


def unsupported_on_nvidia(text: str) -> list[str]:
    """Return a phrase for each unsupported feature, sorted; none for a text that cannot be read."""
    try:
        masked = mask(text)
    except SourceError:
        return []
    found = {name for pattern, name in _LACKS.items() if re.search(pattern, masked)}
    return sorted(found | set(unsupported_features(text)) - _HAS)
