"""Build a HIP source in a sandbox before any of its code runs, and cache the product where no candidate can write.

The cache key covers source and toolchain (versions, flags, headers, processor). Only successful builds are cached, each
in one file: the SHA-256 of the rest, the report as a line of JSON, the product. A damaged file counts as none.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.backends.base import Toolchain
from evaluator.errors import SandboxError
from evaluator.inside.isa.targets import NOT_IN_TIME
from evaluator.judge.side import Side
from evaluator.sandbox import Worker
from evaluator.state import replacing, state_folder

GRACE_S = 10.0
MAX_PRODUCT_BYTES = 64 << 20
FORMAT = b"5"  # of a cached build
DIGEST_BYTES = hashlib.sha256().digest_size


@dataclass(frozen=True, slots=True)
class Build:
    """The reports of the builds for this host's device, gfx942 and gfx950 (inside/hip_cpu), and the extension."""

    native: dict[str, Any]
    gfx942: dict[str, Any]
    gfx950: dict[str, Any]
    unsupported: tuple[str, ...]
    not_portable: tuple[str, ...]
    product: bytes | None
    cached: bool


def build(side: Side, toolchain: Toolchain) -> Build:
    """Return the build of a side's source, from the cache or made now.

    Raises:
        WorkerError: the build did not end, or its worker died.
    """
    path = build_file(side.files[side.source], toolchain)
    if (cached := _load(path)) is not None:
        return _build(*cached, cached=True)
    worker, limit_s = side.spawn(), side.task.limits.build_s
    try:
        fields = {"path": side.source, "toolchain": toolchain.as_dict(), "limit_s": limit_s}
        report: dict[str, Any] = dict(worker.call("build", timeout_s=limit_s + GRACE_S, **fields))
        product = taken(worker, report["native"]["product"]) if report["native"]["ok"] else None
        if report["native"]["ok"] and product is None:
            log = f"error: the built extension is larger than {MAX_PRODUCT_BYTES >> 20} MiB\n"
            report["native"] |= {"ok": False, "fault": "size", "log": log}
    finally:
        side.close(worker, has_loaded=False)
    made = _build(report, product, cached=False)
    complete = made.gfx942["ok"] and not made.gfx950.get("reason", "").startswith(NOT_IN_TIME)
    if made.product is not None and (complete or not toolchain.as_dict()["gfx942_available"]):
        _store(path, report, made.product)
    return made


def _build(report: dict[str, Any], product: bytes | None, cached: bool) -> Build:
    return Build(
        native=report["native"],
        gfx942=report["gfx942"],
        gfx950=report["gfx950"],
        unsupported=tuple(report["unsupported"]),
        not_portable=tuple(report["not_portable"]),
        product=product,
        cached=cached,
    )


def taken(worker: Worker, path: str) -> bytes | None:
    """Read a file of the worker's workspace in pieces through the mailbox; None if it is too large.

    Raises:
        SandboxError: what the worker says of the file cannot be.
    """
    data, step = b"", worker.mailbox.size
    while True:
        reply = worker.call("take", timeout_s=GRACE_S, path=path, start=len(data), size=step)
        copied, size = reply.get("copied"), reply.get("size")
        if type(size) is not int or copied != (expected := max(0, min(step, size - len(data)))):
            raise SandboxError(f"{path} is malformed: {size!r} bytes, {copied!r} copied from byte {len(data)}")
        if size > MAX_PRODUCT_BYTES:
            return None
        data += bytes(worker.mailbox.view(0, expected))
        if len(data) >= size:
            return data


def build_file(source: bytes, toolchain: Toolchain) -> Path:
    """Return where the build of a source is cached."""
    key = hashlib.sha256(hashlib.sha256(source).digest() + toolchain.key.encode() + FORMAT).hexdigest()
    return state_folder() / "builds" / key[:2] / key


def _store(path: Path, report: dict[str, Any], product: bytes) -> None:
    store(path, json.dumps(report).encode() + b"\n" + product)


def _load(path: Path) -> tuple[dict[str, Any], bytes] | None:
    """Return report and product of a cached build; None if there is none, or its file is damaged or unreadable."""
    if (data := stored(path)) is None:
        return None
    report, _, product = data.partition(b"\n")
    return json.loads(report), product


def store(path: Path, data: bytes) -> None:
    """Write data and their digest."""
    with suppress(OSError), replacing(path) as file:  # a full disk costs time, not the evaluation
        file.write(hashlib.sha256(data).digest() + data)


def stored(path: Path) -> bytes | None:
    """Return stored data; None if there are none, or the file is damaged or unreadable."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    digest, data = data[:DIGEST_BYTES], data[DIGEST_BYTES:]
    return data if hashlib.sha256(data).digest() == digest else None
