"""Device classes, between which nothing is ranked, the hosts that have them, and the hosts' calibrations."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

BACKENDS = {
    "cpu": "cpu",
    "gfx942": "rocm",
    "gfx950": "rocm",
    "sm_90": "cuda",
}  # the evaluator's backend of each architecture


class DeviceClass(models.Model):
    """Architecture, product and partition mode. A queue is named after the architecture."""

    class Architecture(models.TextChoices):
        GFX942 = "gfx942", "gfx942"
        GFX950 = "gfx950", "gfx950"
        SM_90 = "sm_90", "sm_90"
        CPU = "cpu", "cpu"

    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=100)
    architecture = models.CharField(max_length=20, choices=Architecture)
    partition_mode = models.CharField(max_length=20, blank=True)
    is_functional = models.BooleanField(
        default=False, help_text="Compilation and correctness only: its times count in no metric."
    )
    is_public = models.BooleanField(
        default=True, editable=False, help_text="Registered by staff, or named by a run that was published."
    )

    class Meta:
        ordering = ("slug",)
        verbose_name_plural = "device classes"
        constraints = [
            models.CheckConstraint(
                name="deviceclass_architecture_is_known",
                condition=Q(architecture__in=["gfx942", "gfx950", "sm_90", "cpu"]),
            ),
        ]

    def __str__(self) -> str:
        return self.slug


class Host(models.Model):
    """A machine with one device of a class and one worker."""

    name = models.SlugField(max_length=60, unique=True)
    device_class = models.ForeignKey(DeviceClass, on_delete=models.PROTECT, related_name="hosts")
    is_enabled = models.BooleanField(default=True, help_text="A disabled host takes no work.")
    is_accepted = models.BooleanField(
        null=True, blank=True, help_text="Passed the A/A acceptance. Unknown until `doctor --health` has run there."
    )
    calibration = models.JSONField(default=dict, blank=True, help_text="The measured figures behind the acceptance.")
    quarantined_at = models.DateTimeField(
        null=True, blank=True, help_text="It takes no work since then: known kernels failed on it twice."
    )
    quarantine_reason = models.CharField(max_length=300, blank=True)
    facts = models.JSONField(default=dict, blank=True, help_text="Versions and products, as its worker reports them.")
    agents = models.JSONField(
        default=dict,
        blank=True,
        help_text="What each built-in agent lacks there, as its worker reports it. Empty text: nothing.",
    )
    evaluator = models.CharField(max_length=30, blank=True, help_text="The evaluator version of its worker.")
    note = models.CharField(max_length=200, blank=True)
    started_at = models.DateTimeField(null=True, blank=True, help_text="When its worker last started.")
    seen_at = models.DateTimeField(null=True, blank=True, help_text="Its worker's last heartbeat.")
    is_public = models.BooleanField(
        default=True, editable=False, help_text="Registered by staff, or named by a run that was published."
    )

    class Meta:
        ordering = ("name",)
        constraints = [
            models.CheckConstraint(
                name="host_quarantine_has_a_reason",
                condition=Q(quarantined_at__isnull=True, quarantine_reason="")
                | Q(quarantined_at__isnull=False) & ~Q(quarantine_reason=""),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def may_take_work(self) -> bool:
        return self.is_enabled and self.quarantined_at is None


class Calibration(models.Model):
    """One measurement of a host by `doctor --health`. Never changed; a later one is another row."""

    host = models.ForeignKey(Host, on_delete=models.CASCADE, related_name="calibrations")
    made_at = models.DateTimeField()
    is_accepted = models.BooleanField()
    figures = models.JSONField(help_text="E0, spread and bias of A/A sessions, floors.")
    facts = models.JSONField(default=dict, help_text="The host's facts at the time.")

    class Meta:
        ordering = ("host", "-made_at")
        constraints = [models.UniqueConstraint(name="calibration_once_per_moment", fields=["host", "made_at"])]

    def __str__(self) -> str:
        return f"calibration {self.pk}"
