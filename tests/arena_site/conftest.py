"""Variables of the environment, as a test of settings says them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from arena_site import env


@pytest.fixture
def own_environment() -> Iterator[None]:
    """No test reads what it does not ask about; the table of variables stays that of the settings."""
    read = dict(env.READ)
    yield
    env.refuse_problems()
    env.READ.clear()
    env.READ.update(read)
    env._in_file.clear()


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    return lambda value: monkeypatch.setenv("ARENA_THING", value)
