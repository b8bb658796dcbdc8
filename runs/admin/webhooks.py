"""Admin pages of webhooks and of what was sent to them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest

from runs.admin.base import AdminAction, CreateOnlyAdmin, ReadOnlyAdmin, actions, user_of
from runs.models import Webhook, WebhookDelivery
from runs.services import registry, webhooks

WEBHOOK_ACTIONS = actions(
    AdminAction(
        "send_test",
        "Send a test",
        "add",
        "Each gets a signed message that says that it is a test. Its delivery shows the response.",
        ("test queued; the list of deliveries shows the response", "tests queued; see the list of deliveries"),
        lambda webhook, asked: bool(webhooks.send_test(webhook=webhook)),
    ),
    AdminAction(
        "disable",
        "Disable",
        "add",
        "They are told nothing more. What is not delivered yet waits until they are enabled.",
        ("webhook disabled", "webhooks disabled"),
        lambda webhook, asked: int(registry.enable_webhook(webhook=webhook, is_enabled=False, **asked)),
    ),
    AdminAction(
        "enable",
        "Enable",
        "add",
        "They are told of each publication, withdrawal and reveal from now on.",
        ("webhook enabled", "webhooks enabled"),
        lambda webhook, asked: int(registry.enable_webhook(webhook=webhook, is_enabled=True, **asked)),
    ),
)


@admin.register(Webhook)
class WebhookAdmin(CreateOnlyAdmin):
    """A webhook is registered with its address; its secret is made here, and shown once."""

    list_display = ("url", "is_enabled", "registered_at")
    actions = WEBHOOK_ACTIONS

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ("url",) if obj is None else ("url", "is_enabled", "registered_at")

    def make(self, request: HttpRequest, data: dict[str, Any]) -> Webhook:
        webhook = registry.register_webhook(url=data["url"], actor=user_of(request))
        text = f"The secret of its signatures, shown only now: {webhook.secret}"
        self.message_user(request, text, messages.WARNING)
        return webhook


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(ReadOnlyAdmin):
    list_display = ("id", "webhook", "made_at", "entry", "tries", "status", "error", "delivered_at", "next_try_at")
    list_select_related = ("webhook", "entry")
    list_filter = ("webhook",)
