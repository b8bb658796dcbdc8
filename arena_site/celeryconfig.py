"""Celery's settings, from Django's.

The default broker needs no server: each message is a file below the state folder (arena_site.broker). It loses messages
that a killed worker has taken; the sweeper sends them again. For several hosts set BROKER_URL=redis://…
"""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from kombu.entity import Queue

POLL_S = 0.1


def _filesystem_options(folder: Path) -> dict[str, object]:
    messages, control, taken = folder / "messages", folder / "control", folder / "taken"
    for path in (messages, control, taken):
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
    return {
        "data_folder_in": str(messages),
        "data_folder_out": str(messages),
        "control_folder": str(control),
        "processed_folder": str(taken),
        "polling_interval": POLL_S,
    }


broker_url = settings.BROKER_URL
_is_of_files = broker_url.startswith("filesystem")
broker_transport = "arena_site.broker:Transport" if _is_of_files else None
broker_transport_options = (
    _filesystem_options(settings.BROKER_FOLDER)
    if _is_of_files
    else {"visibility_timeout": 60}  # a message behind a long job goes to another worker after 60 s
)
broker_connection_retry_on_startup = True
task_queues = [Queue(name, routing_key=name) for name in settings.QUEUES]  # type: ignore[no-untyped-call]
task_default_queue = "cpu"
task_create_missing_queues = False
task_ignore_result = True
task_acks_late = False  # the sweeper redelivers, not the broker
task_serializer = "json"
accept_content = ["json"]
worker_prefetch_multiplier = 1
worker_enable_remote_control = False
worker_hijack_root_logger = False
timezone = "UTC"
