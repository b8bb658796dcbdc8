"""Fixtures for HIP on the CPU: this host's toolchain, and extensions built from tests/evaluator/hip."""

from __future__ import annotations

import functools
import importlib.util
import random
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch

from evaluator.gates import context
from evaluator.hip.host import HipUnavailable
from evaluator.hip.prepare import prepare
from evaluator.inside.hip_cpu import build_cpu
from evaluator.inside.hip_cpu.runtime import FiberRuntime
from evaluator.judge import draws
from evaluator.state import state_folder
from tests.conftest import lacking
from tests.covered import commit

HIP_SOURCES = Path(__file__).parent / "hip"
SEEDS = {"upwards": 0, "drawn": 20261129}  # of the order of lanes


@pytest.fixture(autouse=True)
def the_same_numbers_every_time() -> None:
    torch.manual_seed(7)


@pytest.fixture
def draws_of_the_commit(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge's secrets, which are new for each commit, and the same whenever a failure of one is repeated."""
    chance = random.Random(f"{commit()} {request.node.nodeid}")
    monkeypatch.setattr(draws, "secrets", SimpleNamespace(token_bytes=chance.randbytes))
    monkeypatch.setattr(context, "secrets", SimpleNamespace(randbits=chance.getrandbits))


@pytest.fixture(scope="session")
def hip_toolchain() -> dict[str, Any]:
    """The parameters of a build in the sandbox. Prepared once per host (30 s), then read from the state folder."""
    try:
        return prepare(state_folder()).as_dict()
    except HipUnavailable as reason:
        lacking(str(reason))


@pytest.fixture(scope="session")
def hip_module(hip_toolchain: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Callable[..., ModuleType]:
    """Return hip_module(name), which builds hip/NAME.hip once for each of SEEDS and loads it."""

    @functools.cache
    def load(name: str, order: str = "upwards") -> ModuleType:
        # A name for each source and order: pybind11 gives a process one module of a name, whatever file it comes from.
        build = build_cpu(
            HIP_SOURCES / f"{name}.hip", f"{name}_{order}", tmp_path_factory.mktemp(name), hip_toolchain, 120
        )
        assert build["ok"], build["log"]
        return _load(f"{name}_{order}", Path(build["product"]), SEEDS[order])

    return load


def _load(name: str, product: Path, seed: int) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, product)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    FiberRuntime(product, owner=None).order_lanes(seed)
    return module
