"""What becomes public with a run: the rows that it shares with others, and what it proves of its hosts.

Until then a draft changes no row that others share. What it needs and nobody has registered has rows that are not
public: they are on no list and in no search.
"""

from __future__ import annotations

from evaluator.records import calibration as timing
from runs.models import Calibration, Host, Run


def disclose(run: Run) -> None:
    """Make its configuration, device class and hosts public, and store its calibrations for the hosts that it names."""
    configuration = run.configuration
    for row in (configuration, configuration.agent, configuration.model, run.device_class):
        if row is not None and not row.is_public:
            row.is_public = True
            row.save(update_fields=["is_public"])
    if run.origin == Run.Origin.IMPORTED:
        for host in Host.objects.filter(attempts__result__run=run, started_at__isnull=True).distinct():
            _disclose_host(run, host)


def _disclose_host(run: Run, host: Host) -> None:
    """A timed attempt without the flag uncalibrated proves that its host had passed the A/A acceptance."""
    host.is_public = True
    timed = host.attempts.filter(result__run=run, is_uncalibrated=False, measurements__log_ratio__isnull=False)
    if not run.device_class.is_functional and timed.exists():
        host.is_accepted = True
    device = timing.device_of(run.device_class.slug, host.facts)
    for found in run.calibrations:
        if found["device"] == device:
            figures = {name: value for name, value in found.items() if name != "device"}
            values = {"is_accepted": figures["accepted"], "figures": figures, "facts": host.facts}
            Calibration.objects.get_or_create(host=host, made_at=figures["made_at"], defaults=values)
            host.calibration = host.calibrations.latest("made_at").figures
    host.save(update_fields=["is_public", "is_accepted", "calibration"])
