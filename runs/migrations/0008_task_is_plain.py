from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0007_trust_in_one_word")]

    operations = [
        migrations.AddField(
            model_name="task",
            name="is_plain",
            field=models.BooleanField(default=False, help_text="It ships no expert."),
        ),
    ]
