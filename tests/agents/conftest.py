"""Sessions of a command-line agent in its sandbox, with a scripted program as the agent."""

from __future__ import annotations

import base64
import sys
from pathlib import Path
from time import monotonic

import pytest

from evaluator.agents.codex.launcher import launch
from evaluator.sandbox import bubblewrap
from evaluator.tasks.reader import load_task
from tests.agents.contexts import ScriptedCheck, context_for
from tests.conftest import lacking

TASK = "triton2triton/arena/softmax"
STAND_IN = Path(__file__).parent / "stand_in.py"
SECRET = "sk-1234-secret"
SESSION_S = 300.0  # a session takes half a second on a quiet machine, and half as long as what is left behind sleeps


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the stand-in as a program named codex, that any user may read."""
    if not bubblewrap.works():
        lacking("bubblewrap does not work here")
    folder = tmp_path_factory.mktemp("installed")
    program = folder / "codex"
    program.write_text(f"#!{sys.executable}\n{STAND_IN.read_text()}")
    for path in (folder, program):
        path.chmod(0o755)
    return folder


@pytest.fixture
def play(installed, monkeypatch):
    """play(script, check) runs a session in which the stand-in does what the script says."""

    def run(script, check=None, *, on_event=lambda entry: None, variables=None, seconds=SESSION_S, **changes):
        for name, value in {"PLAY": coded(script), "KEY": SECRET, "OTHER": "host", **(variables or {})}.items():
            monkeypatch.setenv(name, value)
        names = ["PLAY", "KEY", *(variables or {})]
        settings = {"installed_in": str(installed), "secrets": names, "network": [], **changes}
        known = {"deadline": monotonic() + seconds, "on_event": on_event}
        return launch(context_for("codex", load_task(TASK), check or ScriptedCheck(), settings, **known))

    return run


def coded(script):
    """As a secret may look: a line of ASCII."""
    return base64.b64encode(script.encode()).decode()
