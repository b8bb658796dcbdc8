"""`make bench`: measure how fast pages of synthetic leaderboards are served, and compare with budgets.

Each size has its own database and port; the web server is started as by `make up`, and wrk runs 20 clients on loopback:
once while nothing changes, once while the counter of public changes goes up every second. The run, the task and the
result have an open attempt. Times depend on the machine, so they are also given as multiples of a static file's in the
same run. A missed budget is printed and gives exit code 1.

usage: scripts/bench.py [--measurements N …] [--tasks N] [--seconds S] [--rounds R] [--pages NAME …]
exit codes: 0 all budgets met, 1 one is missed, 2 usage, 3 this host lacks something, with the reason
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import secrets
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import median, quantiles
from threading import Event, Thread
from time import perf_counter, sleep

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts.synthetic import TASKS  # noqa: E402
from scripts.up import status_of, web_command  # noqa: E402

SIZES = (10_000, 100_000, 1_000_000)
CLIENTS = 20
COLD_REQUESTS = 20
READY_S = 60.0
WARM_P95_MS, COLD_P95_MS, MOST_QUERIES, MOST_BYTES_GZ, CSV_ROWS_A_SECOND = 50.0, 300.0, 6, 60_000, 30_000  # design §10
EXPORT, MOST_EXPORTED = "/api/v1/rows/measurements.csv", 200_000  # rows are counted up to this number
STATIC_FILE = "/static/img/mark.svg"


@dataclass(frozen=True, slots=True)
class BenchPage:
    """A page to measure."""

    name: str
    address: str
    queries: int
    bytes_gz: int
    is_html: bool
    cpu_cold_ms: float  # of one process: affected least by a busy machine
    cpu_warm_ms: float


@dataclass(frozen=True, slots=True)
class Load:
    p50_ms: float
    p95_ms: float
    requests_a_second: float
    errors: int


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Measure the site's pages over synthetic boards.")
    parser.add_argument("--measurements", type=int, nargs="+", default=list(SIZES), metavar="N")
    parser.add_argument("--tasks", type=int, default=TASKS, metavar="N", help="of each suite")
    parser.add_argument("--seconds", type=int, default=5, help="seconds of load per page and round")
    parser.add_argument("--rounds", type=int, default=3, help="number of rounds; medians are reported")
    parser.add_argument("--pages", nargs="+", metavar="NAME", help="only these pages, by their names in the table")
    parser.add_argument("--databases", type=Path, metavar="FOLDER", help="keep databases there, and use existing ones")
    chosen = parser.parse_args(arguments)
    if shutil.which("wrk") is None:
        sys.stderr.write("nothing was measured, because wrk is missing: `apt-get install wrk`\n")
        return 3
    missed = [miss for size in chosen.measurements for miss in measure(size, chosen)]
    say("\nBudgets: " + ("all met" if not missed else f"{len(missed)} MISSED"), *missed)
    return 1 if missed else 0


def measure(size: int, chosen: argparse.Namespace) -> list[str]:
    """Measure one size: print its table, return the budgets that were missed."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        database = (chosen.databases or Path(folder)).resolve() / f"{size}-{chosen.tasks}.sqlite3"
        environment = dict(os.environ) | settings_of(Path(folder), database)
        seeded = prepare(size, chosen.tasks, database, environment)
        pages = [BenchPage(**values) for values in json.loads(run("scripts/bench_pages.py", environment=environment))]
        if unknown := set(chosen.pages or ()) - {page.name for page in pages}:
            names = ", ".join(page.name for page in pages)
            sys.stderr.write(f"no page is called {sorted(unknown)}; there are {names}\n")
            sys.exit(2)
        pages = [page for page in pages if not chosen.pages or page.name in chosen.pages]
        with served(environment) as port:
            # Before any load, since the server may still be busy after wrk has ended.
            cold_ms = [[cold(port, page, database) for _ in range(COLD_REQUESTS)] for page in pages]
            floor = warm(port, STATIC_FILE, chosen)
            say(
                f"\n{size:,} measurements, suites of {chosen.tasks} tasks, {seeded}; load {load()}",
                HEAD,
                row("static file", floor, floor),
            )
            missed = []
            for page, times in zip(pages, cold_ms, strict=True):
                found = warm(port, page.address, chosen)
                with changing(database):
                    renewed = warm(port, page.address, chosen)
                say(row(page.name, found, floor, renewed, times, page))
                missed += missed_by(page, found, renewed, times)
            rate = export_rate(port)
            say(f"{EXPORT}: {rate:,.0f} rows/s; load after: {load()}")
            missed += [f"export: {rate:,.0f} rows/s < {CSV_ROWS_A_SECOND:,}"] if rate < CSV_ROWS_A_SECOND else []
    return [f"{size:,}: {miss}" for miss in missed]


def missed_by(page: BenchPage, found: Load, renewed: Load, cold_ms: Sequence[float]) -> list[str]:
    cold_p95_ms = p95(cold_ms)
    budgets = [
        (found.p95_ms > WARM_P95_MS, f"warm p95 {found.p95_ms:.0f} ms > {WARM_P95_MS:.0f}"),
        (renewed.p95_ms > WARM_P95_MS, f"changing p95 {renewed.p95_ms:.0f} ms > {WARM_P95_MS:.0f}"),
        (cold_p95_ms > COLD_P95_MS, f"cold p95 {cold_p95_ms:.0f} ms > {COLD_P95_MS:.0f}"),
        (page.queries > MOST_QUERIES, f"{page.queries} queries > {MOST_QUERIES}"),
        (page.is_html and page.bytes_gz > MOST_BYTES_GZ, f"{page.bytes_gz} bytes gz > {MOST_BYTES_GZ}"),
        (found.errors + renewed.errors > 0, f"{found.errors + renewed.errors} errors under load"),
    ]
    return [f"{page.name}: {text}" for is_missed, text in budgets if is_missed]


def warm(port: int, path: str, chosen: argparse.Namespace) -> Load:
    """Return the medians over rounds of wrk with all clients."""
    address = f"http://127.0.0.1:{port}{path}"
    script = ROOT / "scripts" / "bench.lua"
    command = [
        "wrk",
        "-t1",
        f"-c{CLIENTS}",
        f"-d{chosen.seconds}s",
        "-s",
        str(script),
        "-H",
        "Accept-Encoding: gzip",
        address,
    ]
    for _ in range(CLIENTS):
        request(port, path)  # fills the response cache of every process
    found = []
    for _ in range(chosen.rounds):
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        found.append(json.loads(output.splitlines()[-1]))
    return Load(
        p50_ms=median(one["p50"] for one in found) / 1e3,
        p95_ms=median(one["p95"] for one in found) / 1e3,
        requests_a_second=median(one["requests"] / (one["duration"] / 1e6) for one in found),
        errors=sum(one["errors"] for one in found),
    )


def cold(port: int, page: BenchPage, database: Path) -> float:
    """Return the milliseconds of one client's request after a change, for a page of which no earlier one is kept."""
    change(database)
    since = perf_counter()
    request(port, page.address, "127.0.0.1:1")  # under a port that is not the site's nothing is kept
    return 1000 * (perf_counter() - since)


def change(database: Path) -> None:
    """Count a public change."""
    with closing(sqlite3.connect(database, timeout=20)) as connection, connection:
        connection.execute("UPDATE runs_revision SET number = number + 1")


@contextmanager
def changing(database: Path) -> Iterator[None]:
    """Count a public change every second meanwhile."""
    is_over = Event()

    def go_on() -> None:
        while not is_over.wait(1):
            change(database)

    changes = Thread(target=go_on)
    changes.start()
    try:
        yield
    finally:
        is_over.set()
        changes.join()


def request(port: int, path: str, host: str = "127.0.0.1") -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path, headers={"Accept-Encoding": "gzip", "Host": host})
    response = connection.getresponse()
    response.read()
    connection.close()
    if response.status != 200:
        raise SystemExit(f"{path}: {response.status}")


def export_rate(port: int) -> float:
    """Return rows per second of the stream of all measurements."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{EXPORT}", timeout=60) as stream:
        since = perf_counter()
        rows = sum(1 for _ in islice(stream, MOST_EXPORTED))
        return rows / (perf_counter() - since)


HEAD = (
    "page                   warm p50  p95 ms of floor  req/s  changing p50  p95 ms  cold p50  p95 ms"
    "  CPU cold   warm  queries  kB gz"
)


def row(
    name: str,
    found: Load,
    floor: Load,
    renewed: Load | None = None,
    cold_ms: Sequence[float] = (),
    page: BenchPage | None = None,
) -> str:
    """Return a line of the table; `of floor` is the multiple of a static file's median."""
    of_floor = found.p50_ms / floor.p50_ms
    text = f"{name:21}{found.p50_ms:10.1f}{found.p95_ms:8.1f}{of_floor:9.1f}{found.requests_a_second:7.0f}"
    if page is None or renewed is None:
        return text
    cpu = f"{page.cpu_cold_ms:10.0f}{page.cpu_warm_ms:7.1f}"
    times = f"{median(cold_ms):10.0f}{p95(cold_ms):8.0f}"
    return f"{text}{renewed.p50_ms:14.1f}{renewed.p95_ms:8.1f}{times}{cpu}{page.queries:9}{page.bytes_gz / 1000:7.1f}"


def p95(values: Sequence[float]) -> float:
    return quantiles(values, n=20)[-1]


def prepare(size: int, tasks: int, database: Path, environment: dict[str, str]) -> str:
    """Collect static files, and seed an empty database; return how long seeding took, as text."""
    is_new = not database.exists()
    run("manage.py", "migrate", "-v0", environment=environment)
    run("manage.py", "collectstatic", "-v0", "--no-input", environment=environment)
    since = perf_counter()
    if is_new:
        run("scripts/seed_benchmark.py", str(size), "--tasks", str(tasks), environment=environment)
    return f"seeded in {perf_counter() - since:.0f} s" if is_new else "seeded before"


def run(*command: str, environment: dict[str, str]) -> str:
    python = [sys.executable, *command]
    return subprocess.run(python, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


def settings_of(folder: Path, database: Path) -> dict[str, str]:
    """Return the environment of a separate site, which shares nothing with this one."""
    return {
        "DJANGO_SETTINGS_MODULE": "arena_site.settings",
        "PYTHONPATH": str(ROOT),
        "DATABASE_URL": f"sqlite:///{database}",
        "ARENA_STATE": str(folder),
        "ARENA_ARCHIVE": str(folder / "archive"),
        "SECRET_KEY": secrets.token_urlsafe(48),
        "DEBUG": "false",
        "HTTPS": "false",
        "API_POINTS_A_MINUTE": "0",  # all of wrk's requests come from one address
    }


@contextmanager
def served(environment: dict[str, str]) -> Iterator[int]:
    """Run the web server of `make up` on a free port."""
    port = free_port()
    command = web_command(port)
    environment |= {"PORT": str(port)}  # responses are kept under the site's own port
    server = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = perf_counter() + READY_S
        while status_of(f"http://127.0.0.1:{port}/metrics/") != 200:
            if server.poll() is not None or perf_counter() > until:
                raise SystemExit("the web server does not respond")
            sleep(0.1)
        yield port
    finally:
        server.terminate()
        server.wait(timeout=30)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def say(*texts: str) -> None:
    sys.stdout.write("\n".join(texts) + "\n")
    sys.stdout.flush()


def load() -> str:
    return f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
