"""The diagrams of ARCHITECTURE.md show the layers that the import contracts hold."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("container", "first"), [("evaluator", "__main__"), ("runs", "submissions"), ("leaderboard", "urls")]
)
def test_a_diagram_shows_every_module_in_the_layer_of_its_contract(container: str, first: str) -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    [layers] = [contract["layers"] for contract in contracts if contract.get("containers") == [container]]
    assert _drawn(first) == [set(re.findall(r"\w+", layer)) for layer in layers]


def _drawn(first: str) -> list[set[str]]:
    """Names stand before two spaces, neighbours parted by bars; a line that begins with spaces goes on."""
    blocks = (ROOT / "ARCHITECTURE.md").read_text().split("```\n")[1::2]
    [block] = [block for block in blocks if re.match(rf"{first}[ \n]", block)]
    return [set(line.split("  ")[0].split(" | ")) for line in block.splitlines() if not line.startswith(" ")]
