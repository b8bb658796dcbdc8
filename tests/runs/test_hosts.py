"""What becomes of a host: known kernels before work and after an error of the device, quarantine, acceptance."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from time import sleep
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from evaluator import VERSION
from evaluator.errors import HostError
from evaluator.health.trial import Trial
from runs import job_messages
from runs.errors import RunError
from runs.models import Attempt, AuditEntry, DeviceClass, Host
from runs.models.hosts import BACKENDS
from runs.services import hosts, leases
from runs.worker import evaluation
from tests.factories import make_device_class, make_host
from tests.runs import fakes
from tests.runs.conftest import Site
from tests.runs.fakes import Scripted

pytestmark = pytest.mark.django_db
ACCEPTED = {"accepted": True, "e0_ns": 1300.0, "aa_sd": 0.003, "aa_bias": 0.0004, "floors": {"10-50us": 0.004}}
ACCEPTED |= {"made_at": "2026-11-01T12:00:00+00:00"}


@pytest.fixture(autouse=True)
def scripted(settings: Any) -> Iterator[type[Scripted]]:
    """A class of this test's own, so that nothing is left in it."""

    class Own(Scripted):
        pass

    fakes.SCRIPTED[:] = [Own]
    settings.EVALUATOR = "tests.runs.fakes.open_scripted"
    yield Own
    evaluation.close_evaluator()


def work(site: Site, times: int = 1) -> list[str]:
    """Jobs come, and each reads its host as it is by then; statuses of all attempts."""
    if not Attempt.objects.exists():
        site.new_run()
    for _ in range(times):
        evaluation.evaluate_next(host=host_of(site), worker="w1")
    return list(Attempt.objects.order_by("pk").values_list("status", flat=True))


def host_of(site: Site) -> Host:
    return Host.objects.select_related("device_class").get(pk=site.host.pk)


def on_a_gpu(site: Site) -> None:
    DeviceClass.objects.filter(pk=site.device_class.pk).update(is_functional=False)


def quarantined(site: Site) -> Host:
    hosts.quarantine_host(host=site.host, reason="known good: crashed", actor="worker of local")
    return host_of(site)


def test_known_kernels_are_tried_once_before_the_first_attempt(site: Site, scripted: type[Scripted]) -> None:
    assert work(site, times=2) == ["passed", "passed"]
    assert (scripted.tried, scripted.opened) == (1, 1)


def test_a_poisoned_device_is_tried_again_in_fresh_processes(site: Site, scripted: type[Scripted]) -> None:
    scripted.good = {2}
    assert work(site) == ["passed", "queued"]
    assert (scripted.tried, scripted.opened) == (2, 2)
    assert host_of(site).quarantined_at is None


def test_where_that_fails_too_the_host_is_quarantined_and_takes_no_work(site: Site, scripted: type[Scripted]) -> None:
    scripted.good = set()
    assert work(site, times=3) == ["queued", "queued"]
    assert (scripted.tried, scripted.opened) == (2, 2), "nothing is tried while it is quarantined"
    host = host_of(site)
    assert host.quarantined_at is not None
    assert host.quarantine_reason == "known good: crashed in 2.0 s, expected passed"
    [entry] = AuditEntry.objects.filter(host=host)
    assert (entry.action, entry.actor_name, entry.reason) == (
        "quarantine",
        "worker of local",
        "known good: crashed in 2.0 s, expected passed",
    )


def test_known_kernels_that_cannot_be_tried_are_a_failure(
    site: Site, scripted: type[Scripted], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Scripted) -> list[Trial]:
        raise RuntimeError("the device is gone")

    monkeypatch.setattr(scripted, "trials", fail)
    assert work(site) == ["queued", "queued"]
    assert host_of(site).quarantine_reason == "RuntimeError: the device is gone"


def test_a_fault_of_ours_is_followed_by_known_kernels_at_once(site: Site, scripted: type[Scripted]) -> None:
    scripted.outcome, scripted.good = HostError("the device is gone"), {1}
    assert work(site) == ["queued", "queued"]
    assert host_of(site).quarantined_at is not None
    assert set(Attempt.objects.values_list("requeues", flat=True)) == {0, 1}, "no second fault on this host"


@pytest.mark.parametrize(
    ("reason", "gpu", "tried"),
    [
        ("out_of_bounds", True, 2),
        ("device_error", True, 2),
        ("segfault", True, 2),
        ("aborted", True, 2),
        ("call_time", True, 2),
        ("host_fault", True, 2),
        ("mismatch", True, 1),
        ("out_of_bounds", False, 1),
        ("call_time", False, 1),
        ("host_fault", False, 2),
    ],
)
def test_what_may_have_poisoned_the_device_is_followed_by_known_kernels(
    site: Site, scripted: type[Scripted], reason: str, gpu: bool, tried: int
) -> None:
    if gpu:
        on_a_gpu(site)
    scripted.outcome = reason
    work(site)
    assert scripted.tried == tried


def test_a_worker_that_stops_while_it_tries_kernels_leaves_the_host_as_it_was(
    site: Site, scripted: type[Scripted], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: told.append(number))

    def be_stopped(self: Scripted) -> list[Trial]:
        os.kill(os.getpid(), signal.SIGTERM)
        sleep(300)
        raise AssertionError("nobody interrupted")

    monkeypatch.setattr(scripted, "trials", be_stopped)
    try:
        assert work(site) == ["queued", "queued"]
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (told, host_of(site).quarantined_at) == ([signal.SIGTERM], None)


def test_a_quarantine_is_lifted_with_a_reason_and_the_worker_tries_first(site: Site, scripted: type[Scripted]) -> None:
    scripted.good = {3}
    work(site)
    with pytest.raises(RunError, match="say what you found and did"):
        hosts.lift_quarantine(host=site.host, actor="test", reason=" ")
    host = hosts.lift_quarantine(host=site.host, actor="test", reason="card replaced")
    assert (host.quarantined_at, host.quarantine_reason) == (None, "")
    assert AuditEntry.objects.filter(host=host, action="lift", reason="card replaced").exists()
    assert work(site) == ["passed", "queued"]
    assert scripted.tried == 3
    with pytest.raises(RunError, match="not quarantined"):
        hosts.lift_quarantine(host=host, actor="test", reason="again")


def test_a_second_quarantine_changes_nothing(site: Site) -> None:
    first = quarantined(site)
    assert not hosts.quarantine_host(host=first, reason="another", actor="test")
    assert host_of(site).quarantine_reason == "known good: crashed"
    assert AuditEntry.objects.count() == 1


def test_the_sweeper_does_not_wake_a_quarantined_host(site: Site) -> None:
    site.new_run()
    Attempt.objects.update(message_sent_at=None)
    Host.objects.update(seen_at=timezone.now(), evaluator=VERSION)
    quarantined(site)
    assert leases.resend_lost_messages() == 0
    hosts.lift_quarantine(host=site.host, actor="test", reason="fine")
    assert leases.resend_lost_messages() == 1


def test_a_start_reports_the_calibration(site: Site, scripted: type[Scripted]) -> None:
    scripted.figures = ACCEPTED
    evaluation.prepare(host_of(site))
    host = host_of(site)
    assert (host.is_accepted, host.calibration, host.facts) == (True, ACCEPTED, {"torch": "none"})
    assert host.started_at is not None


def test_each_calibration_is_stored_once(site: Site, scripted: type[Scripted]) -> None:
    later = ACCEPTED | {"accepted": False, "made_at": "2026-11-02T12:00:00+00:00"}
    for figures in (ACCEPTED, ACCEPTED, later):
        scripted.figures = figures
        evaluation.prepare(host_of(site))
    kept = host_of(site).calibrations.order_by("made_at")
    assert [(one.is_accepted, one.figures, one.facts) for one in kept] == [
        (True, ACCEPTED, {"torch": "none"}),
        (False, later, {"torch": "none"}),
    ]


def test_a_host_that_nobody_calibrated_is_neither_accepted_nor_refused(site: Site) -> None:
    Host.objects.update(is_accepted=True, calibration=ACCEPTED)
    evaluation.prepare(host_of(site))
    host = host_of(site)
    assert (host.is_accepted, host.calibration) == (None, {})


def test_a_start_on_a_broken_device_leaves_a_quarantined_host_that_is_alive(
    site: Site, scripted: type[Scripted]
) -> None:
    scripted.good = set()
    evaluation.prepare(host_of(site))
    host = host_of(site)
    assert host.quarantined_at is not None
    assert host.seen_at is not None


def test_a_device_of_another_class_cannot_work_for_a_host(site: Site, scripted: type[Scripted]) -> None:
    gpu = make_device_class(slug="h100-sxm", architecture="sm_90", is_functional=False)
    scripted.device_class = "h200-sxm"
    with pytest.raises(HostError, match="of class h200-sxm, not h100-sxm"):
        evaluation.prepare(make_host(device_class=gpu))


def test_a_maintainer_lifts_it_in_the_admin(site: Site, client: Client) -> None:
    host = quarantined(site)
    client.force_login(User.objects.create_superuser("maintainer"))
    chosen = {"action": "lift_quarantine", "_selected_action": [host.pk], "confirmed": "yes"}
    address = reverse("admin:runs_host_changelist")
    body = client.post(address, chosen, follow=True).content.decode()
    assert "ive a reason: the audit log shows it" in body
    client.post(address, chosen | {"reason": "card replaced"})
    assert host_of(site).quarantined_at is None
    entry = AuditEntry.objects.get(action="lift")
    assert (entry.actor_name, entry.reason, entry.host) == ("maintainer", "card replaced", host)
    assert client.get(reverse("admin:runs_auditentry_changelist")).status_code == 200


def test_the_demo_does_not_wait_for_a_quarantined_host(site: Site) -> None:
    quarantined(site)
    with pytest.raises(CommandError, match="local is quarantined: known good: crashed"):
        call_command("demo_run", suite="two")


def test_every_architecture_has_a_queue_and_a_backend(settings: Any) -> None:
    known = set(DeviceClass.Architecture.values)
    assert set(BACKENDS) == known
    assert set(settings.QUEUES) == {*known, job_messages.CHECKS}
