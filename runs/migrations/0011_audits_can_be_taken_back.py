from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0010_webhooks_and_their_deliveries")]

    operations = [
        migrations.AddField(
            model_name="resultaudit",
            name="taken_back_at",
            field=models.DateTimeField(blank=True, help_text="Since then it counts no more.", null=True),
        ),
        migrations.AddField(
            model_name="resultaudit",
            name="taken_back_by_name",
            field=models.CharField(blank=True, default="", max_length=150),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="resultaudit",
            name="taken_back_because",
            field=models.TextField(blank=True, default=""),
            preserve_default=False,
        ),
        migrations.AddConstraint(
            model_name="resultaudit",
            constraint=models.CheckConstraint(
                name="resultaudit_taken_back_with_a_reason",
                condition=models.Q(taken_back_at__isnull=True, taken_back_by_name="", taken_back_because="")
                | models.Q(taken_back_at__isnull=False)
                & ~models.Q(taken_back_by_name="")
                & ~models.Q(taken_back_because=""),
            ),
        ),
    ]
