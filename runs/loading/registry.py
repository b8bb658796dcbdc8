"""Registers agents, models, configurations, device classes, hosts and suites from one YAML file: all of it or none.

Each section maps a slug to its fields; registry.yaml beside this file is an example. Loading a file again changes the
rows it names and no others. `make up` loads only what is missing, so that it never undoes a maintainer's change.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from pathlib import Path
from typing import Any, TypeVar

import yaml
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q

from evaluator.agents import agent_names
from evaluator.errors import TaskError
from evaluator.tasks.fields import Fields, Problems
from runs.errors import RegistryError, RunError
from runs.models import Agent, Configuration, DeviceClass, Host, ModelVersion, Suite, Task
from runs.services import registry

BUNDLED = Path(__file__).parent / "registry.yaml"
CAPS = ("run_cap_usd", "day_cap_usd", "expected_task_usd")
LISTS = ("secrets", "network")
SLUG = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")
Named = TypeVar("Named", Agent, ModelVersion, DeviceClass)


def load_registry(path: Path, *, only_missing: bool = False) -> dict[str, int]:
    """Register everything in the file, or only what is missing; return the number of rows by section.

    Raises:
        RegistryError: with every problem. Nothing was changed.
    """
    problems = Problems(path.name)
    try:
        file = Fields.read(path.read_bytes(), problems, _Loader)
    except OSError as error:
        raise RegistryError([f"{path.name}: cannot be read: {error.strerror}"]) from error
    except TaskError as error:
        raise RegistryError(error.problems) from error
    with transaction.atomic():
        counts = _Registration(file, only_missing).register()
        if problems.lines:
            raise RegistryError(problems.lines)
    return counts


class _Loader(yaml.SafeLoader):
    """Refuses duplicate keys, of which YAML would silently use the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.constructor.ConstructorError(None, None, f"{key!r} appears twice", node.start_mark)
        return super().construct_mapping(node, deep)


class _Registration:
    """Registers one file. Rows are written as they are read, so that later ones find them; the caller rolls back."""

    def __init__(self, file: Fields, only_missing: bool) -> None:
        self.file, self.only_missing = file, only_missing
        self.sections = {
            "agents": (self._agent, Agent.objects.filter(_is_not_mistaken(), is_public=True).values_list("slug")),
            "models": (self._model, ModelVersion.objects.filter(is_public=True).values_list("slug")),
            "configurations": (self._configuration, Configuration.objects.filter(is_public=True).values_list("slug")),
            "device_classes": (self._device_class, DeviceClass.objects.filter(is_public=True).values_list("slug")),
            "hosts": (self._host, Host.objects.filter(is_public=True).values_list("name")),
            "suites": (self._suite, Suite.objects.values_list("name")),
        }

    def register(self) -> dict[str, int]:
        self.file.only(tuple(self.sections))
        counts = {}
        for section, (save, names) in self.sections.items():
            known = {name for (name,) in names} if self.only_missing else set()
            children = list(self.file.mapping(section, optional=True).children(SLUG))
            children = [(slug, fields) for slug, fields in children if slug not in known]
            for slug, fields in children:
                self._save(slug, fields, save)
            counts[section] = len(children)
        return counts

    def _save(self, slug: str, fields: Fields, save: Any) -> None:
        lines = fields.problems.lines
        before = len(lines)
        try:
            with transaction.atomic():
                save(slug, fields)
        except (ValidationError, RunError) as error:
            if len(lines) == before:  # otherwise the row only repeats the problems of its fields
                for message in error.messages if isinstance(error, ValidationError) else [str(error)]:
                    lines.append(f"{fields.problems.file}: {fields.path}: {message}")

    def _agent(self, slug: str, fields: Fields) -> None:
        fields.only(("name", "kind", "url"))
        row = Agent.objects.filter(slug=slug).first() or Agent(slug=slug)
        row.name, row.url = fields.string("name", None), _optional(fields, "url")
        row.kind = str(fields.choice("kind", tuple(Agent.Kind.values), Agent.Kind.EXTERNAL.value))
        _register(row)

    def _model(self, slug: str, fields: Fields) -> None:
        fields.only(("name", "identifier", "vendor"))
        row = ModelVersion.objects.filter(slug=slug).first() or ModelVersion(slug=slug)
        row.name, row.identifier = fields.string("name", None), fields.string("identifier", None)
        row.vendor = _optional(fields, "vendor")
        _register(row)

    def _configuration(self, slug: str, fields: Fields) -> None:
        fields.only(("agent", "model", "settings", "role", *CAPS))
        agent = self._named(Agent, "agents", fields, "agent")
        model = self._named(ModelVersion, "models", fields, "model") if "model" in fields else None
        row = Configuration.objects.filter(slug=slug).first() or Configuration(slug=slug)
        row.settings = _settings(fields.mapping("settings", optional=True))
        row.role = str(fields.choice("role", tuple(Configuration.Role.values), Configuration.Role.ENTRY.value))
        for name in CAPS:
            if name in fields:  # otherwise what a maintainer set stays
                setattr(row, name, float(fields.number(name, None, low=0)))
        alike = Configuration.objects.filter(agent=agent, model=model, settings=row.settings)
        if self.only_missing and alike.exists():
            return  # not missing: it is registered under another name
        if agent is not None and ("model" not in fields or model is not None):
            row.agent, row.model = agent, model
            _register(row)

    def _device_class(self, slug: str, fields: Fields) -> None:
        fields.only(("title", "architecture", "partition_mode", "functional"))
        row = DeviceClass.objects.filter(slug=slug).first() or DeviceClass(slug=slug)
        row.title, row.partition_mode = fields.string("title", None), _optional(fields, "partition_mode")
        row.architecture = str(fields.choice("architecture", tuple(DeviceClass.Architecture.values)))
        row.is_functional = fields.boolean("functional", False)
        _register(row)

    def _host(self, slug: str, fields: Fields) -> None:
        fields.only(("device_class", "enabled", "note"))
        device_class = self._named(DeviceClass, "device_classes", fields, "device_class")
        row = Host.objects.filter(name=slug).first() or Host(name=slug)
        row.is_enabled, row.note = fields.boolean("enabled", True), _optional(fields, "note")
        if device_class is not None:
            row.device_class = device_class
            _register(row)

    def _suite(self, slug: str, fields: Fields) -> None:
        """Register a suite unless its tasks are unchanged, so that a file can be loaded twice."""
        fields.only(("title", "tasks"))
        paths = fields.strings("tasks")
        tasks = {task.path: task for task in Task.objects.filter(path__in=paths, is_current=True)}
        for path in paths:
            if path not in tasks:
                fields.problem("tasks", path, "the path of a task in tasks/ (`manage.py sync_tasks` reads them)")
        if set(tasks) == set(paths) and not _is_same_list(slug, list(tasks.values())):
            registry.register_suite(name=slug, title=_optional(fields, "title"), tasks=list(tasks.values()))

    def _named(self, kind: type[Named], section: str, fields: Fields, key: str) -> Named | None:
        """Return the row that a field names. If this file defines it with errors, those have been reported there."""
        slug = fields.string(key, None)
        row = kind.objects.filter(slug=slug).first()
        if row is None and slug and slug not in self.file.mapping(section, optional=True).raw:
            fields.problem(key, slug, f"one of the {section.replace('_', ' ')} in this file or already registered")
        return row


def _is_not_mistaken() -> Q:
    """Agents but external ones under the name of one of ours: whatever the file says of it was meant for that one."""
    return Q(kind=Agent.Kind.BUILT_IN) | ~Q(slug__in=agent_names())


def _register(row: registry.Row) -> None:
    """Save a row that staff registers: it is public, also if a draft named it first."""
    row.is_public = True
    registry.save_row(row=row)


def _optional(fields: Fields, key: str) -> str:
    return fields.string(key, None) if key in fields else ""


def _settings(fields: Fields) -> dict[str, object]:
    """Return the settings: plain values by name, but `LISTS` are lists of names, and the limits are numbers."""
    for key in ("timeout_s", "max_iterations"):
        if key in fields:
            fields.number(key, None, low=1)
    for key in LISTS:
        fields.strings(key, ())
    for key, value in fields.raw.items():
        if key not in LISTS and not (isinstance(key, str) and isinstance(value, str | int | float | bool)):
            fields.problem(str(key), value, "a name with a text, a number, true or false")
    return dict(fields.raw)


def _is_same_list(name: str, tasks: list[Task]) -> bool:
    current = Suite.objects.filter(name=name, is_current=True).first()
    return current is not None and set(current.tasks.all()) == set(tasks)
