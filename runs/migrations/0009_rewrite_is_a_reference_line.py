"""Makes configurations of `rewrite` the reference lines that its agent.yaml says: it only picks prewritten variants."""

from typing import Any

from django.db import migrations, models


def take_the_agents_role(apps: Any, schema_editor: Any) -> None:
    configurations = apps.get_model("runs", "Configuration").objects
    configurations.filter(agent__slug="rewrite", agent__kind="built_in").update(role="reference_line")


class Migration(migrations.Migration):
    dependencies = [("runs", "0008_task_is_plain")]

    operations = [
        migrations.AlterField(
            model_name="configuration",
            name="role",
            field=models.CharField(
                choices=[("entry", "entry"), ("reference_line", "reference line")],
                default="entry",
                help_text="A built-in agent has its own, whatever is set here.",
                max_length=20,
            ),
        ),
        migrations.RunPython(take_the_agents_role, migrations.RunPython.noop),
    ]
