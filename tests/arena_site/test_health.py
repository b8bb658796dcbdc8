"""/healthz always responds; /readyz responds with 503 and names what is wrong, without details."""

from __future__ import annotations

from pathlib import Path

import pytest
from celery import Celery
from django.conf import settings as django_settings
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from kombu import Connection

from arena_site.monitoring import health

pytestmark = pytest.mark.django_db
CHECKS = {"database", "migrations", "broker", "archive", "disk"}


def checks(status: int) -> dict[str, str]:
    response = Client().get("/readyz")
    assert response.status_code == status, response.content
    assert response.json()["ready"] is (status == 200)
    assert "no-store" in response["Cache-Control"]
    return {name: said for name, said in response.json()["checks"].items() if said != "ok"}


def test_a_complete_site_is_ready() -> None:
    assert checks(200) == {}
    assert set(health.CHECKS) == CHECKS


def test_it_is_alive_without_a_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "cursor", None)
    response = Client().get("/healthz")
    assert (response.status_code, response.content) == (200, b"alive\n")


def test_an_unreachable_database_is_named_but_not_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise OperationalError("connection to arena:planted@db.example refused")

    monkeypatch.setitem(health.CHECKS, "database", fails)  # type: ignore[arg-type]
    assert checks(503) == {"database": "cannot be reached or written"}


def test_a_migration_that_is_not_applied_is_counted() -> None:
    MigrationRecorder.Migration.objects.filter(app="runs").order_by("-pk")[:1].get().delete()
    assert checks(503) == {"migrations": "1 not applied: run `manage.py migrate`"}


def test_a_read_only_archive_and_a_full_disk_are_reported_together(settings: object, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    settings.ARCHIVE_FOLDER = tmp_path / "file" / "archive"  # type: ignore[attr-defined]
    settings.LEAST_FREE_MB = 1 << 40  # type: ignore[attr-defined]
    found = checks(503)
    assert set(found) == {"archive", "disk"}
    assert "ARENA_LEAST_FREE_MB" in found["disk"]


def test_a_read_only_filesystem_broker_is_named(settings: object) -> None:
    settings.BROKER_FOLDER = Path("/proc/nothing")  # type: ignore[attr-defined]
    assert set(checks(503)) == {"broker"}


def test_an_unreachable_broker_is_named_after_two_attempts(settings: object, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    connect = Connection._establish_connection
    monkeypatch.setattr(Connection, "_establish_connection", lambda self: asked.append("") or connect(self))
    settings.BROKER_URL = "pyamqp://arena:planted@127.0.0.1:1//"  # type: ignore[attr-defined]
    monkeypatch.setattr(
        health, "current_app", Celery("elsewhere", broker=django_settings.BROKER_URL, set_as_current=False)
    )
    assert checks(503) == {"broker": "cannot be reached or written"}
    assert len(asked) == 2


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_probes_allow_only_get_and_head(path: str) -> None:
    assert Client().post(path).status_code == 405


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_probe_beside_the_server_needs_no_tls(settings: object, path: str) -> None:
    settings.SECURE_SSL_REDIRECT = True  # type: ignore[attr-defined]
    assert Client().get(path).status_code == 200
    assert Client().get("/").status_code == 301
