"""What is registered: tasks, suites, agents, models, device classes and hosts; users and the papers' tables."""

from __future__ import annotations

import hashlib
import itertools
from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.models import User

from runs.models import (
    Agent,
    Calibration,
    Configuration,
    DeviceClass,
    Host,
    ModelVersion,
    PublishedRow,
    PublishedTable,
    Suite,
    SuiteMembership,
    Task,
)

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
numbers = itertools.count(10_000)  # so that a name is as long whichever tests came before


def sha256(text: object) -> str:
    return hashlib.sha256(str(text).encode()).hexdigest()


def make_task(**values: Any) -> Task:
    number = next(numbers)
    category = values.get("category", "hip2hip")
    name = values.setdefault("name", f"kernel{number}")
    values = {
        "path": f"{category}/arena/{name}",
        "digest": sha256(("task", number)),
        "category": category,
        "source": "arena",
        "description": f"Computes {name}.",
        "editable": [f"{name}.hip"],
        "cases": [{"id": "cols=8,rows=4", "profile": "small", "axes": {"rows": 4, "cols": 8}}],
    } | values
    return Task.objects.create(**values)


def make_suite(tasks: list[Task] | None = None, **values: Any) -> Suite:
    """`tasks` defaults to one new task of each of the paper's categories."""
    number = next(numbers)
    if tasks is None:
        tasks = [make_task(category=category) for category in ("hip2hip", "torch2hip", "triton2triton")]
    values = {"name": f"suite-{number}", "version": 1, "digest": sha256(("suite", number))} | values
    suite = Suite.objects.create(**values)
    SuiteMembership.objects.bulk_create(SuiteMembership(suite=suite, task=task) for task in tasks)
    return suite


def make_agent(**values: Any) -> Agent:
    number = next(numbers)
    return Agent.objects.create(**{"slug": f"agent-{number}", "name": f"Agent {number}"} | values)


def make_model_version(**values: Any) -> ModelVersion:
    number = next(numbers)
    defaults = {"slug": f"model-{number}", "name": f"Model {number}", "identifier": f"model-{number}-20261101"}
    return ModelVersion.objects.create(**defaults | values)


def make_configuration(**values: Any) -> Configuration:
    number = next(numbers)
    defaults = {"slug": f"configuration-{number}", "settings_digest": sha256(values.get("settings", {}))}
    if "agent" not in values:
        values["agent"] = make_agent()
    if "model" not in values:
        values["model"] = make_model_version()
    return Configuration.objects.create(**defaults | values)


def make_device_class(**values: Any) -> DeviceClass:
    """The cpu class unless told otherwise; the same slug twice is the same row."""
    defaults = {"title": "x86-64 CPU", "architecture": "cpu", "is_functional": True}
    slug = values.pop("slug", "cpu-x86_64")
    return DeviceClass.objects.get_or_create(slug=slug, defaults=defaults | values)[0]


def make_host(**values: Any) -> Host:
    if "device_class" not in values:
        values["device_class"] = make_device_class()
    return Host.objects.create(**{"name": f"host-{next(numbers)}"} | values)


def make_calibration(**values: Any) -> Calibration:
    figures = {"e0_ns": 1300.0, "aa_sd": 0.003, "aa_bias": 0.0004, "aa_sessions": 20, "aa_cases": 4, "floors": {}}
    if "host" not in values:
        values["host"] = make_host()
    return Calibration.objects.create(**{"made_at": NOON, "is_accepted": True, "figures": figures} | values)


def make_user(**values: Any) -> User:
    return User.objects.create_user(f"user-{next(numbers)}", **values)


def make_published_table(rows: int = 2, **values: Any) -> PublishedTable:
    number = next(numbers)
    columns = [{"key": "category", "label": "Category"}, {"key": "agent", "label": "Agent"}]
    defaults = {
        "slug": f"table-{number}",
        "title": f"Table {number}",
        "citation": "A paper, 2026",
        "url": "https://arxiv.org/abs/2605.16819",
        "columns": columns,
    }
    table = PublishedTable.objects.create(**defaults | values)
    PublishedRow.objects.bulk_create(
        PublishedRow(table=table, position=position, cells={"category": "hip2hip", "agent": f"Agent {position}"})
        for position in range(1, rows + 1)
    )
    return table
