"""A GPU host has torch, Triton, numpy, PyYAML and pytest (decision 16): tests that need a card need no more."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from evaluator.state import REPOSITORY

WITHOUT_DJANGO = """
import importlib.util, sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("django", "pytest_django", "rest_framework", "scipy", "pandas", "plotly"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "django" else found(name, package)
import pytest
folders = ["tests/backends", "tests/cheats", "tests/unseen_corpus"]
sys.exit(pytest.main(["-o", "addopts=", "-p", "no:cacheprovider", "-q", "-m", "gpu", "--collect-only", *folders]))
"""


@pytest.mark.slow
def test_what_needs_a_card_is_collected_without_django() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_DJANGO],
        cwd=REPOSITORY,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(REPOSITORY), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "tests collected" in done.stdout
