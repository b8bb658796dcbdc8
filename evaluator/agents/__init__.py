"""Agents, which write candidates: one folder each (agent.yaml, launcher.py), found by its name, and what they share.

A launcher is one function, `launch(context) -> SessionOutcome`. It never evaluates its own versions: `context.check`
does, outside the agent's sandbox.
"""

from __future__ import annotations

from evaluator.agents.catalog import DEMO_AGENTS, REFERENCE_AGENTS, agent_names, produce, read_agent
from evaluator.agents.interface import ProducedCandidate

__all__ = ["DEMO_AGENTS", "REFERENCE_AGENTS", "ProducedCandidate", "agent_names", "produce", "read_agent"]
