"""Hosts as their workers report them: heartbeats, facts and calibrations. And quarantine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from evaluator import VERSION
from evaluator.inside.excerpts import cut
from runs import redaction
from runs.errors import RunError
from runs.models import AuditEntry, Calibration, Host
from runs.services.audit_log import Actor, note
from runs.services.revision import public_changed

REASON_CHARACTERS = 300


@transaction.atomic
def host_started(
    *, host: Host, facts: Mapping[str, str], calibration: Mapping[str, Any], agents: Mapping[str, str] | None = None
) -> None:
    """Store what a starting worker reports: facts, calibration (empty: never measured) and what built-in agents lack.

    Each new calibration is stored beside the earlier ones.
    """
    Host.objects.filter(pk=host.pk).update(
        started_at=Now(),
        seen_at=Now(),
        evaluator=VERSION,
        facts=dict(facts),
        agents={name: redaction.redacted(lack) for name, lack in (agents or {}).items()},
        is_accepted=calibration.get("accepted"),
        calibration=dict(calibration),
    )
    public_changed()  # pages show whether a host is accepted, and `update` sends no signal
    if calibration:
        values = {"is_accepted": calibration["accepted"], "figures": dict(calibration), "facts": dict(facts)}
        Calibration.objects.get_or_create(host=host, made_at=calibration["made_at"], defaults=values)


def host_seen(*, host: Host) -> None:
    """Record a heartbeat of the host's worker."""
    Host.objects.filter(pk=host.pk).update(seen_at=Now())


@transaction.atomic
def quarantine_host(*, host: Host, reason: str, actor: Actor) -> bool:
    """Keep the host from taking work until a person lifts the quarantine. Return False if it is quarantined already."""
    reason = cut(" ".join(redaction.redacted(reason).split()), REASON_CHARACTERS) or "no reason was given"
    free = Host.objects.filter(pk=host.pk, quarantined_at__isnull=True)
    if not free.update(quarantined_at=Now(), quarantine_reason=reason):
        return False
    note(AuditEntry.Action.QUARANTINE, actor, reason, host=host)
    return True


@transaction.atomic
def lift_quarantine(*, host: Host, actor: Actor, reason: str) -> Host:
    """Let the host take work again, after its worker has tried known kernels.

    Raises:
        RunError: the host is not quarantined, or no reason is given.
    """
    if not reason.strip():
        raise RunError("say what you found and did: it is stored in the audit log")
    quarantined = Host.objects.filter(pk=host.pk, quarantined_at__isnull=False)
    if not quarantined.update(quarantined_at=None, quarantine_reason=""):
        raise RunError(f"{host} is not quarantined")
    note(AuditEntry.Action.LIFT, actor, reason, host=host)
    return Host.objects.get(pk=host.pk)
