"""Build products, from the sandbox to the judge."""

from __future__ import annotations

import copy
from pathlib import Path
from types import SimpleNamespace

import pytest

from evaluator.gates.compile import _rejection
from evaluator.judge import builds
from evaluator.judge.side import Side
from evaluator.sandbox.faults import Ended

REPORT = {
    "native": {"ok": True, "log": "", "has_module": True, "product": "candidate.so"},
    "gfx942": {"checked": True, "ok": True, "log": "", "kernels": []},
    "gfx950": {"checked": True, "kernels": []},
    "unsupported": [],
    "not_portable": [],
}


def test_an_extension_that_is_too_large_is_a_fault_of_its_source():
    """It used to be a sandbox error, so the host's health was checked and the candidate tried again."""

    def call(op, **fields):
        return copy.deepcopy(REPORT) if op == "build" else {"copied": 16, "size": builds.MAX_PRODUCT_BYTES + 1}

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
    sandbox = SimpleNamespace(ready_s=0.0, spawn=lambda **options: worker)
    task = SimpleNamespace(limits=SimpleNamespace(build_s=1), cases=())
    side = Side(task, (), {"kernel.hip": b"slow to build"}, lambda: sandbox, "cpu", None)
    builds.build(side, SimpleNamespace(key="none", as_dict=lambda: {"gfx942_available": True}))
    assert side.leftovers == 0


TOOLCHAIN = SimpleNamespace(key="none", as_dict=lambda: {"gfx942_available": True})
PRODUCT = bytes(range(256)) * 40


def built(monkeypatch, folder):
    """Build a source of which the compiler makes PRODUCT; return the build and how often the compiler ran."""
    monkeypatch.setattr(builds, "state_folder", lambda: folder)
    calls = []

    def call(op, **fields):
        calls.append(op)
        return copy.deepcopy(REPORT) if op == "build" else {"copied": len(PRODUCT), "size": len(PRODUCT)}

    mailbox = SimpleNamespace(size=len(PRODUCT), view=lambda start, size: PRODUCT)
    side = SimpleNamespace(
        files={"kernel.hip": b"source"},
        source="kernel.hip",
        spawn=lambda: SimpleNamespace(call=call, mailbox=mailbox),
        close=lambda worker, has_loaded: None,
        task=SimpleNamespace(limits=SimpleNamespace(build_s=1)),
    )
    return builds.build(side, TOOLCHAIN), calls.count("build")


def flipped(data, at):
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


DAMAGES = {
    "empty": lambda data: b"",
    "truncated": lambda data: data[:-1],
    "only its checksum": lambda data: data[:32],
    "cut within the checksum": lambda data: data[:20],
    "a bit of the checksum": lambda data: flipped(data, 0),
    "a bit of the report": lambda data: flipped(data, 40),
    "a bit of the product": lambda data: flipped(data, len(data) - 7),
    "zeros, as after a loss of power": lambda data: bytes(len(data)),
    "longer": lambda data: data + b"more",
    "another build": lambda data: data[:32] + data[32:][::-1],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_build_is_made_again(monkeypatch, tmp_path, damage):
    first, runs = built(monkeypatch, tmp_path)
    assert (runs, first.product, first.cached) == (1, PRODUCT, False)
    again, runs = built(monkeypatch, tmp_path)
    assert (runs, again.product, again.cached) == (0, PRODUCT, True)
    (file,) = [path for path in tmp_path.rglob("*") if path.is_file()]
    file.write_bytes(DAMAGES[damage](file.read_bytes()))
    repaired, runs = built(monkeypatch, tmp_path)
    assert (runs, repaired.product, repaired.native["ok"]) == (1, PRODUCT, True)
    assert built(monkeypatch, tmp_path)[1] == 0, "the new file is whole"


def test_a_build_is_on_disk_before_its_name_is(monkeypatch, tmp_path):
    """File, then name, then folder: after a crash there is the whole file or none."""
    order = []
    real = {name: getattr(builds.replacing.__globals__["os"], name) for name in ("fsync", "replace")}

    def fsync(fd):
        order.append(f"fsync {'folder' if Path(f'/proc/self/fd/{fd}').is_dir() else 'file'}")
        real["fsync"](fd)

    def replace(old, new):
        order.append("replace")
        real["replace"](old, new)

    monkeypatch.setattr("os.fsync", fsync)
    monkeypatch.setattr("os.replace", replace)
    built(monkeypatch, tmp_path)
    assert order == ["fsync file", "replace", "fsync folder", "fsync folder"]


def test_a_build_that_cannot_be_stored_counts_and_leaves_no_part(monkeypatch, tmp_path):
    def full(old, new):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    assert built(monkeypatch, tmp_path)[0].product == PRODUCT
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
