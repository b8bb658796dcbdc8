"""Static figures of sources.

The next `sync_tasks` fills in the proxies of tasks, and `manage.py measure_quality` the figures of candidates that are
here already.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0015_hardware_efficiency")]
    operations = [
        migrations.AddField(
            "task",
            "proxies",
            models.JSONField(
                default=dict,
                help_text="Counts over the PyTorch module it starts from (runs/code_quality/proxies.py). Empty: it has none.",
            ),
        ),
        migrations.AddField(
            "result",
            "code_quality",
            models.JSONField(
                null=True,
                help_text="Figures of the candidate's own files (runs/code_quality/), or why there are none.",
            ),
        ),
        migrations.AddField(
            "claim",
            "code_quality",
            models.JSONField(
                null=True,
                help_text="Figures of these sources, measured here (runs/code_quality/).",
            ),
        ),
    ]
