"""`make imports`: measure time and peak memory of reading bundles of growing size, offline and into an empty database.

Each bundle is synthetic, in one format, and read in a process of its own. On a busy machine CPU time is more reliable
than wall time. A bundle beyond a limit names it. No data is stored.

usage: scripts/bench_imports.py [--measurements N …] [--formats NAME …] [--offline]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import secrets
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

SIZES = (10_000, 100_000, 1_000_000)
CASES = 1_000  # per task
SOURCE = b"// made up\n"
Files = Iterator[tuple[str, bytes]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measurements", type=int, nargs="+", default=SIZES, metavar="N")
    parser.add_argument("--formats", nargs="+", default=list(FORMATS), choices=FORMATS, metavar="NAME")
    parser.add_argument("--offline", action="store_true", help="without the database")
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)  # for the child process
    options = parser.parse_args()
    if options.read:
        return _read(options.read, options.formats[0], options.measurements[0], offline=options.offline)
    columns = f"{'seconds':>8}{'of CPU':>8}{'peak MiB':>10}"
    _say(f"{'format':12}{'measurements':>13}{'MiB':>7}   {'where':9}{columns}   outcome")
    for name in options.formats:
        for count in options.measurements:
            _row(name, count, offline=options.offline)
    return 0


def _row(name: str, count: int, *, offline: bool) -> None:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        path = Path(folder) / "bundle.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
            for member, data in FORMATS[name](count):
                file.writestr(member, data)
        for where in ("check",) if offline else ("check", "database"):
            command = [sys.executable, __file__, "--read", str(path), "--formats", name, "--measurements", str(count)]
            command += ["--offline"] if where == "check" else []
            environment = {**os.environ, "ARENA_STATE": folder, "TMPDIR": folder}
            child = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
            text = child.stdout.strip() or child.stderr.strip().splitlines()[-1]
            _say(f"{name:12}{count:13,}{path.stat().st_size >> 20:7}   {where:9}{text}")


def _read(path: Path, name: str, count: int, *, offline: bool) -> int:
    """Read a bundle in this process and print time and peak memory."""
    import_into = None if offline else _site(name, count)
    begun, cpu = perf_counter(), process_time()
    outcome = _checked(path) if import_into is None else import_into(path)
    _say(f"{perf_counter() - begun:8.1f}{process_time() - cpu:8.1f}{_peak_mib():10}   {outcome}")
    return 0


def _peak_mib() -> int:
    """Return the peak memory of this process; getrusage would include the parent's at the fork."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) >> 10 for line in lines if line.startswith("VmHWM:"))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _checked(path: Path) -> str:
    from evaluator.bundles.checking import check

    checked = check(path)
    if checked.problems or checked.bundle is None:
        return str(checked.problems[0])
    return f"{len(checked.bundle.claims)} claims, {checked.bundle.measurements:,} measurements"


def _site(name: str, count: int) -> Callable[[Path], str]:
    """Set up an empty site with the tasks of the native bundle; return a function that imports a bundle."""
    state = os.environ["ARENA_STATE"]
    os.environ |= {"DATABASE_URL": f"sqlite:///{state}/{count}.sqlite3", "SECRET_KEY": secrets.token_hex(32)}
    os.environ["DJANGO_SETTINGS_MODULE"] = "arena_site.settings"
    import django

    django.setup()
    from django.core.management import call_command

    from runs.loading import bundles as intake
    from runs.loading import registry
    from runs.models import Submission
    from runs.services import catalog, submissions
    from runs.services.registry import register_suite

    call_command("migrate", verbosity=0)
    registry.load_registry(registry.BUNDLED)
    if name == "native":
        tasks = catalog.mirror_tasks(specs=_specs(count))
        register_suite(name="made-up", title="Made up", tasks=list(tasks.values()))

    def import_into(path: Path) -> str:
        digest, size = intake.archive_bundle(path)
        declared = {"agent": "A"} if name != "native" else {}
        upload = submissions.Upload(digest, size, path.name, declared, "MIT")
        submission, _ = submissions.receive(upload=upload, actor="bench")
        intake.check_next(submission.pk)
        row = Submission.objects.get(pk=submission.pk)
        problem = f": {row.problems[0]}" if row.problems else ""
        return f"{row.state}{problem}"

    return import_into


def _specs(count: int) -> list[Any]:
    from evaluator.tasks.reader import load_task

    spec = load_task("hip2hip/arena/GELU")
    return [replace(spec, id=f"hip2hip/arena/made_up_{n}", digest=_digest(n)) for n in range(count // CASES)]


def _digest(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


def _native(count: int) -> Files:
    """Make CPU records, without whitespace: with it a million would exceed 512 MiB."""
    from evaluator import codec
    from evaluator.bundles.archives.packing import slug
    from evaluator.records.record import GATE_NAMES, PROTOCOL, HostInfo
    from evaluator.tasks.candidate import Candidate
    from evaluator.tasks.suites import suite_digest

    candidate = Candidate({"gelu.hip": SOURCE}, "rewrite")
    tasks = {f"hip2hip/arena/made_up_{n}": _digest(n) for n in range(count // CASES)}
    for task, digest in tasks.items():
        record = {
            **{"schema": 1, "protocol": PROTOCOL, "evaluator": "0.1.0", "started_at": "2026-11-01T12:00:00+00:00"},
            "task": {"id": task, "digest": digest, "category": "hip2hip"},
            "candidate": codec.encode(candidate.ref()),
            "baseline_kind": "source",
            "host": codec.encode(HostInfo("cpu", "cpu-x86_64", "cpu", {"torch": "2.13.0"})),
            "sandbox": {"kind": "bubblewrap", "strength": ["no network"]},
            **{"status": "passed", "gate": None, "reason": None, "message": None, "flags": ["functional"]},
            "gates": [{"name": name, "outcome": "passed", "seconds": 1.0} for name in GATE_NAMES],
            "cases": [_case(task, n) for n in range(CASES)],
            **{"findings": [], "isa": [], "isa_checked": {}, "seconds": {"total": 1.5}, "log": ""},
        }
        yield f"records/{slug(task)}.json", json.dumps(record, separators=(",", ":")).encode()
        yield f"candidates/{slug(task)}/gelu.hip", SOURCE
    manifest = {
        **{"suite": "made-up@1", "suite_digest": suite_digest(tasks), "agent": "rewrite", "protocol": PROTOCOL},
        **{"device_class": "cpu-x86_64", "repeat": 0, "round": None, "tasks": tasks},
    }
    yield "run.json", json.dumps(manifest).encode()


def _case(task: str, number: int) -> dict[str, Any]:
    draw = random.Random(f"{task}{number}")
    times = {side: [round(draw.uniform(1, 9), 4) for _ in range(3)] for side in ("baseline_ms", "candidate_ms")}
    return {
        **{"id": f"n={number}", "axes": {"n": number}, "profile": "small", "split": "seen"},
        **{"correct": True, "draws": 9},
        **{"relative_rmse": 1e-7, "allowed_rmse": 4e-7, "baseline_rmse": 1e-7, "first_call_ms": 12.0, "speedup": None},
        **{"clocks": {"functional": times}, "ratio": None, "sessions": []},
    }


def _flashinfer(count: int) -> Files:
    """Make files of up to 32 MiB, with a workload per line."""
    draw, size = random.Random(0), 50_000
    for start in range(0, count, size):
        yield f"traces/{start}.jsonl", b"".join(_trace(draw, n) for n in range(start, min(start + size, count)))


def _trace(draw: random.Random, number: int) -> bytes:
    before, after = round(draw.uniform(1, 9), 4), round(draw.uniform(1, 9), 4)
    evaluation = {
        "status": "PASSED",
        "log": "",
        "correctness": {"max_relative_error": 1e-3, "max_absolute_error": 1e-3},
        "performance": {"latency_ms": after, "reference_latency_ms": before, "speedup_factor": before / after},
        "environment": {"hardware": "NVIDIA H100", "libs": {"torch": "2.9"}},
        "timestamp": "2026-01-01T00:00:00",
    }
    workload = {"uuid": _digest(number)[:32], "axes": {"M": number}, "inputs": {}}
    trace = {"definition": f"gemm_{number // CASES}", "solution": "s", "workload": workload, "evaluation": evaluation}
    return json.dumps(trace).encode() + b"\n"


def _kernelbenchx(count: int) -> Files:
    """Make rows for the suite's tasks, with as many sizes as needed."""
    from evaluator.bundles.tasklists import tasks_of

    draw, tasks = random.Random(0), list(tasks_of("kernelbenchx-176"))
    rows = {}
    for index, task in enumerate(tasks):
        sizes = range(index, count, len(tasks))
        listed = [{"input_size": [[n]], "ms": round(draw.uniform(1, 9), 4), "GB/s": 1.0, "TFLOPS": 1.0} for n in sizes]
        state = {"call_ok": True, "exe_ok": True, "perf_ok": True, "code": "import triton\n", "performance": listed}
        total: float = sum(row["ms"] for row in listed)  # type: ignore[misc]
        rows[task] = {**state, "runtime_ms": round(total, 4), "speedup": 1.0}
    yield "metrics.json", json.dumps(rows).encode()


def _agentkernelarena(count: int) -> Files:
    from evaluator.bundles.tasklists import tasks_of

    draw, tasks = random.Random(0), list(tasks_of("arena-paper-196"))
    for index, task in enumerate(tasks):
        folder = f"workspace_MI300X_robot/run_20260101_000000/{task.replace('/', '_')}_20260101_000000"
        for side in ("baseline_perf", "optimized_perf"):
            cases = range(index, count, len(tasks))
            row = "- {{test_case_id: c{0}, execution_time_ms: {1:.4f}, params: {{M: {0}}}}}\n"
            lines = "".join(row.format(n, draw.uniform(1, 9)) for n in cases)
            yield f"{folder}/{side}.yaml", f"test_cases:\n{lines}".encode()
        result = f"task_name: {task}\npass_compilation: true\npass_correctness: true\nspeedup_ratio: 1.0\n"
        yield f"{folder}/task_result.yaml", result.encode()


FORMATS: dict[str, Callable[[int], Files]] = {
    "native": _native,
    "aka": _agentkernelarena,
    "kbx": _kernelbenchx,
    "flashinfer": _flashinfer,
}

if __name__ == "__main__":
    raise SystemExit(main())
