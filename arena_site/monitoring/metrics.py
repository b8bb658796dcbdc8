"""/metrics for Prometheus: requests of all web processes, and the current state of the queue from the database.

Access needs the token of ARENA_METRICS_TOKEN or, if none is set, a request from this host.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Mapping
from ipaddress import ip_address

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Histogram, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector

from runs import disk
from runs.metrics import Gauges, read_gauges

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # set by arena_site.server, to sum over the processes of one server
FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Proto", "X-Real-IP")
REQUESTS = Histogram(
    "arena_request_seconds",
    "Duration of requests by route and status.",
    ("route", "method", "status"),
    registry=None,
    buckets=BUCKETS_S,
)


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    if not _may_read(request):
        raise Http404
    registry = CollectorRegistry()
    if os.environ.get(FOLDER):
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    else:
        registry.register(REQUESTS)
    registry.register(_DatabaseCollector())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


def observe_request(request: HttpRequest, status: int, took_s: float) -> None:
    """Count a request by the pattern of its URL, not by the URL itself, which clients can choose freely."""
    match = request.resolver_match
    route = match.route if match else "static" if request.path.startswith(settings.STATIC_URL) else "unknown"
    method = request.method if request.method in METHODS else "other"
    REQUESTS.labels(route, method, str(status)).observe(took_s)


class _DatabaseCollector:
    """Reads metrics from the database."""

    def collect(self) -> Iterable[Metric]:
        found = read_gauges()
        yield _gauge("arena_queue_attempts", "Attempts waiting for a worker.", "architecture", found.queued)
        yield _gauge("arena_running_attempts", "Attempts being evaluated.", "architecture", found.running)
        yield _gauge("arena_attempts", "Attempts by status.", "status", found.attempts)
        yield _gauge("arena_submissions", "Submissions by state.", "state", found.submissions)
        yield CounterMetricFamily("arena_leases", "Leases of attempts since the start.", value=found.leases)
        yield CounterMetricFamily("arena_requeues", "Attempts queued again after an error.", value=found.requeues)
        yield GaugeMetricFamily("arena_disk_free_bytes", "Free on the disk with the archive.", value=disk.free_bytes())
        yield GaugeMetricFamily(
            "arena_disk_reserve_bytes", "With less free, nothing new is stored.", value=disk.reserve_bytes()
        )
        yield from _hosts(found)


def _hosts(found: Gauges) -> Iterable[Metric]:
    labels = ("host", "architecture", "state")
    seen = GaugeMetricFamily(
        "arena_host_seen_seconds", "Seconds since a worker's last heartbeat; absent if never.", labels=labels
    )
    for host in found.hosts:
        if host.seen_s is not None:
            seen.add_metric((host.name, host.architecture, host.state), host.seen_s)
    hosts = GaugeMetricFamily("arena_hosts", "Registered hosts.", value=len(found.hosts))
    return seen, hosts


def _gauge(name: str, about: str, label: str, values: Mapping[str, int]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, about, labels=(label,))
    for value, number in sorted(values.items()):
        family.add_metric((value,), number)
    return family


def _may_read(request: HttpRequest) -> bool:
    """Return whether the request has access. Behind a proxy all requests are local, so the token is needed."""
    if settings.METRICS_TOKEN:
        given = request.headers.get("Authorization", "")
        return secrets.compare_digest(given.encode(), f"Bearer {settings.METRICS_TOKEN}".encode())
    if settings.HTTPS or any(name in request.headers for name in FORWARDED):
        return False
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:  # a Unix socket has no address
        return False
