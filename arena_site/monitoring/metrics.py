"""/metrics, for Prometheus: requests of all web processes together, and what the rows say at that moment.

Not for outsiders: asked with the token of ARENA_METRICS_TOKEN, or where none is set, from this machine itself.
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

from runs.metrics import Gauges, read_gauges

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # set by arena_site.server: there the processes of one server add up
FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Proto", "X-Real-IP")
REQUESTS = Histogram(
    "arena_request_seconds",
    "Requests by route and status, and how long they took.",
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
    registry.register(_Rows())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


def note_request(request: HttpRequest, status: int, took_s: float) -> None:
    """By the pattern of the address, never by the address itself: that is whatever a stranger writes."""
    match = request.resolver_match
    route = match.route if match else "static" if request.path.startswith(settings.STATIC_URL) else "unknown"
    method = request.method if request.method in METHODS else "other"
    REQUESTS.labels(route, method, str(status)).observe(took_s)


class _Rows:
    def collect(self) -> Iterable[Metric]:
        found = read_gauges()
        yield _gauge("arena_queue_attempts", "Attempts that wait for a worker.", "architecture", found.queued)
        yield _gauge("arena_running_attempts", "Attempts that a worker evaluates.", "architecture", found.running)
        yield _gauge("arena_attempts", "Attempts by status.", "status", found.attempts)
        yield _gauge("arena_submissions", "Submissions by state.", "state", found.submissions)
        yield CounterMetricFamily("arena_claims", "Claims of attempts, ever.", value=found.claims)
        yield CounterMetricFamily("arena_requeues", "Attempts given back after a fault of ours.", value=found.requeues)
        yield from _hosts(found)


def _hosts(found: Gauges) -> Iterable[Metric]:
    labels = ("host", "architecture", "state")
    seen = GaugeMetricFamily(
        "arena_host_seen_seconds", "Since a worker's last sign of life; none: never.", labels=labels
    )
    for host in found.hosts:
        if host.seen_s is not None:
            seen.add_metric((host.name, host.architecture, host.state), host.seen_s)
    hosts = GaugeMetricFamily("arena_hosts", "Hosts that are registered.", value=len(found.hosts))
    return seen, hosts


def _gauge(name: str, about: str, label: str, values: Mapping[str, int]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, about, labels=(label,))
    for value, number in sorted(values.items()):
        family.add_metric((value,), number)
    return family


def _may_read(request: HttpRequest) -> bool:
    """Behind a proxy everybody comes from this machine, so there only the token counts."""
    if settings.METRICS_TOKEN:
        given = request.headers.get("Authorization", "")
        return secrets.compare_digest(given.encode(), f"Bearer {settings.METRICS_TOKEN}".encode())
    if settings.HTTPS or any(name in request.headers for name in FORWARDED):
        return False
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:  # a Unix socket has no address
        return False
