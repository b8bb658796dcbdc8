"""Security headers on every response, system checks, and queues."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.core import checks
from django.test import Client

from arena_site import celery_app
from runs.models import DeviceClass

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["/", "/login/", "/no/such/page", "/static/admin/css/base.css"])
def test_every_response_has_the_policy(client: Client, path: str) -> None:
    response = client.get(path)
    policy = response["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Referrer-Policy"] == "same-origin"
    assert response["Cross-Origin-Opener-Policy"] == "same-origin"


def test_pages_cannot_be_framed(client: Client) -> None:
    assert client.get("/login/")["X-Frame-Options"] == "DENY"


def test_scripts_cannot_read_cookies(client: Client) -> None:
    cookie = client.get("/login/").cookies["csrftoken"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"


def test_another_host_name_is_refused(client: Client) -> None:
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400


def test_debug_is_off_and_the_site_passes_its_own_checks() -> None:
    assert django_settings.DEBUG is False
    assert [message for message in checks.run_checks() if message.id.startswith("arena")] == []


def found() -> set[str]:
    return {message.id for message in checks.run_checks() if message.id.startswith("arena")}


def test_a_missing_tasks_folder_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ARENA_TASKS", str(tmp_path / "nothing"))
    assert found() == {"arena.E001"}


def test_an_archive_that_cannot_be_made_is_an_error(settings: object, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    settings.ARCHIVE_FOLDER = tmp_path / "file" / "archive"  # type: ignore[attr-defined]
    assert found() == {"arena.E002"}


def test_a_fake_evaluator_is_a_warning(settings: object) -> None:
    settings.EVALUATOR = "tests.runs.fakes.open_fake"  # type: ignore[attr-defined]
    assert found() == {"arena.W001"}


def test_debug_on_a_public_site_is_an_error(settings: object) -> None:
    settings.DEBUG, settings.ALLOWED_HOSTS = True, ["board.example"]  # type: ignore[attr-defined]
    assert found() == {"arena.E003"}


def test_there_is_a_queue_for_each_architecture_and_one_for_checks() -> None:
    assert {queue.name for queue in celery_app.conf.task_queues} == {*DeviceClass.Architecture.values, "checks"}
    celery_app.loader.import_default_modules()
    ours = {name for name in celery_app.tasks if not name.startswith("celery.")}
    assert ours == {"runs.evaluate_attempt", "runs.check_submission", "runs.deliver_webhook"}
