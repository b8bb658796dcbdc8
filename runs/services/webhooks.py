"""Tells webhooks what becomes public: one signed message for each change, tried again at growing intervals.

The row of a delivery is the queue, as everywhere: a message only wakes a worker, and the sweeper sends lost ones again.
Workers also evaluate, so each webhook has one message on its way at a time: the next one follows when a delivery has
ended, or after PAUSE. One that nobody answers costs a worker LIMIT_S in each PAUSE, however many deliveries wait.
A message goes to public addresses only, decided when the connection is made, and no redirection is followed.
"""

from __future__ import annotations

import functools
import hmac
import http.client
import json
import urllib.request
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from time import monotonic

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from evaluator.addresses import AllowedEndpoint, origin_of
from evaluator.agents.transport import response_to
from runs import job_messages
from runs.errors import RunError
from runs.models import AuditEntry, Webhook, WebhookDelivery
from runs.redaction import redacted
from runs.services.messages import free_workers

NEWS = (AuditEntry.Action.PUBLISH, AuditEntry.Action.WITHDRAW, AuditEntry.Action.REVEAL)
WAITS_MINUTES = (2, 10, 60, 360, 1800)  # before each further try; then it is given up
LIMIT_S = 5.0  # of one try
PAUSE = timedelta(minutes=2)  # after a message or a try, until the delivery has ended
NEVER = datetime(1970, 1, 1, tzinfo=UTC)  # when a worker was told of a new delivery


def announce(entry: AuditEntry, *, as_run: bool = False) -> None:
    """Tell all webhooks of an audit-log entry, if it is news; `as_run`, that its run changed, whatever its result."""
    if entry.action in NEWS:
        _queue(Webhook.objects.filter(is_enabled=True), _body_of(entry, as_run), entry)


def send_test(*, webhook: Webhook) -> WebhookDelivery:
    """Queue a message that says that it is a test.

    Raises:
        RunError: the webhook is disabled.
    """
    if not webhook.is_enabled:
        raise RunError(f"{webhook} is disabled, so it is sent nothing: enable it first")
    [delivery] = _queue([webhook], {"event": "test", "at": timezone.now().isoformat(), "url": settings.SITE_URL})
    return delivery


def deliver(delivery_id: int) -> bool:
    """Try a delivery that is due; return whether it was tried. Of several workers with its message, one tries it."""
    now = timezone.now()
    due = WebhookDelivery.objects.filter(pk=delivery_id, next_try_at__lte=now, webhook__is_enabled=True)
    delivery = due.select_related("webhook").first()
    if delivery is None:
        return False
    wait = timedelta(minutes=WAITS_MINUTES[delivery.tries]) if delivery.tries < len(WAITS_MINUTES) else None
    mine = WebhookDelivery.objects.filter(pk=delivery.pk, tries=delivery.tries)
    if not mine.update(tries=F("tries") + 1, next_try_at=now + wait if wait else None, message_sent_at=now):
        return False
    status, error = _post(delivery)
    is_accepted = status is not None and 200 <= status < 300
    ended = {"delivered_at": timezone.now(), "next_try_at": None} if is_accepted else {}
    WebhookDelivery.objects.filter(pk=delivery.pk).update(status=status, error=error, **ended)
    _send_next(delivery.webhook)
    return True


def send_due() -> int:
    """Send a message for each webhook that has something due and none on its way, if a worker is free; return how many.

    Any sweeper may ask.
    """
    due = WebhookDelivery.objects.filter(next_try_at__lte=timezone.now())
    waiting = list(Webhook.objects.filter(is_enabled=True, pk__in=due.values("webhook")))
    if not waiting or not free_workers().exists():
        return 0
    return sum(_send_next(webhook) for webhook in waiting)


def signature(secret: str, timestamp: int, body: str) -> str:
    """The header that shows a receiver that a message is ours, and when it was sent."""
    digest = hmac.new(secret.encode(), f"{timestamp}.{body}".encode(), "sha256").hexdigest()
    return f"t={timestamp},v1={digest}"


def _queue(
    webhooks: Iterable[Webhook], about: dict[str, object], entry: AuditEntry | None = None
) -> list[WebhookDelivery]:
    body = json.dumps(about, ensure_ascii=False)
    made = WebhookDelivery.objects.bulk_create(
        WebhookDelivery(webhook=webhook, entry=entry, body=body, message_sent_at=NEVER) for webhook in webhooks
    )
    for delivery in made:
        transaction.on_commit(functools.partial(_send_next, delivery.webhook))
    return made


def _send_next(webhook: Webhook) -> bool:
    """Send the message of the oldest delivery that is due, unless one of this webhook is on its way; return whether."""
    now = timezone.now()
    waiting = webhook.deliveries.filter(next_try_at__isnull=False)
    if waiting.filter(message_sent_at__gt=now - PAUSE).exists():
        return False
    oldest = waiting.filter(next_try_at__lte=now).order_by("pk").first()
    if oldest is None:
        return False
    same = waiting.filter(pk=oldest.pk, message_sent_at=oldest.message_sent_at)
    if not same.update(message_sent_at=now):
        return False  # another worker or sweeper has sent it
    job_messages.send_deliver_on_commit(delivery_id=oldest.pk)
    return True


def _body_of(entry: AuditEntry, as_run: bool) -> dict[str, object]:
    result = None if as_run else entry.result_id
    about = {"result": result, "run": entry.run_id, "submission": entry.submission_id}
    pages = [f"/{name}/{row}/" for name, row in about.items() if row is not None] or ["/generalization/"]
    return {
        "event": entry.action,
        "id": entry.pk,
        "at": entry.at.isoformat(),
        "url": settings.SITE_URL + pages[0],
        "reason": entry.reason,
    }


def _post(delivery: WebhookDelivery) -> tuple[int | None, str]:
    """The status of the response, or why there is none."""
    url, timestamp = delivery.webhook.url, int(timezone.now().timestamp())
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "ArenaBoard",
        "X-Arena-Delivery": str(delivery.pk),
        "X-Arena-Signature": signature(delivery.webhook.secret, timestamp, delivery.body),
    }
    request = urllib.request.Request(url, delivery.body.encode(), headers, method="POST")
    try:
        with response_to(request, monotonic() + LIMIT_S, AllowedEndpoint(origin_of(url))) as response:
            return response.status, ""
    except (OSError, http.client.HTTPException, ValueError) as error:
        return None, redacted(f"{type(error).__name__}: {error}")[:200]
