"""scripts/queue_simulation.py with its own servers: its output for two workers and twenty results is consistent."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import servers
from tests.conftest import lacking

SCRIPT = Path(__file__).parents[2] / "scripts" / "queue_simulation.py"


def simulated(*arguments: str) -> tuple[int, str]:
    with servers.postgres() as database, servers.redis() as broker:
        ours = {name: value for name, value in os.environ.items() if not name.startswith(("ARENA_", "DJANGO_"))}
        environment = ours | {"DATABASE_URL": database.url, "BROKER_URL": broker.url}
        command = [sys.executable, str(SCRIPT), *arguments]
        ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=600)
    return ended.returncode, ended.stdout + ended.stderr


@pytest.mark.slow
def test_a_simulation_evaluates_every_result_once_and_reports_it() -> None:
    try:
        code, said = simulated("--workers", "2", "--results", "20")
    except servers.Missing as missing:
        lacking(str(missing))
    assert code == 0, said
    assert "postgresql, 2 workers, 20 results of 0 s each" in said
    assert "20 of 20 passed on the first claim" in said
    assert "DOUBLED" not in said
    assert re.search(r"^0 calls were retried because the database was locked", said, re.MULTILINE)
    places = re.findall(r"^(\w+): the last of (\d+) results was started as number (\d+) of 20$", said, re.MULTILINE)
    assert sum(int(count) for _, count, _ in places) == 20
    assert max(int(place) for *_, place in places) == 20
    assert re.search(r"\d+ results per second through lease, verdict and record", said)
