import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import migrations

WITH_ONE = [("Attempt", "record_digest"), ("UnseenEvaluation", "record_digest")]
WITH_ONE += [("AgentSession", "digest"), ("AgentSession", "prompt_digest")]
WITH_MANY = [("Task", "files"), ("Result", "candidate_files"), ("Claim", "files")]


def move_uploads(apps: Any, schema_editor: Any) -> None:
    """Move the uploads of 0.4.0 into a folder of their own. What other rows name as well is linked, and stays."""

    def rows(model: str) -> Any:
        return apps.get_model("runs", model).objects

    uploads = set(rows("Submission").exclude(outcome="taken_down").values_list("digest", flat=True))
    named = {detail[-64:] for detail in rows("AuditEntry").values_list("detail", flat=True)}
    for model, column in WITH_ONE:
        named |= uploads.intersection(rows(model).values_list(column, flat=True))
    for model, column in WITH_MANY:
        for files in rows(model).values_list(column, flat=True).iterator():
            named |= uploads.intersection(files.values())
    for digest in uploads:
        name = f"{digest[:2]}/{digest}.gz"
        old, new = Path(settings.ARCHIVE_FOLDER, name), Path(settings.ARCHIVE_FOLDER, "uploads", name)
        if old.exists() and not new.exists():
            new.parent.mkdir(parents=True, exist_ok=True)
            os.link(old, new)
            if digest not in named:
                old.unlink()


class Migration(migrations.Migration):
    dependencies = [("runs", "0005_a_licence_may_be_unstated")]
    operations = [migrations.RunPython(move_uploads, migrations.RunPython.noop)]
