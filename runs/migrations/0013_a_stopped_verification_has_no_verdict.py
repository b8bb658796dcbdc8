from typing import Any

from django.db import migrations, models
from django.db.models import Q

VERDICTS = {
    "reproduced": "reproduced",
    "partly": "partly reproduced",
    "not_reproduced": "not reproduced",
    "not_comparable": "not comparable",
    "stopped": "stopped",
}


def name_stopped(apps: Any, schema_editor: Any) -> None:
    """One that ended by itself compared at least one task, if only to find it not comparable."""
    rows = apps.get_model("runs", "Verification").objects
    rows.filter(verdict="not_comparable", tasks__isnull=True).update(verdict="stopped")


def name_not_comparable(apps: Any, schema_editor: Any) -> None:
    apps.get_model("runs", "Verification").objects.filter(verdict="stopped").update(verdict="not_comparable")


class Migration(migrations.Migration):
    dependencies = [("runs", "0012_torch2triton_is_a_category")]
    operations = [
        migrations.RemoveConstraint("verification", "verification_verdict_iff_closed"),
        migrations.AlterField(
            "verification", "verdict", models.CharField(max_length=20, choices=list(VERDICTS.items()), blank=True)
        ),
        migrations.RunPython(name_stopped, name_not_comparable),
        migrations.AddConstraint(
            "verification",
            models.CheckConstraint(
                name="verification_verdict_iff_closed",
                condition=Q(closed_at__isnull=True, verdict="")
                | Q(closed_at__isnull=False, verdict__in=list(VERDICTS)),
            ),
        ),
    ]
