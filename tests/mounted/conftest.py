"""One sandbox for all tests of one side; each worker starts in an empty folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from evaluator.sandbox import Limits, Sandbox, open_sandbox


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with open_sandbox("auto", limits=Limits(processes=256, wall_s=7200)) as sandbox:
        yield sandbox
