"""Where kernels run: device classes, which ranks never cross, and the hosts that have them."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

BACKENDS = {"cpu": "cpu", "gfx942": "rocm", "gfx950": "rocm", "sm_90": "cuda"}  # the evaluator's, by architecture


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
        default=False, help_text="Judges compilation and correctness only: its times enter no metric."
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
    """A machine with one device of a class, on which one worker claims attempts."""

    name = models.SlugField(max_length=60, unique=True)
    device_class = models.ForeignKey(DeviceClass, on_delete=models.PROTECT, related_name="hosts")
    is_enabled = models.BooleanField(default=True, help_text="A host that is not enabled claims nothing.")
    is_accepted = models.BooleanField(
        null=True, blank=True, help_text="Passed the A/A acceptance; unknown until `doctor --health` ran there."
    )
    calibration = models.JSONField(default=dict, blank=True, help_text="The figures behind it, as measured there.")
    quarantined_at = models.DateTimeField(
        null=True, blank=True, help_text="Since when it claims nothing: known kernels went wrong on it, twice."
    )
    quarantine_reason = models.CharField(max_length=300, blank=True)
    facts = models.JSONField(default=dict, blank=True, help_text="Versions and products, as its worker says.")
    agents = models.JSONField(
        default=dict, blank=True, help_text="What each agent of ours lacks there, as its worker says; empty: nothing."
    )
    evaluator = models.CharField(max_length=30, blank=True, help_text="The version that its worker started with.")
    note = models.CharField(max_length=200, blank=True)
    started_at = models.DateTimeField(null=True, blank=True, help_text="When its worker last started.")
    seen_at = models.DateTimeField(null=True, blank=True, help_text="Its worker's last sign of life.")

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
    def may_claim(self) -> bool:
        return self.is_enabled and self.quarantined_at is None


class Calibration(models.Model):
    """What `doctor --health` measured on a host, once. Never changed: the next one stands beside it."""

    host = models.ForeignKey(Host, on_delete=models.CASCADE, related_name="calibrations")
    made_at = models.DateTimeField()
    is_accepted = models.BooleanField()
    figures = models.JSONField(help_text="As on its host: E0, spread and bias of A/A sessions, floors.")
    facts = models.JSONField(default=dict, help_text="What the host ran on then.")

    class Meta:
        ordering = ("host", "-made_at")
        constraints = [models.UniqueConstraint(name="calibration_once_per_moment", fields=["host", "made_at"])]

    def __str__(self) -> str:
        return f"calibration {self.pk}"
