"""Who writes candidates: one folder an agent (launcher.py, agent.yaml), found by its name; and what they share.

`launch(desk) -> Work` is all that a launcher is. It never judges itself: `desk.check` does, outside its sandbox.
"""

from __future__ import annotations

from evaluator.agents.catalog import REFERENCE_AGENTS, agent_names, produce, read_agent
from evaluator.agents.interface import Produced

__all__ = ["REFERENCE_AGENTS", "Produced", "agent_names", "produce", "read_agent"]
