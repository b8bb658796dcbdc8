"""Admin pages of webhooks and of what was sent to them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest

from runs.actions import RowAction
from runs.admin.base import CreateOnlyAdmin, ReadOnlyAdmin, functions_of, user_of
from runs.models import Webhook, WebhookDelivery
from runs.people.rights import may_register
from runs.services import registry, webhooks

NEW_SECRET = RowAction(
    "new_secret",
    "Make a new secret",
    "register",
    "Each gets a new secret, which is shown once and signs all that is sent from now on. What a receiver refuses until"
    " it has it is tried again.",
    ("new secret made", "new secrets made"),
    lambda webhook, asked: bool(registry.renew_webhook_secret(webhook=webhook, **asked)),
)
WEBHOOK_ACTIONS = functions_of(
    RowAction(
        "send_test",
        "Send a test",
        "register",
        "Each gets a signed message that says that it is a test. Its delivery shows the response.",
        ("test queued; the list of deliveries shows the response", "tests queued; see the list of deliveries"),
        lambda webhook, asked: bool(webhooks.send_test(webhook=webhook)),
    ),
    RowAction(
        "disable",
        "Disable",
        "register",
        "They are told nothing more. What is not delivered yet waits until they are enabled.",
        ("webhook disabled", "webhooks disabled"),
        lambda webhook, asked: int(registry.enable_webhook(webhook=webhook, is_enabled=False, **asked)),
    ),
    RowAction(
        "enable",
        "Enable",
        "register",
        "They are told of each publication, withdrawal and reveal from now on.",
        ("webhook enabled", "webhooks enabled"),
        lambda webhook, asked: int(registry.enable_webhook(webhook=webhook, is_enabled=True, **asked)),
    ),
    NEW_SECRET,
)


@admin.register(Webhook)
class WebhookAdmin(CreateOnlyAdmin):
    """A webhook is registered with its address; its secret is made here, shown once, and can be renewed."""

    list_display = ("url", "is_enabled", "registered_at")
    actions = WEBHOOK_ACTIONS

    def has_register_permission(self, request: HttpRequest) -> bool:
        return may_register(request.user)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ("url",) if obj is None else ("url", "is_enabled", "registered_at")

    def make(self, request: HttpRequest, data: dict[str, Any]) -> Webhook:
        webhook = registry.register_webhook(url=data["url"], actor=user_of(request))
        self._show_secret(request, webhook)
        return webhook

    def acted(self, request: HttpRequest, row: Webhook, action: RowAction) -> None:
        if action is NEW_SECRET:
            self._show_secret(request, row)

    def _show_secret(self, request: HttpRequest, webhook: Webhook) -> None:
        text = f"The secret of the signatures to {webhook}, shown only now: {webhook.secret}"
        self.message_user(request, text, messages.WARNING)


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(ReadOnlyAdmin):
    list_display = ("id", "webhook", "made_at", "entry", "tries", "status", "error", "delivered_at", "next_try_at")
    list_select_related = ("webhook", "entry")
    list_filter = ("webhook",)
