"""Simulate the queue under load: 64 workers on 10,000 results, with real rows, claims, verdicts, records and messages.

Workers do everything but the evaluation itself, which takes a given time, by default none, so that the queue is the
limit. One submitter has nine of ten results, another has ten.

usage: DATABASE_URL=… BROKER_URL=… scripts/queue_simulation.py [--workers N] [--results N] [--evaluation-s S]
       without these: SQLite and a filesystem broker in a temporary folder. A given database must be empty.
exit codes: 0 every result was evaluated once, 1 some were not, 2 usage
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from statistics import quantiles
from time import perf_counter, sleep
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")

from scripts.up import say

if TYPE_CHECKING:
    from scripts.queue_workers import Spent

PROCESSES = 8  # the workers are threads of these: 64 processes would need 6 GB
SMALL = 10  # results of the small submitter, who must not starve
SHARE_OF_BIG = 0.9
KEY = "of-a-simulation-0123456789abcdefghijklmnop"
WORKERS = ROOT / "scripts" / "queue_workers.py"


def main() -> int:
    parser = argparse.ArgumentParser(description="Simulate workers on the queue and measure it.")
    parser.add_argument("--workers", type=int, default=64)
    parser.add_argument("--results", type=int, default=10_000)
    parser.add_argument("--evaluation-s", type=float, default=0.0)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="arena-queue-") as folder:
        os.environ |= {"ARENA_STATE": folder, "ARENA_LOG_LEVEL": "ERROR", "SECRET_KEY": KEY}
        return simulate(chosen.workers, chosen.results, chosen.evaluation_s)


def simulate(workers: int, results: int, evaluation_s: float) -> int:
    from django.db import connection

    from scripts.queue_workers import counted_statements  # sets Django up, after the folder is known

    prepare(workers)
    begin = perf_counter()
    with counted_statements() as statements:
        runs = queue_all(results)
    took_s = perf_counter() - begin
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    say(f"{connection.vendor}, {workers} workers, {results} results of {evaluation_s:g} s each; load {load}")
    say(f"queued: {results / took_s:.0f} a second, {statements[0] / results:.1f} statements each")
    idle = idle_load(workers)
    before = database_counters()
    connection.close()
    spent, took_s = work_in_processes(workers, evaluation_s)
    report_claims(spent, results, took_s)
    report_database(before, database_counters(), results, took_s)
    say(idle)
    report_submitters(runs)
    return 0 if is_right(results) else 1


def prepare(workers: int) -> None:
    from django.contrib.auth.models import User
    from django.core.management import call_command

    from runs.models import DeviceClass, Host

    for command in ("migrate", "load_registry", "sync_tasks"):
        call_command(command, verbosity=0, stdout=io.StringIO())
    device_class = DeviceClass.objects.get(slug="cpu-x86_64")
    for number in range(workers):
        Host.objects.create(name=f"simulated-{number}", device_class=device_class)
    for name in ("big", "small", "middle"):
        User.objects.create_user(name)


def queue_all(results: int) -> dict[str, list[int]]:
    """Queue all results; return submitter → runs. The large one submits first, then the small one, then the others."""
    from runs.models import Suite

    tasks = list(Suite.objects.filter(name="native-24").latest("version").tasks.all())
    big = int(results * SHARE_OF_BIG) // len(tasks) * len(tasks)
    runs = {"big": queue_runs("big", tasks, big), "small": queue_runs("small", tasks[:SMALL], SMALL)}
    return runs | {"middle": queue_runs("middle", tasks, results - big - SMALL)}


def queue_runs(name: str, tasks: list[Any], results: int) -> list[int]:
    from django.contrib.auth.models import User

    from evaluator.tasks.candidate import Candidate
    from runs.models import Configuration, DeviceClass
    from runs.services import run_actions

    made, user = [], User.objects.get(username=name)
    configuration = Configuration.objects.get(slug="rewrite")
    device_class = DeviceClass.objects.get(slug="cpu-x86_64")
    while results > 0:
        chosen = tasks[: min(results, len(tasks))]
        suite = suite_of(chosen)
        written = {task.pk: Candidate(dict.fromkeys(task.editable, b"//\n"), "rewrite") for task in chosen}
        run = run_actions.create_run(
            configuration=configuration, suite=suite, device_class=device_class, written=written, actor=user
        )
        made.append(run.pk)
        results -= len(chosen)
    return made


def suite_of(tasks: list[Any]) -> Any:
    """Return the suite of a list of tasks."""
    from runs.models import Suite
    from runs.services import registry

    name = f"simulated-{len(tasks)}"
    bundled = Suite.objects.filter(name="native-24").latest("version")
    known = bundled if len(tasks) == bundled.tasks.count() else Suite.objects.filter(name=name).first()
    return known or registry.register_suite(name=name, title="Simulated", tasks=tasks)


def idle_load(workers: int) -> str:
    """Measure the cost of a sweep while all workers are alive and the queue is full; return it as text."""
    from django.conf import settings
    from django.db.models.functions import Now

    from runs.models import Host
    from runs.worker.sweeper import SWEEP_BEATS, sweep
    from scripts.queue_workers import counted_statements

    Host.objects.filter(name__startswith="simulated").update(seen_at=Now())
    sweep()
    begin = perf_counter()
    with counted_statements() as statements:
        for _ in range(3):
            sweep()
    each_s, each = (perf_counter() - begin) / 3, statements[0] / 3
    rate = workers / (SWEEP_BEATS * settings.HEARTBEAT_S)
    of_all = f"{workers} workers sweep {rate:.0f} times a second"
    return f"a sweep with {workers} hosts alive: {each:.0f} statements, {each_s * 1e3:.0f} ms; {of_all}"


def work_in_processes(workers: int, evaluation_s: float) -> tuple[list[Spent], float]:
    """Run the workers; return what each measured, and the total seconds from when all were ready."""
    from scripts.queue_workers import Spent

    shares = [len(range(number, workers, PROCESSES)) for number in range(PROCESSES)]
    started, first = [], 0
    for share in filter(None, shares):
        arguments = [sys.executable, str(WORKERS), str(first), str(share), str(evaluation_s)]
        started.append(subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        first += share
    for process in started:
        assert process.stdout is not None
        process.stdout.readline()  # it is ready
    begin = perf_counter()
    outputs = together(started)
    return [Spent(**one) for output in outputs for one in json.loads(output)], perf_counter() - begin


def together(processes: list[subprocess.Popen[str]]) -> list[str]:
    """Let all processes begin; return the output of each."""
    for process in processes:
        assert process.stdin is not None
        process.stdin.close()
    outputs = []
    for process in processes:
        assert process.stdout is not None
        outputs.append(process.stdout.read())
        process.wait()
    return outputs


def database_counters() -> dict[str, float]:
    """Return PostgreSQL's counters: bytes of its WAL, and CPU time of all its processes on this machine."""
    from django.db import connection

    if connection.vendor != "postgresql":
        return {}
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0'), pg_backend_pid()")
        wal, pid = cursor.fetchone()
    server = int(stat_of(pid)[1])
    connection.close()
    sleep(0.5)  # until its process has ended and its time counts for the server
    return {"wal": float(wal), "cpu_s": sum(map(int, stat_of(server)[11:15])) / os.sysconf("SC_CLK_TCK")}


def stat_of(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat after the name: state, parent, …, its CPU times and its children's."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def report_claims(spent: list[Spent], results: int, took_s: float) -> None:
    claims = [second for one in spent for second in one.claim_s]
    verdicts = [second for one in spent for second in one.verdict_s]
    say(f"{len(claims) / took_s:.0f} results per second through lease, verdict and record, in {took_s:.0f} s")
    for name, seconds, statements in (
        ("claim", claims, sum(one.claim_statements for one in spent)),
        ("verdict", verdicts, sum(one.verdict_statements for one in spent)),
    ):
        cuts = quantiles(seconds, n=20)
        each = statements / len(seconds)
        say(f"{name}: p50 {cuts[9] * 1e3:.1f} ms, p95 {cuts[18] * 1e3:.1f} ms, {each:.1f} statements")
    misses, taken = sum(one.misses for one in spent), sum(one.messages for one in spent)
    say(f"{misses} claims found nothing although results were queued; {taken / results:.2f} messages per result")
    say(f"{sum(one.locked for one in spent)} calls were retried because the database was locked")


def report_database(before: dict[str, float], after: dict[str, float], results: int, took_s: float) -> None:
    if before:
        cpu_s, wal = after["cpu_s"] - before["cpu_s"], after["wal"] - before["wal"]
        each = f"{cpu_s / results * 1e3:.1f} ms of CPU and {wal / results / 1e3:.1f} kB of WAL per result"
        say(f"database: {each}, {cpu_s / took_s:.2f} cores")


def report_submitters(runs: dict[str, list[int]]) -> None:
    """Print for each submitter how many results were started before its last one."""
    from runs.models import Attempt

    order = list(Attempt.objects.order_by("started_at", "id").values_list("result__run", flat=True))
    of_run = {run: name for name, made in runs.items() for run in made}
    last = {of_run[run]: place for place, run in enumerate(order, 1)}
    counts = Counter(of_run[run] for run in order)
    for name, place in last.items():
        say(f"{name}: the last of {counts[name]} results was started as number {place} of {len(order)}")


def is_right(results: int) -> bool:
    from runs.models import Attempt, Measurement

    passed = Attempt.objects.filter(status="passed", fencing_token=1).count()
    doubled = Measurement.objects.values("attempt", "case").distinct().count() != Measurement.objects.count()
    say(f"{passed} of {results} passed on the first claim" + (", MEASUREMENTS DOUBLED" if doubled else ""))
    return passed == results and not doubled


if __name__ == "__main__":
    sys.exit(main())
