import os
from pathlib import Path

from django.conf import settings
from django.db import migrations


def link_uploads(apps, schema_editor):
    """Uploads of 0.4.0 lie among the archive's other files: link each into uploads/, where they are looked for now.

    The first name stays, since a record or source may have the same bytes. A file that no row names there is the
    night's work to remove.
    """
    stored = Path(settings.ARCHIVE_FOLDER)
    kept = apps.get_model("runs", "Submission").objects.exclude(outcome="taken_down")
    for digest in kept.values_list("digest", flat=True).distinct():
        name = f"{digest[:2]}/{digest}.gz"
        old, new = stored / name, stored / "uploads" / name
        if old.exists() and not new.exists():
            new.parent.mkdir(parents=True, exist_ok=True)
            os.link(old, new)


class Migration(migrations.Migration):
    dependencies = [("runs", "0005_a_licence_may_be_unstated")]
    operations = [migrations.RunPython(link_uploads, migrations.RunPython.noop)]
