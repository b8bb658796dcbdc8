"""Measure the queue on PostgreSQL and Redis: `python -m tests.chaos.measure [WORKERS] [ATTEMPTS]`.

Leases: processes of one host lease attempts and store verdicts as fast as they can. Start: one real worker, one run at
a time. Deaths: real workers are killed one after another during evaluation; if another worker gets the attempt later
than after two heartbeats, that is a miss, and the exit code is 1.
"""

from __future__ import annotations

import multiprocessing
import os
import statistics
import sys
import tempfile
from pathlib import Path
from time import monotonic, sleep
from unittest import mock

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
STARTS, DEATHS = 100, 5


def main(workers: int = 4, attempts: int = 800) -> int:
    import django

    django.setup()
    from tests.chaos.places import Place, connected
    from tests.servers import postgres, redis

    with postgres() as database, redis() as broker, tempfile.TemporaryDirectory() as folder:
        place = Place("measured", Path(folder), database.url, broker.url, database, broker)
        with connected(database.url):
            from django.core.management import call_command

            call_command("migrate", verbosity=0)
            measure_claims(database.url, workers, attempts)
            measure_starts(place)
            place.end_workers()
            kept = measure_deaths(place)
            place.end_workers()
            place.close()
    return 0 if kept else 1


def measure_claims(url: str, workers: int, attempts: int) -> None:
    from runs import job_messages
    from runs.models import Attempt, Host

    site = make_site()
    with mock.patch.object(job_messages, "_send"):
        for repeat in range(attempts):
            site.new_run(repeat=repeat)
    names = [f"host-{number}" for number in range(workers)]
    Host.objects.bulk_create(Host(name=name, device_class=site.device_class) for name in names)
    begun = monotonic()
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        pool.starmap(warm, [(url, name) for name in names], chunksize=1)
        begun = monotonic()
        found = pool.starmap(work, [(url, name) for name in names], chunksize=1)
        seconds = monotonic() - begun
    took = sorted(span for spans in found for span in spans)
    ended = Attempt.objects.filter(status="passed", fencing_token=1).count()
    print(  # noqa: T201
        f"{workers} workers, {attempts} attempts: {len(took) / seconds:.0f} leases with their verdicts a second, "
        f"{ended} ended once; taking one lease takes {1e3 * statistics.median(took):.1f} ms (median), "
        f"{1e3 * took[int(0.95 * len(took))]:.1f} ms (p95)"
    )


def measure_starts(place: object) -> None:
    from runs import job_messages
    from runs.models import Attempt, Host
    from tests.chaos.places import Place

    assert isinstance(place, Place)
    site, delays = make_site(), []
    place.start("local")
    with mock.patch.object(job_messages, "_send", place.send):
        for number in range(STARTS + 1):
            attempt = Attempt.objects.get(result__run=site.new_run(repeat=10_000 + number))
            while (found := Attempt.objects.get(pk=attempt.pk)).ended_at is None:
                sleep(0.01)
            assert found.started_at is not None
            delays.append((found.started_at - found.queued_at).total_seconds())
    delays = sorted(delays[1:])  # the first waited for the worker
    print(  # noqa: T201
        f"from enqueue to start, {STARTS} runs one after the other: median {1e3 * statistics.median(delays):.0f} ms, "
        f"p95 {1e3 * delays[int(0.95 * STARTS)]:.0f} ms; {Host.objects.count()} hosts"
    )


def measure_deaths(place: object) -> bool:
    """Return whether each death was noticed within two heartbeats."""
    from runs import job_messages
    from runs.models import Attempt, Host
    from tests.chaos.places import HEARTBEAT_S, Place

    assert isinstance(place, Place)
    site, noticed = make_site(), []
    Host.objects.get_or_create(name="second", defaults={"device_class": site.device_class})
    place.rescue()
    for number in range(DEATHS):
        Host.objects.filter(name="second").update(is_enabled=False)
        victim = place.start("local", evaluation_s=600.0)
        with mock.patch.object(job_messages, "_send", place.send):
            attempt = Attempt.objects.get(result__run=site.new_run(repeat=20_000 + number))
        while Attempt.objects.get(pk=attempt.pk).status != "running":
            sleep(0.01)
        victim.kill()
        last_beat = Attempt.objects.get(pk=attempt.pk).heartbeat_at
        Host.objects.filter(name="second").update(is_enabled=True)
        while (found := Attempt.objects.get(pk=attempt.pk)).ended_at is None:
            sleep(0.01)
        assert last_beat is not None
        assert found.started_at is not None
        noticed.append((found.started_at - last_beat).total_seconds())
    print(  # noqa: T201
        f"{DEATHS} killed workers: another has the attempt {statistics.median(noticed):.1f} s after the last heartbeat "
        f"(median), {max(noticed):.1f} s at most; two heartbeats are {2 * HEARTBEAT_S} s"
    )
    return max(noticed) <= 2 * HEARTBEAT_S


def warm(url: str, host: str) -> None:
    """Load Django in a process of the pool."""
    import django

    django.setup()
    sleep(1.0)


def work(url: str, host: str) -> list[float]:
    """Work until the queue is empty; return the seconds of each lease."""
    from runs.models import Attempt, Host
    from runs.services import leases
    from tests.chaos.places import connected
    from tests.records import make_record

    with connected(url):
        mine, spans = Host.objects.select_related("device_class").get(name=host), []
        while Attempt.objects.ready().exists():
            begun = monotonic()
            lease = leases.lease_next(host=mine, worker=host)
            if lease is not None:
                spans.append(monotonic() - begun)
                leases.record_verdict(lease=lease, record=make_record())
        return spans


def make_site():  # type: ignore[no-untyped-def]
    from evaluator.tasks.reader import load_task
    from runs.loading import registry
    from runs.models import Configuration, Host
    from runs.services import catalog
    from tests.runs.conftest import Site

    (task,) = catalog.mirror_tasks(specs=[load_task("hip2hip/arena/GELU")]).values()
    registry.load_registry(registry.BUNDLED)
    suite = catalog.mirror_suite(name="one", version=1, digest=task.digest, title="One task", tasks=[task])
    host = Host.objects.select_related("device_class").get(name="local")
    return Site(suite, Configuration.objects.get(slug="rewrite"), host.device_class, host)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
