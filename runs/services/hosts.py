"""What becomes of hosts: signs of life, what they run on, quarantine and its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from evaluator import VERSION
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
    """Its worker starts and says what it runs on, and how still its device is; no calibration: nobody knows.

    `agents`: what each agent of ours lacks there. Each calibration is kept beside those before it.
    """
    Host.objects.filter(pk=host.pk).update(
        started_at=Now(),
        seen_at=Now(),
        evaluator=VERSION,
        facts=dict(facts),
        agents={name: redaction.shown(lack) for name, lack in (agents or {}).items()},
        is_accepted=calibration.get("accepted"),
        calibration=dict(calibration),
    )
    public_changed()  # a page says whether a host is accepted; an update in the database tells nobody
    if calibration:
        values = {"is_accepted": calibration["accepted"], "figures": dict(calibration), "facts": dict(facts)}
        Calibration.objects.get_or_create(host=host, made_at=calibration["made_at"], defaults=values)


def host_seen(*, host: Host) -> None:
    """A sign of life of its worker."""
    Host.objects.filter(pk=host.pk).update(seen_at=Now())


@transaction.atomic
def quarantine_host(*, host: Host, reason: str, actor: Actor) -> bool:
    """Let it claim nothing until a person has looked. False: it is quarantined already."""
    reason = " ".join(redaction.shown(reason).split())[:REASON_CHARACTERS] or "no reason was given"
    free = Host.objects.filter(pk=host.pk, quarantined_at__isnull=True)
    if not free.update(quarantined_at=Now(), quarantine_reason=reason):
        return False
    note(AuditEntry.Action.QUARANTINE, actor, reason, host=host)
    return True


@transaction.atomic
def lift_quarantine(*, host: Host, actor: Actor, reason: str) -> Host:
    """Let it take work again; its worker tries known kernels first.

    Raises:
        RunError: it is not quarantined, or no reason is given.
    """
    if not reason.strip():
        raise RunError("say what was found and done: the reason is kept")
    quarantined = Host.objects.filter(pk=host.pk, quarantined_at__isnull=False)
    if not quarantined.update(quarantined_at=None, quarantine_reason=""):
        raise RunError(f"{host} is not quarantined")
    note(AuditEntry.Action.LIFT, actor, reason, host=host)
    return Host.objects.get(pk=host.pk)
