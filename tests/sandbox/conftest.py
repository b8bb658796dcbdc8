"""Sandboxes shared by the tests in this folder."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from probing import SMALL

from evaluator.sandbox import Limits, Sandbox, bubblewrap, open_sandbox
from tests.conftest import lacking

KINDS = ("bubblewrap", "plain")


@pytest.fixture(scope="session")
def opened() -> Iterator[Callable[..., Sandbox]]:
    """Return open_sandbox, closing all sandboxes at the end and skipping tests of kinds that this host cannot make."""
    with contextlib.ExitStack() as stack:

        def opening(kind: str, limits: Limits = SMALL, **options: Any) -> Sandbox:
            if kind == "bubblewrap" and not bubblewrap.works():
                lacking("this host does not let bubblewrap make namespaces")
            return stack.enter_context(open_sandbox(kind, limits=limits, **options))

        yield opening


@pytest.fixture(scope="session", params=KINDS)
def sandbox(request: pytest.FixtureRequest, opened: Callable[..., Sandbox]) -> Sandbox:
    """A shared sandbox per kind, for all probes that leave it usable: workers must not notice earlier ones."""
    return opened(request.param)
