"""The one builder of the interpreter and Triton's type rules on top of it."""

from __future__ import annotations

from typing import Any

from triton.language.semantic import TritonSemantic

from evaluator.inside.triton_cpu.memory import Memory

builder = Memory()
semantic: Any = TritonSemantic(builder)
