"""A site as `make up` leaves it: bundled tasks and registry, a host, and a broker that only records messages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core.management.color import no_style
from django.db import connection
from django.db.models import Model

from evaluator.tasks.candidate import Candidate
from evaluator.tasks.reader import load_task
from evaluator.tasks.spec import TaskSpec
from runs import job_messages
from runs.loading import bundles as intake
from runs.loading import registry
from runs.models import Agent, Configuration, DeviceClass, Host, ModelVersion, Run, Submission, Suite, Task
from runs.services import catalog, run_actions, submissions
from runs.services.registry import register_suite

REGISTERED = [Agent, ModelVersion, Configuration, DeviceClass, Host]  # a row comes after those that it names
_registered: dict[type[Model], list[Any]] = {}


@dataclass(frozen=True, slots=True)
class Site:
    suite: Suite
    configuration: Configuration
    device_class: DeviceClass
    host: Host

    def new_run(self, **values: object) -> Run:
        """A run of the rewrite agent's configuration; the candidates are made up."""
        written = {task.pk: made_up(task) for task in self.suite.tasks.all()}
        wanted = {"configuration": self.configuration, "suite": self.suite, "device_class": self.device_class}
        return run_actions.create_run(**{"written": written, "actor": "test"} | wanted | values)  # type: ignore[arg-type]


def load_bundled_registry() -> None:
    """Do what load_registry does, whose 470 questions are asked once a session: later the same rows are copied."""
    is_empty = not any(model._default_manager.exists() for model in REGISTERED)
    if not is_empty or not _registered:
        registry.load_registry(registry.BUNDLED)
        if is_empty:
            _registered.update({model: list(model._default_manager.order_by("pk")) for model in REGISTERED})
        return
    for model, rows in _registered.items():
        model._default_manager.bulk_create(rows)
    with connection.cursor() as cursor:  # PostgreSQL counts only the keys that it has given itself
        for statement in connection.ops.sequence_reset_sql(no_style(), REGISTERED):
            cursor.execute(statement)


def made_up(task: Task) -> Candidate:
    return Candidate({path: f"// {task.path}\n".encode() for path in task.editable}, "rewrite")


@pytest.fixture(scope="session")
def specs() -> list[TaskSpec]:
    return [load_task("hip2hip/arena/GELU"), load_task("triton2triton/arena/softmax")]


@pytest.fixture
def site(db: None, specs: list[TaskSpec]) -> Site:
    """Two bundled tasks in one suite."""
    tasks = list(catalog.mirror_tasks(specs=specs).values())
    load_bundled_registry()
    Configuration.objects.filter(slug="rewrite").update(role="entry")  # no line, so that its runs may rank
    suite = register_suite(name="two", title="Two tasks", tasks=tasks)
    host = Host.objects.select_related("device_class").get(name="local")
    return Site(suite, Configuration.objects.get(slug="rewrite"), host.device_class, host)


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, str]]:
    """Messages that would have gone to the broker: (attempt, queue)."""
    messages: list[tuple[int, str]] = []
    monkeypatch.setattr(job_messages, "_send", lambda attempt_id, queue: messages.append((attempt_id, queue)))
    return messages


@pytest.fixture
def submitter() -> User:
    user = User.objects.create_user("sam", email="sam@example.org")
    user.user_permissions.add(Permission.objects.get(codename="submit_bundle"))
    return user


def submitted(path: Path, actor: User | str, **changes: Any) -> Submission:
    """Return a received submission that is not checked yet."""
    digest, size = intake.archive_bundle(path)
    values: dict[str, Any] = {"declared": {"agent": "Sam's agent", "model": "m-1"}, "licence": "MIT"} | changes
    return submissions.receive(upload=submissions.Upload(digest, size, path.name, **values), actor=actor)[0]


def checked(submission: Submission) -> Submission:
    assert intake.check_next(submission.pk)
    submission.refresh_from_db()
    return submission
