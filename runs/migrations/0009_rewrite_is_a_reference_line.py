"""Gives configurations of built-in agents the role that their agent.yaml says, as the registry has done since.

`rewrite`, which only picks prewritten variants, became a reference line. One that has runs may not change its role, so
with another role than its agent's it could not be saved any more.
"""

from typing import Any

from django.db import migrations, models

ROLES = {
    "reference_line": ("baseline", "compile", "eager", "expert", "rewrite", "shape_hardcoder"),
    "entry": ("block_tuner", "chat_loop", "claude_code", "codex", "cursor", "replay", "single_shot"),
}


def take_the_agents_role(apps: Any, schema_editor: Any) -> None:
    configurations = apps.get_model("runs", "Configuration").objects
    for role, agents in ROLES.items():
        configurations.filter(agent__slug__in=agents, agent__kind="built_in").update(role=role)


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
