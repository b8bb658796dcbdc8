"""A build's product on its way from the sandbox to the judge."""

from __future__ import annotations

from types import SimpleNamespace

from evaluator.gates.compile import _rejection
from evaluator.judge import builds

REPORT = {
    "native": {"ok": True, "log": "", "has_module": True, "product": "candidate.so"},
    "gfx942": {"checked": True, "ok": True, "log": "", "kernels": []},
    "unsupported": [],
    "not_portable": [],
}


def test_an_extension_that_is_too_large_to_keep_is_its_sources_fault():
    """It was the sandbox's, so that the host was asked for its health and the candidate tried again."""

    def call(op, **fields):
        return REPORT if op == "build" else {"copied": 16, "size": builds.MAX_PRODUCT_BYTES + 1}

    worker = SimpleNamespace(call=call, mailbox=SimpleNamespace(size=16, view=lambda start, size: bytes(size)))
    side = SimpleNamespace(
        files={"kernel.hip": b"too large"},
        source="kernel.hip",
        spawn=lambda: worker,
        close=lambda worker: None,
        task=SimpleNamespace(limits=SimpleNamespace(build_s=1)),
    )
    made = builds.build(side, SimpleNamespace(key="none", as_dict=lambda: {"gfx942_available": True}))
    assert made.product is None
    rejection = _rejection(made, stands_in=True)
    assert (rejection.reason, rejection.detail) == (
        "compiler_error",
        "error: the built extension has more than 64 MiB",
    )
