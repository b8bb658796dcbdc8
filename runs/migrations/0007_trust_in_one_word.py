from typing import Any

from django.db import migrations, models
from django.db.models import F, Q


def name_trust(apps: Any, schema_editor: Any) -> None:
    """Runs of ours were `none`, and bundles that passed their check `checked`: now run here, and claimed."""
    runs = apps.get_model("runs", "Run").objects
    runs.filter(origin="run_here").update(trust="run_here", reproduced_tasks=None, verified_tasks=None)
    runs.exclude(origin="run_here").exclude(trust="reproduced").update(trust="claimed")


def name_verification(apps: Any, schema_editor: Any) -> None:
    runs = apps.get_model("runs", "Run").objects
    runs.filter(trust="run_here").update(trust="none")
    runs.filter(trust="claimed").update(trust="checked")


class Migration(migrations.Migration):
    dependencies = [("runs", "0006_uploads_have_a_folder_of_their_own")]
    operations = [
        migrations.RemoveConstraint(model_name="run", name="run_counts_iff_reproduced"),
        migrations.RenameField(model_name="run", old_name="verification", new_name="trust"),
        migrations.AlterField(
            model_name="run",
            name="trust",
            field=models.CharField(
                choices=[("claimed", "claimed"), ("run_here", "run here"), ("reproduced", "reproduced")],
                default="run_here",
                max_length=20,
            ),
        ),
        migrations.RunPython(name_trust, name_verification),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                name="run_counts_iff_reproduced",
                condition=Q(
                    trust="reproduced",
                    reproduced_tasks__isnull=False,
                    verified_tasks__isnull=False,
                    reproduced_tasks__lte=F("verified_tasks"),
                )
                | Q(
                    trust__in=["claimed", "run_here"],
                    reproduced_tasks__isnull=True,
                    verified_tasks__isnull=True,
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                name="run_trust_follows_origin",
                condition=Q(trust="run_here", origin="run_here")
                | Q(trust__in=["claimed", "reproduced"]) & ~Q(origin="run_here"),
            ),
        ),
    ]
