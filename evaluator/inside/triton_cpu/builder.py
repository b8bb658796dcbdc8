"""The interpreter's only builder, and Triton's type rules that use it."""

from __future__ import annotations

from typing import Any

from evaluator.inside.triton_cpu.memory import Memory
from evaluator.inside.triton_cpu.quick import Semantic

builder = Memory()
semantic: Any = Semantic(builder)
