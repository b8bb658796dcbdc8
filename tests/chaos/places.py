"""The setup of chaos tests: a separate database and broker, and workers that are real processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from celery import Celery
from django.db import connection, connections
from django.db.utils import load_backend

from arena_site.environment import Environment
from tests.servers import Postgres, Redis

ROOT = Path(__file__).parents[2]
HEARTBEAT_S = 3  # a lease of 5.4 s: a worker of a busy machine is not taken for dead
MOST_LOGGED = 4000  # characters of each worker's log
FAST = {"ARENA_EVALUATOR": "tests.chaos.saboteur.open_saboteur"}


@dataclass
class Place:
    """A database and a broker, as servers that can be stopped, or as files if None."""

    name: str
    folder: Path
    database_url: str
    broker_url: str
    database: Postgres | None = None
    broker: Redis | None = None
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    started: int = 0
    kept: subprocess.Popen[bytes] | None = None  # a worker that lives through all tests

    def rescue(self) -> None:
        """Let the worker of the host `second` take attempts; it keeps running through all tests."""
        if self.kept is None or self.kept.poll() is not None:
            self.kept = self.start("second", evaluation_s=0.5)
            self.workers.remove(self.kept)

    @property
    def gate(self) -> Path:
        """The file until whose creation a worker with chaos="held" evaluates."""
        return self.folder / "gate"

    def start(self, host: str, chaos: str = "", evaluation_s: float = 0.0, **more: str) -> subprocess.Popen[bytes]:
        """Start a worker; `chaos` is a moment defined in saboteur.py."""
        self.gate.unlink(missing_ok=True)
        environment = os.environ | {
            "DJANGO_SETTINGS_MODULE": "arena_site.settings",
            "DATABASE_URL": self.database_url,
            "BROKER_URL": self.broker_url,
            "ARENA_BROKER": str(self.folder / "broker"),
            "ARENA_STATE": str(self.folder),
            "ARENA_HOST": host,
            "ARENA_HEARTBEAT_S": str(HEARTBEAT_S),
            "ARENA_CHAOS": f"held={self.gate}" if chaos == "held" else chaos,
            "ARENA_FAKE_SECONDS": str(evaluation_s),
            "ARENA_LEAST_FREE_MB": "64",  # less than a small disk has
            **FAST,
            **more,
        }
        self.started += 1
        with (self.folder / f"worker-{self.started}.log").open("wb") as log:
            command = [sys.executable, "manage.py", "worker"]
            worker = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
        self.workers.append(worker)
        return worker

    def end_workers(self) -> str:
        """End all workers but the shared one; return the end of their logs."""
        for worker in self.workers:
            worker.kill()
            worker.wait()
        self.workers.clear()
        logs = sorted(self.folder.glob("worker-*.log"))
        return "".join(f"--- {log.name}\n{log.read_text(errors='replace')[-MOST_LOGGED:]}" for log in logs)

    def close(self) -> None:
        if self.kept is not None:
            self.kept.kill()
            self.kept.wait()

    def send(self, attempt_id: int, queue: str) -> None:
        """Send a message on a new connection."""
        with self.app.connection_for_write() as link:
            self.app.send_task("runs.evaluate_attempt", args=[attempt_id], queue=queue, connection=link, retry=False)

    @property
    def app(self) -> Celery:
        if self.broker is not None:
            return Celery("chaos", broker=self.broker_url, set_as_current=False)
        app = Celery("chaos", set_as_current=False)
        folder = self.folder / "broker"
        folders = {"data_folder_in": "messages", "data_folder_out": "messages", "control_folder": "control"}
        options = {key: str(folder / name) for key, name in folders.items()}
        for name in ("messages", "control", "taken"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        app.conf.update(
            broker_url=self.broker_url,
            broker_transport="arena_site.broker:Transport",
            broker_transport_options=options | {"processed_folder": str(folder / "taken")},
        )
        return app


@contextmanager
def connected(url: str) -> Iterator[None]:
    """Point this thread's Django connection to this database."""
    values: dict[str, Any] = Environment({"DATABASE_URL": url}).database("DATABASE_URL", Path("/nowhere"))
    before = connections["default"]
    configured = connections.configure_settings({"default": values})["default"]
    connections["default"] = load_backend(values["ENGINE"]).DatabaseWrapper(configured, "default")
    try:
        yield
    finally:
        connection.close()
        connections["default"] = before
