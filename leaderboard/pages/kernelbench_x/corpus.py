"""What KernelBench-X's public corpus gives of the paper's figures on refinement, by scripts/kernelbenchx_corpus.py.

The corpus itself is not part of ArenaBoard: BonnieW05/KernelBenchX at commit fd41922, data/kbx_corpus, 110 records.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RoundStep:
    """From one round to the next. Persistent kernels are released only where their speed rose."""

    compiled: int  # more tasks compile than before
    correct: int  # more tasks are correct than before
    rescued_timed: int
    rescued_speedup: float
    rescued_score_pct: float  # with the RTX 5090's 1,792 GB/s and 104.8 or, for 16 bits, 209.5 TFLOP/s
    persistent_timed: int
    persistent_speedup: float
    persistent_score_pct: float


STEPS = {
    "0 to 1": RoundStep(22, 15, 15, 1.15820, 43.6900, 24, 1.54888, 63.0692),
    "1 to 2": RoundStep(7, 7, 7, 1.31529, 35.5240, 19, 1.77202, 61.7747),
}
EXPAND_WHERE_SPEEDUP = 0.0762
