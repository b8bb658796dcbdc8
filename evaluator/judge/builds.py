"""Build a HIP source in a sandbox before any of its code runs, and cache the product where no candidate can write.

The cache key covers source and toolchain (versions, flags, headers, processor). Only successful builds are cached.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.backends.base import Toolchain
from evaluator.errors import SandboxError
from evaluator.judge.side import Side
from evaluator.sandbox import Worker
from evaluator.state import state_folder

GRACE_S = 10.0
MAX_PRODUCT_BYTES = 64 << 20
REPORT_FORMAT = b"3"  # of the report cached beside a product


@dataclass(frozen=True, slots=True)
class Build:
    """The reports of the builds for this host's device and for gfx942 (inside/hip_cpu), and the extension's bytes."""

    native: dict[str, Any]
    gfx942: dict[str, Any]
    unsupported: tuple[str, ...]
    not_portable: tuple[str, ...]
    product: bytes | None
    cached: bool


def build(side: Side, toolchain: Toolchain) -> Build:
    """Return the build of a side's source, from the cache or made now.

    Raises:
        WorkerError: the build did not end, or its worker died.
    """
    folder = _folder(side.files[side.source], toolchain)
    if (folder / "report.json").is_file():
        cached = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        return _build(cached, (folder / "product.so").read_bytes(), cached=True)
    worker, limit_s = side.spawn(), side.task.limits.build_s
    try:
        fields = {"path": side.source, "toolchain": toolchain.as_dict(), "limit_s": limit_s}
        report: dict[str, Any] = dict(worker.call("build", timeout_s=limit_s + GRACE_S, **fields))
        product = _take(worker, report["native"]["product"]) if report["native"]["ok"] else None
        if report["native"]["ok"] and product is None:
            log = f"error: the built extension is larger than {MAX_PRODUCT_BYTES >> 20} MiB\n"
            report["native"] |= {"ok": False, "fault": "size", "log": log}
    finally:
        side.close(worker, has_loaded=False)
    made = _build(report, product, cached=False)
    if made.product is not None and (made.gfx942["ok"] or not toolchain.as_dict()["gfx942_available"]):
        _store(folder, report, made.product)
    return made


def _build(report: dict[str, Any], product: bytes | None, cached: bool) -> Build:
    native, gfx942 = report["native"], report["gfx942"]
    return Build(native, gfx942, tuple(report["unsupported"]), tuple(report["not_portable"]), product, cached)


def _take(worker: Worker, path: str) -> bytes | None:
    """Read a file of the worker's workspace in pieces through the mailbox; None if it is too large."""
    data, step = b"", worker.mailbox.size
    while True:
        reply = worker.call("take", timeout_s=GRACE_S, path=path, start=len(data), size=step)
        copied, size = reply["copied"], reply["size"]
        if type(copied) is not int or type(size) is not int or not 0 <= copied <= step:
            raise SandboxError(f"a build product is malformed: {size!r} bytes, {copied!r} copied")
        if size > MAX_PRODUCT_BYTES:
            return None
        data += bytes(worker.mailbox.view(0, copied))
        if len(data) >= size or copied == 0:
            return data


def _folder(source: bytes, toolchain: Toolchain) -> Path:
    key = hashlib.sha256(hashlib.sha256(source).digest() + toolchain.key.encode() + REPORT_FORMAT).hexdigest()
    return state_folder() / "builds" / key[:2] / key


def _store(folder: Path, report: dict[str, Any], product: bytes) -> None:
    """Write to a temporary folder and rename it, so that two evaluations at once do not conflict."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(dir=folder.parent))
    (temporary / "product.so").write_bytes(product)
    (temporary / "report.json").write_text(json.dumps(report), encoding="utf-8")
    try:
        os.rename(temporary, folder)
    except OSError:
        shutil.rmtree(temporary)
