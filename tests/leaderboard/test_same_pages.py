"""SQLite and PostgreSQL give the same pages, byte for byte, over the same rows."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.apps import apps
from django.core import serializers
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from leaderboard.routes import ROUTES
from runs import guards
from tests.browser.site import make_site
from tests.chaos.places import connected
from tests.conftest import lacking
from tests.servers import Missing, postgres
from tests.site_fixtures import clear_caches

pytestmark = [pytest.mark.slow, pytest.mark.django_db]
LABELS = ("auth", "people", "runs")
NOON = datetime(2026, 11, 28, 12, tzinfo=UTC)


class Noon(datetime):
    @classmethod
    def now(cls, tz: Any = None) -> datetime:
        return NOON


def test_sqlite_and_postgresql_give_the_same_pages(archive_folder: None, monkeypatch: pytest.MonkeyPatch) -> None:
    site = make_site()
    stop_clocks(monkeypatch)
    addresses = [*site.addresses, *(f"/api/v1{address}" for address in site.addresses if "/explore/" not in address)]
    addresses += csv_addresses(site.addresses)
    here, rows = fetched(addresses), dumped()
    try:
        with postgres() as server, connected(server.url):
            call_command("migrate", verbosity=0)
            load(rows)
            there = fetched(addresses)
    except Missing as error:
        lacking(str(error))
    assert sum(status == 200 for status, _ in here.values()) > 100
    assert [address for address in addresses if here[address] != there[address]] == []


def fetched(addresses: Iterable[str]) -> dict[str, tuple[int, bytes]]:
    clear_caches()
    client, found = Client(), {}
    for address in addresses:
        answer = client.get(address)
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        found[address] = (answer.status_code, body)
    return found


def csv_addresses(addresses: Iterable[str]) -> list[str]:
    """Of every table on every page."""
    found = []
    for address in addresses:
        page = (Client().get(address).context or {}).get("page")
        path, _, query = address.partition("?")
        if page is not None and "/explore/" not in path:
            found += [f"/api/v1{path}{slug}.csv?{query}".rstrip("?") for slug in page.tables]
    return found


def dumped() -> list[dict[str, Any]]:
    models = [model for label in LABELS for model in apps.get_app_config(label).get_models()]
    rows = (row for model in models for row in model._default_manager.order_by("pk"))
    return serializers.serialize("python", rows)


def load(rows: list[dict[str, Any]]) -> None:
    """Over what migrations have made; foreign keys are looked at when all is there, and what is public is as it was."""
    with guards.lifted():
        for row in serializers.deserialize("python", rows):
            row.save()


def stop_clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages say how long ago things were."""
    assert ROUTES, "every page is loaded"
    monkeypatch.setattr(timezone, "now", lambda: NOON)
    for name, module in list(sys.modules.items()):
        if name.startswith(("leaderboard.", "runs.")) and getattr(module, "datetime", None) is datetime:
            monkeypatch.setattr(module, "datetime", Noon)
