from django.db import migrations, models

CATEGORIES = {
    "hip2hip": "HIP to HIP",
    "torch2hip": "PyTorch to HIP",
    "torch2triton": "PyTorch to Triton",
    "triton2triton": "Triton to Triton",
}


class Migration(migrations.Migration):
    dependencies = [("runs", "0011_audits_can_be_taken_back")]
    operations = [
        migrations.RemoveConstraint("task", "task_category_is_known"),
        migrations.AlterField("task", "category", models.CharField(max_length=20, choices=list(CATEGORIES.items()))),
        migrations.AddConstraint(
            "task",
            models.CheckConstraint(
                name="task_category_is_known", condition=models.Q(("category__in", list(CATEGORIES)))
            ),
        ),
    ]
