from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0006_uploads_have_a_folder_of_their_own")]

    operations = [
        migrations.AddField(
            model_name="task",
            name="is_plain",
            field=models.BooleanField(default=False, help_text="It ships no expert."),
        ),
    ]
