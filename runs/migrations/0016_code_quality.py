"""Static figures of sources: of a task's PyTorch module its proxies, which the next `sync_tasks` fills in."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0014_what_unseen_cases_come_to")]
    operations = [
        migrations.AddField(
            "task",
            "proxies",
            models.JSONField(
                default=dict,
                help_text="Counts over the PyTorch module it starts from (runs/code_quality/proxies.py). Empty: it has none.",
            ),
        ),
    ]
