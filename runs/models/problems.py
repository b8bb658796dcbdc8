"""Tasks and suites as mirrored from tasks/, never edited here. A changed task is a new row."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from evaluator.tasks.spec import CATEGORIES


class Task(models.Model):
    """One kernel problem at one content digest."""

    path = models.CharField(max_length=200, help_text="The folder below tasks/: category/source/name.")
    digest = models.CharField(max_length=64)
    category = models.CharField(max_length=20, choices=[(name, one.title) for name, one in CATEGORIES.items()])
    source = models.CharField(max_length=50, help_text="Where the task comes from: arena, or a benchmark's name.")
    name = models.CharField(max_length=100)
    description = models.TextField(blank=True)
    editable = models.JSONField(default=list, help_text="Files that a candidate may replace.")
    files = models.JSONField(default=dict, help_text="The baseline's sources: path → sha256 in the archive.")
    cases = models.JSONField(default=list, help_text='The seen cases: {"id", "profile", "axes"}.')
    work = models.JSONField(
        default=dict, help_text='What the model says: case id → {"bytes", "flops", "dtype"}. Empty: not known.'
    )
    provenance = models.JSONField(default=dict)
    proxies = models.JSONField(
        default=dict,
        help_text="Counts over the PyTorch module it starts from (runs/code_quality/proxies.py). Empty: it has none.",
    )
    is_plain = models.BooleanField(default=False, help_text="It ships no expert.")
    is_current = models.BooleanField(default=True, help_text="tasks/ holds this version now.")
    added_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("category", "path", "-id")
        constraints = [
            models.UniqueConstraint(name="task_one_per_path_and_digest", fields=["path", "digest"]),
            models.UniqueConstraint(name="task_one_current_per_path", fields=["path"], condition=Q(is_current=True)),
            models.CheckConstraint(name="task_digest_is_sha256", condition=Q(digest__regex=r"^[0-9a-f]{64}$")),
            models.CheckConstraint(name="task_category_is_known", condition=Q(category__in=list(CATEGORIES))),
        ]

    def __str__(self) -> str:
        return f"{self.path} {self.digest[:8]}"


class Suite(models.Model):
    """A named, frozen list of tasks. Each version has a digest; denominators come from here."""

    name = models.SlugField(max_length=50)
    version = models.PositiveIntegerField()
    digest = models.CharField(max_length=64, unique=True)
    title = models.CharField(max_length=200, blank=True)
    is_current = models.BooleanField(default=True, help_text="The version that tasks/suites/ holds now.")
    tasks = models.ManyToManyField(Task, through="SuiteMembership", related_name="suites")
    added_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name", "-version")
        constraints = [
            models.UniqueConstraint(name="suite_one_per_name_and_version", fields=["name", "version"]),
            models.UniqueConstraint(name="suite_one_current_per_name", fields=["name"], condition=Q(is_current=True)),
            models.CheckConstraint(name="suite_version_counts_from_one", condition=Q(version__gte=1)),
        ]

    def __str__(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        return f"{self.name}@{self.version}"


class SuiteMembership(models.Model):
    suite = models.ForeignKey(Suite, on_delete=models.CASCADE, related_name="memberships")
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="memberships")

    class Meta:
        constraints = [models.UniqueConstraint(name="suitemembership_task_once", fields=["suite", "task"])]

    def __str__(self) -> str:
        return f"{self.suite_id}: {self.task_id}"
