"""Registers agents, models, configurations, device classes, hosts, suites and webhooks, from the admin or a file."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max

from evaluator.addresses import check_address
from evaluator.tasks.suites import suite_digest
from runs import agents
from runs.errors import RunError
from runs.models import (
    Agent,
    AuditEntry,
    Configuration,
    DeviceClass,
    Host,
    ModelVersion,
    Suite,
    SuiteMembership,
    Task,
    Webhook,
)
from runs.services.audit_log import Actor, note

Row = TypeVar("Row", Agent, ModelVersion, Configuration, DeviceClass, Host)
FROZEN = ("agent_id", "model_id", "settings_digest", "role")  # of a configuration that has runs


@transaction.atomic
def save_row(*, row: Row) -> Row:
    """Check a new or changed row against every rule, then write it.

    Raises:
        ValidationError: with all problems. A configuration that has runs keeps its agent, model, settings and role, and
            no two configurations have the same. The role of a built-in agent's is the agent's, whatever the row says.
            An external agent that has configurations stays external.
    """
    if isinstance(row, Agent):
        _refuse_to_become_built_in(row)
    if isinstance(row, Configuration):
        if row.agent_id is not None:
            row.role = agents.role_of(row.agent) or row.role
        row.settings_digest = settings_digest(row.settings)
        _refuse_unknown_settings(row)
        _refuse_change_of_identity(row)
        _refuse_duplicate(row)
    row.full_clean()
    row.save()
    return row


@transaction.atomic
def change_row(*, row: Row, actor: Actor, reason: str = "") -> Row:
    """Save a row that a person changed, with the old and new values in the audit log.

    Raises:
        ValidationError: as `save_row`.
    """
    rows = type(row)._default_manager
    before = rows.filter(pk=row.pk).values().first()
    save_row(row=row)
    changed = _changes(before, rows.values().get(pk=row.pk))
    if changed:
        detail = f"{row._meta.verbose_name} {row}: {', '.join(changed)}"
        note(AuditEntry.Action.REGISTER, actor, reason, detail=detail)
    return row


@transaction.atomic
def register_suite(*, name: str, title: str, tasks: Sequence[Task]) -> Suite:
    """Create a suite, a frozen list of current tasks. A new list under a known name is its next version.

    Raises:
        RunError: the list is empty, has a task that is not current, or is that of an existing suite.
    """
    gone = [task.path for task in tasks if not task.is_current]
    if not tasks or gone:
        raise RunError(f"no longer in tasks/: {', '.join(gone)}" if gone else "a suite needs at least one task")
    digest = suite_digest({task.path: task.digest for task in tasks})
    if same := Suite.objects.filter(digest=digest).first():
        raise RunError(f"{same} already has exactly these tasks")
    version = (Suite.objects.filter(name=name).aggregate(last=Max("version"))["last"] or 0) + 1
    Suite.objects.filter(name=name, is_current=True).update(is_current=False)
    suite = Suite(name=name, version=version, digest=digest, title=title)
    suite.full_clean()
    suite.save()
    SuiteMembership.objects.bulk_create(SuiteMembership(suite=suite, task=task) for task in tasks)
    return suite


@transaction.atomic
def register_webhook(*, url: str, actor: Actor) -> Webhook:
    """Register an address that is told what becomes public. Its new secret is on the row.

    Raises:
        UsageError: the address is malformed, or has a user, a query or a fragment.
        ValidationError: it is not encrypted, or is registered already.
    """
    check_address("url", url, "https://example.org/arenaboard")
    webhook = Webhook(url=url, secret=secrets.token_hex(32))
    webhook.full_clean()
    webhook.save()
    note(AuditEntry.Action.REGISTER, actor, "", detail=f"webhook {url}")
    return webhook


@transaction.atomic
def enable_webhook(*, webhook: Webhook, is_enabled: bool, actor: Actor, reason: str = "") -> bool:
    """Return whether that was a change. What a disabled webhook has missed until then waits for it."""
    if not Webhook.objects.filter(pk=webhook.pk).exclude(is_enabled=is_enabled).update(is_enabled=is_enabled):
        return False
    note(AuditEntry.Action.REGISTER, actor, reason, detail=f"webhook {webhook.url}: is_enabled {is_enabled}")
    return True


@transaction.atomic
def renew_webhook_secret(*, webhook: Webhook, actor: Actor, reason: str = "") -> Webhook:
    """Make a new secret, which is on the row; from now on the old one signs nothing."""
    webhook.secret = secrets.token_hex(32)
    webhook.save(update_fields=["secret"])
    note(AuditEntry.Action.REGISTER, actor, reason, detail=f"webhook {webhook.url}: new secret")
    return webhook


def settings_digest(settings: object) -> str:
    """Return the sha256 of the settings as strict JSON with sorted keys.

    Raises:
        ValidationError: the settings are not a mapping, or contain a number that is not finite.
    """
    try:
        text = json.dumps(settings, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except ValueError as error:
        raise ValidationError({"settings": "a number is not finite"}) from error
    if not isinstance(settings, dict):
        raise ValidationError({"settings": f"seen {text[:80]}; expected a mapping of names to values"})
    return hashlib.sha256(text.encode()).hexdigest()


def _changes(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> list[str]:
    if before is None:
        return ["new"]
    return [f"{name} {before[name]} → {after[name]}" for name in after if before[name] != after[name]]


def _refuse_to_become_built_in(row: Agent) -> None:
    """Refuse to make other people's results those of an agent of ours, which has the same slug."""
    before = Agent.objects.filter(pk=row.pk, kind=Agent.Kind.EXTERNAL, configurations__isnull=False).first()
    if before is not None and row.kind == Agent.Kind.BUILT_IN:
        raise ValidationError(
            f"seen the external agent {before.name}, which has configurations, under the slug {before.slug}; "
            "expected none: give it another slug before a built-in agent takes this one"
        )


def _refuse_change_of_identity(row: Configuration) -> None:
    before = Configuration.objects.filter(pk=row.pk, runs__isnull=False).first()
    changed = [name for name in FROZEN if before and getattr(before, name) != getattr(row, name)]
    if changed:
        names = ", ".join(name.removesuffix("_id").removesuffix("_digest") for name in changed)
        raise ValidationError(f"{row.slug} has runs, so its {names} cannot change: register another configuration")


def _refuse_unknown_settings(row: Configuration) -> None:
    """Refuse settings that a built-in agent does not know, or that the operator does not allow."""
    if row.agent_id is None or not agents.works_in_sessions(row):
        return
    try:
        agents.refuse_forbidden_settings(row)
    except RunError as error:
        raise ValidationError({"settings": str(error).splitlines()}) from error


def _refuse_duplicate(row: Configuration) -> None:
    """Refuse a second configuration with the same settings, naming the first, which the constraint would not."""
    alike = Configuration.objects.filter(agent=row.agent_id, model=row.model_id, settings_digest=row.settings_digest)
    if same := alike.exclude(pk=row.pk).select_related("agent", "model").first():
        who = f"{same.agent} with {same.model}" if same.model else f"{same.agent}"
        raise ValidationError(f"{who} with these settings is registered already, as {same.slug}")
