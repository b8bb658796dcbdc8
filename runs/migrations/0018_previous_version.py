"""Each version of a session says which one it was made from. Those stored so far follow one another."""

from __future__ import annotations

from typing import Any

from django.db import migrations, models
from django.db.models import F


def follow(apps: Any, schema_editor: Any) -> None:
    versions = apps.get_model("runs", "Iteration").objects
    versions.filter(number__gt=1).exclude(transition="").update(previous=F("number") - 1)


class Migration(migrations.Migration):
    dependencies = [("runs", "0017_kinds_of_edit")]
    operations = [
        migrations.AddField(
            "iteration",
            "previous",
            models.PositiveIntegerField(
                null=True, help_text="Number of the version that it was made from. Empty: the task's own source."
            ),
        ),
        migrations.AlterField(
            "iteration",
            "previous_status",
            models.CharField(max_length=20, blank=True, help_text="Of that version. Empty: there is none."),
        ),
        migrations.AlterField(
            "iteration",
            "transition",
            models.CharField(max_length=20, blank=True, help_text="From that version's outcome. Empty: there is none."),
        ),
        migrations.AlterField(
            "iteration",
            "added",
            models.PositiveIntegerField(help_text="Lines, compared with the version that it was made from."),
        ),
        migrations.AlterField(
            "attempt",
            "paper_speedup",
            models.FloatField(
                null=True,
                help_text="Ratio of all cases on the clock of the category's paper, as that paper sums up. Does not rank.",
            ),
        ),
        migrations.RunPython(follow, migrations.RunPython.noop),
    ]
