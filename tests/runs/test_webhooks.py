"""Webhooks: who is told of what, by whom it can be checked, and what happens where nobody answers."""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from evaluator.errors import UsageError
from runs.errors import RunError
from runs.models import AuditEntry, Host, Result, Run, Webhook, WebhookDelivery
from runs.services import webhooks
from runs.services.publishing import publish_results, publish_run, undo_results, withdraw_run
from runs.services.registry import enable_webhook, register_webhook
from tests import factories

pytestmark = pytest.mark.django_db
URL = "https://hooks.example.org/arena"


@pytest.fixture
def webhook() -> Webhook:
    return register_webhook(url=URL, actor="test")


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """What the other side got, and the status that it returns; None: it cannot be reached."""
    other = SimpleNamespace(requests=[], status=204)

    @contextmanager
    def response_to(request: Any, deadline: float, allowed: Any) -> Iterator[SimpleNamespace]:
        other.requests.append(request)
        assert not allowed.is_inward
        if other.status is None:
            raise ConnectionRefusedError("nobody listens")
        yield SimpleNamespace(status=other.status)

    monkeypatch.setattr(webhooks, "response_to", response_to)
    return other


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The deliveries that workers were told of, as if each transaction had been committed."""
    pks: list[int] = []
    monkeypatch.setattr(webhooks, "transaction", SimpleNamespace(on_commit=lambda call: call()))
    monkeypatch.setattr(webhooks.job_messages, "send_deliver_on_commit", lambda delivery_id: pks.append(delivery_id))
    return pks


def run_with_a_gap() -> tuple[Run, list[Result]]:
    """A draft whose last task was cancelled."""
    run = factories.make_run()
    results = list(run.results.order_by("id"))
    for result in results:
        factories.make_attempt(result=result, status="cancelled" if result == results[-1] else "passed")
    return run, results


def addresses() -> list[str]:
    bodies = WebhookDelivery.objects.order_by("id").values_list("body", flat=True)
    return [json.loads(body)["url"].removeprefix("http://localhost:8000") for body in bodies]


def test_publishing_a_run_is_one_message_and_so_is_each_later_change(webhook: Webhook) -> None:
    run = factories.make_run(status="passed")
    publish_run(run=run, actor="test")
    result = run.results.first()
    factories.make_attempt(result=result, status="wrong_output")
    publish_results(results=[result], actor="test", reason="noisy")
    withdraw_run(run=run, actor="test", reason="contaminated")
    told = [json.loads(one.body) for one in WebhookDelivery.objects.order_by("id")]
    assert [(one["event"], one["url"]) for one in told] == [
        ("publish", f"http://localhost:8000/run/{run.pk}/"),
        ("publish", f"http://localhost:8000/result/{result.pk}/"),
        ("withdraw", f"http://localhost:8000/run/{run.pk}/"),
    ]
    assert told[2]["reason"] == "contaminated"


def test_publishing_a_public_run_again_is_one_message_whatever_changed(webhook: Webhook) -> None:
    run, (*replaced, cancelled) = run_with_a_gap()
    publish_run(run=run, actor="test")
    publish_run(run=run, actor="test")
    assert addresses() == [f"/run/{run.pk}/"], "nothing changed"
    for result in replaced:
        factories.make_attempt(result=result, status="wrong_output")
    publish_run(run=run, actor="test", reason="again")
    assert addresses() == [f"/run/{run.pk}/"] * 2
    assert json.loads(WebhookDelivery.objects.first().body)["reason"] == "again"
    factories.make_attempt(result=cancelled, status="passed")
    publish_run(run=run, actor="test")
    assert addresses() == [f"/run/{run.pk}/"] * 3


def test_the_first_public_attempt_of_a_result_is_told_and_so_is_a_publication_taken_back(webhook: Webhook) -> None:
    run, (replaced, _, cancelled) = run_with_a_gap()
    publish_run(run=run, actor="test")
    factories.make_attempt(result=cancelled, status="passed")
    factories.make_attempt(result=replaced, status="wrong_output")
    publish_results(results=[cancelled, replaced], actor="test")
    undo_results(results=[replaced], actor="test", reason="noise")
    assert addresses()[1:] == [f"/result/{one.pk}/" for one in (replaced, cancelled, replaced)]


def test_nobody_is_told_of_what_is_not_public(webhook: Webhook) -> None:
    enable_webhook(webhook=webhook, is_enabled=True, actor="test")
    register_webhook(url=f"{URL}/other", actor="test")
    assert not WebhookDelivery.objects.exists()


def test_the_signature_can_be_checked_with_the_secret_alone(webhook: Webhook, receiver: SimpleNamespace) -> None:
    delivery = webhooks.send_test(webhook=webhook)
    assert webhooks.deliver(delivery.pk)
    [request] = receiver.requests
    given = dict(part.split("=") for part in request.get_header("X-arena-signature").split(","))
    signed = f"{given['t']}.".encode() + request.data
    assert given["v1"] == hmac.new(webhook.secret.encode(), signed, "sha256").hexdigest()
    assert json.loads(request.data)["event"] == "test"
    delivery.refresh_from_db()
    assert (delivery.status, delivery.tries, delivery.next_try_at) == (204, 1, None)
    assert delivery.delivered_at is not None
    assert not webhooks.deliver(delivery.pk), "it has been delivered"


@pytest.mark.parametrize("status", [None, 302, 500])
def test_a_message_that_is_not_accepted_is_tried_again_later_and_later_and_then_given_up(
    webhook: Webhook, receiver: SimpleNamespace, status: int | None
) -> None:
    receiver.status = status
    delivery, waits = webhooks.send_test(webhook=webhook), []
    for _ in range(len(webhooks.WAITS_MINUTES)):
        assert webhooks.deliver(delivery.pk)
        assert not webhooks.deliver(delivery.pk), "its time has not come"
        delivery.refresh_from_db()
        waits.append(delivery.next_try_at - timezone.now())
        WebhookDelivery.objects.filter(pk=delivery.pk).update(next_try_at=timezone.now())
    assert waits == sorted(waits)
    assert webhooks.deliver(delivery.pk)
    delivery.refresh_from_db()
    assert (delivery.next_try_at, delivery.delivered_at, delivery.status) == (None, None, status)
    assert delivery.error == ("ConnectionRefusedError: nobody listens" if status is None else "")


def test_a_lost_message_is_sent_again_once_and_only_to_a_worker_that_is_free(
    webhook: Webhook, woken: list[int]
) -> None:
    host = factories.make_host(seen_at=timezone.now())
    delivery = webhooks.send_test(webhook=webhook)
    assert webhooks.send_due() == 0
    WebhookDelivery.objects.update(message_sent_at=timezone.now() - timedelta(hours=1))
    Host.objects.update(seen_at=None)
    assert webhooks.send_due() == 0
    host.save()
    assert [webhooks.send_due(), webhooks.send_due()] == [1, 0]
    assert woken == [delivery.pk] * 2


def test_a_webhook_has_one_message_on_its_way_and_the_next_follows_at_once(
    webhook: Webhook, receiver: SimpleNamespace, woken: list[int]
) -> None:
    other = register_webhook(url=f"{URL}/other", actor="test")
    first, second, elsewhere = [webhooks.send_test(webhook=one).pk for one in (webhook, webhook, other)]
    assert woken == [first, elsewhere]
    webhooks.deliver(first)
    assert woken == [first, elsewhere, second]
    webhooks.deliver(second)
    assert woken == [first, elsewhere, second]


def test_a_dead_receiver_costs_one_try_in_each_pause_however_much_waits(
    webhook: Webhook, receiver: SimpleNamespace, woken: list[int]
) -> None:
    factories.make_host(seen_at=timezone.now())
    receiver.status = None
    first, second = [webhooks.send_test(webhook=webhook).pk for _ in range(2)]
    WebhookDelivery.objects.filter(pk=first).update(message_sent_at=timezone.now() - timedelta(hours=1))
    webhooks.deliver(first)  # after an hour in the broker, since the worker was busy
    assert (woken, webhooks.send_due()) == ([first], 0)
    WebhookDelivery.objects.filter(pk=first).update(message_sent_at=timezone.now() - webhooks.PAUSE)
    assert (webhooks.send_due(), woken) == (1, [first, second])
    assert webhooks.LIMIT_S <= 5


def test_a_disabled_webhook_is_told_nothing(webhook: Webhook, receiver: SimpleNamespace) -> None:
    waiting = webhooks.send_test(webhook=webhook)
    enable_webhook(webhook=webhook, is_enabled=False, actor="test")
    publish_run(run=factories.make_run(status="passed"), actor="test")
    assert not webhooks.deliver(waiting.pk)
    webhook.refresh_from_db()
    with pytest.raises(RunError, match="disabled"):
        webhooks.send_test(webhook=webhook)
    assert (receiver.requests, WebhookDelivery.objects.count()) == ([], 1)


def test_a_message_never_goes_to_an_address_of_this_machine() -> None:
    webhook = register_webhook(url="https://localhost/x", actor="test")
    delivery = webhooks.send_test(webhook=webhook)
    webhooks.deliver(delivery.pk)
    delivery.refresh_from_db()
    assert delivery.status is None
    assert "no public address" in delivery.error


@pytest.mark.parametrize(
    "url", ["http://example.org/x", "https://user:key@example.org/", "https://example.org/?key=1", ""]
)
def test_an_address_that_is_not_safe_is_refused(url: str) -> None:
    with pytest.raises((UsageError, ValidationError)):
        register_webhook(url=url, actor="test")
    assert not Webhook.objects.exists()


def test_the_secret_is_in_no_log_and_on_no_page_but_the_first(client: Client) -> None:
    client.force_login(User.objects.create_superuser("maintainer"))
    made = client.post("/admin/runs/webhook/add/", {"url": URL}, follow=True)
    webhook = Webhook.objects.get()
    assert webhook.secret in made.content.decode()
    assert not AuditEntry.objects.filter(detail__contains=webhook.secret).exists()
    for page in (f"/admin/runs/webhook/{webhook.pk}/change/", "/admin/runs/webhook/", "/admin/runs/auditentry/"):
        assert webhook.secret not in client.get(page).content.decode()


def test_a_lost_secret_is_renewed_and_shown_once(webhook: Webhook, client: Client) -> None:
    client.force_login(User.objects.create_superuser("maintainer"))
    lost, form = webhook.secret, {"action": "new_secret", "_selected_action": [webhook.pk], "confirmed": "yes"}
    refused = client.post("/admin/runs/webhook/", form, follow=True).content.decode()
    webhook.refresh_from_db()
    assert (webhook.secret, lost in refused) == (lost, False), "no reason was given"
    renewed = client.post("/admin/runs/webhook/", form | {"reason": "lost"}, follow=True).content.decode()
    webhook.refresh_from_db()
    assert webhook.secret != lost
    assert webhook.secret in renewed
    assert webhook.secret not in client.get("/admin/runs/webhook/").content.decode()
    assert AuditEntry.objects.get(reason="lost").detail == f"webhook {URL}: new secret"
