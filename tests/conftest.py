"""What the site's tests share."""

from __future__ import annotations

import shutil

import pytest


@pytest.fixture(scope="session", autouse=True)
def _state_folder_is_removed() -> object:
    yield
    from tests.settings import STATE

    shutil.rmtree(STATE, ignore_errors=True)
