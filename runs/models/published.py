"""Tables of papers as printed, shown in a section of their own and never ranked with measured results."""

from __future__ import annotations

from django.db import models


class PublishedTable(models.Model):
    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=200)
    citation = models.CharField(max_length=300)
    url = models.URLField()
    device = models.CharField(max_length=100, blank=True)
    clock = models.CharField(max_length=200, blank=True)
    note = models.TextField(blank=True, help_text="Known disagreements within the paper.")
    columns = models.JSONField(default=list, help_text='In order: {"key", "label"}.')

    class Meta:
        ordering = ("slug",)

    def __str__(self) -> str:
        return self.title


class PublishedRow(models.Model):
    table = models.ForeignKey(PublishedTable, on_delete=models.CASCADE, related_name="rows")
    position = models.PositiveIntegerField(help_text="Counted from 1, in the printed order.")
    cells = models.JSONField(help_text="Column key → text as printed; empty where the paper prints nothing.")

    class Meta:
        ordering = ("table", "position")
        constraints = [models.UniqueConstraint(name="publishedrow_position_once", fields=["table", "position"])]

    def __str__(self) -> str:
        return f"{self.table_id} {self.position}"
