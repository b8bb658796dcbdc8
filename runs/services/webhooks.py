"""Tells webhooks what becomes public: one signed message for each change, tried again at growing intervals.

The row of a delivery is the queue, as everywhere: a message only wakes a worker, and the sweeper sends lost ones again.
A message goes to public addresses only, decided when the connection is made, and no redirection is followed.
"""

from __future__ import annotations

import hmac
import http.client
import json
import urllib.request
from collections.abc import Iterable
from datetime import timedelta
from time import monotonic

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from evaluator.addresses import AllowedEndpoint, origin_of
from evaluator.agents.transport import response_to
from runs import job_messages
from runs.models import AuditEntry, Webhook, WebhookDelivery
from runs.redaction import redacted

NEWS = (AuditEntry.Action.PUBLISH, AuditEntry.Action.WITHDRAW, AuditEntry.Action.REVEAL)
WAITS_MINUTES = (2, 10, 60, 360, 1800)  # before each further try; then it is given up
LIMIT_S = 10.0  # of one try
LOST_AFTER = timedelta(minutes=2)  # a worker that is free has taken a message by then


def announce(entry: AuditEntry) -> None:
    """Tell all webhooks of an audit-log entry, if it is news. Publishing a run is news once, not for each result."""
    is_part_of_a_run = entry.result_id is not None and entry.from_attempt_id is None
    if entry.action in NEWS and not is_part_of_a_run:
        _queue(Webhook.objects.filter(is_enabled=True), _body_of(entry), entry)


def send_test(*, webhook: Webhook) -> WebhookDelivery:
    """Queue a message that says that it is a test."""
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
    if not mine.update(tries=F("tries") + 1, next_try_at=now + wait if wait else None):
        return False
    status, error = _post(delivery)
    is_accepted = status is not None and 200 <= status < 300
    ended = {"delivered_at": timezone.now(), "next_try_at": None} if is_accepted else {}
    WebhookDelivery.objects.filter(pk=delivery.pk).update(status=status, error=error, **ended)
    return True


def send_due() -> int:
    """Send messages of deliveries that are due and have none on its way; return how many. Any sweeper may ask."""
    now = timezone.now()
    due = WebhookDelivery.objects.filter(next_try_at__lte=now, webhook__is_enabled=True)
    untold = due.filter(message_sent_at__lte=now - LOST_AFTER)
    sent = 0
    for pk in list(untold.values_list("pk", flat=True)):
        if untold.filter(pk=pk).update(message_sent_at=now):
            job_messages.send_deliver_on_commit(delivery_id=pk)
            sent += 1
    return sent


def signature(secret: str, timestamp: int, body: str) -> str:
    """The header that shows a receiver that a message is ours, and when it was sent."""
    digest = hmac.new(secret.encode(), f"{timestamp}.{body}".encode(), "sha256").hexdigest()
    return f"t={timestamp},v1={digest}"


def _queue(
    webhooks: Iterable[Webhook], about: dict[str, object], entry: AuditEntry | None = None
) -> list[WebhookDelivery]:
    body = json.dumps(about, ensure_ascii=False)
    made = WebhookDelivery.objects.bulk_create(
        WebhookDelivery(webhook=webhook, entry=entry, body=body) for webhook in webhooks
    )
    for delivery in made:
        job_messages.send_deliver_on_commit(delivery_id=delivery.pk)
    return made


def _body_of(entry: AuditEntry) -> dict[str, object]:
    about = {"result": entry.result_id, "run": entry.run_id, "submission": entry.submission_id}
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
