from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0014_accounts_and_spending"),
    ]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="declared_on",
            field=models.JSONField(blank=True, default=dict, help_text="The day of each that was said after hand-in."),
        ),
    ]
