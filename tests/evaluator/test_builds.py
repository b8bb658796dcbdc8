"""Build products, from the sandbox to the judge."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from evaluator.gates.compile import _rejection
from evaluator.judge import builds
from evaluator.judge.side import Side
from evaluator.sandbox.faults import Ended

REPORT = {
    "native": {"ok": True, "log": "", "has_module": True, "product": "candidate.so"},
    "gfx942": {"checked": True, "ok": True, "log": "", "kernels": []},
    "unsupported": [],
    "not_portable": [],
}


def test_an_extension_that_is_too_large_is_a_fault_of_its_source():
    """It used to be a sandbox error, so the host's health was checked and the candidate tried again."""

    def call(op, **fields):
        return REPORT if op == "build" else {"copied": 16, "size": builds.MAX_PRODUCT_BYTES + 1}

    worker = SimpleNamespace(call=call, mailbox=SimpleNamespace(size=16, view=lambda start, size: bytes(size)))
    side = SimpleNamespace(
        files={"kernel.hip": b"too large"},
        source="kernel.hip",
        spawn=lambda: worker,
        close=lambda worker, has_loaded: None,
        task=SimpleNamespace(limits=SimpleNamespace(build_s=1)),
    )
    made = builds.build(side, SimpleNamespace(key="none", as_dict=lambda: {"gfx942_available": True}))
    assert made.product is None
    rejection = _rejection(made, stands_in=True)
    assert (rejection.reason, rejection.detail) == (
        "compiler_error",
        "error: the built extension is larger than 64 MiB",
    )


@pytest.mark.parametrize(("has_loaded", "counted"), [(True, 1), (False, 0)])
def test_a_killed_compiler_is_not_a_process_that_the_candidate_left(has_loaded, counted):
    """On a busy host a compiler killed at the time limit may still exist when its worker ends."""
    ended = Ended(exit_code=None, signal="SIGKILL", killed=True, leftovers=1)
    worker = SimpleNamespace(close=lambda: ended, output=lambda: "")
    side = Side(None, (), {"kernel.hip": b""}, lambda: None, "cpu", None)
    side.close(worker, has_loaded=has_loaded)
    assert side.leftovers == counted


def test_processes_left_by_a_build_are_not_counted():
    ended = Ended(exit_code=None, signal="SIGKILL", killed=True, leftovers=1)
    failed = REPORT | {"native": {"ok": False, "log": "error: not finished in 1 s", "fault": "timeout"}}
    kept = {"put": lambda *file: None, "call": lambda *_, **fields: failed}
    worker = SimpleNamespace(**kept, close=lambda: ended, output=lambda: "")
    sandbox = SimpleNamespace(spawn=lambda **options: worker)
    task = SimpleNamespace(limits=SimpleNamespace(build_s=1), cases=())
    side = Side(task, (), {"kernel.hip": b"slow to build"}, lambda: sandbox, "cpu", None)
    builds.build(side, SimpleNamespace(key="none", as_dict=lambda: {"gfx942_available": True}))
    assert side.leftovers == 0
