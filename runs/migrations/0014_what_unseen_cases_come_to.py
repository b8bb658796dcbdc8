"""Sums up cases in columns of their attempt and of its evaluation on unseen cases.

So the page of a board of hundreds of tasks reads no single case.
"""

from collections import Counter, defaultdict
from itertools import groupby
from math import exp
from statistics import fmean
from typing import Any

from django.db import migrations, models
from django.db.models import Avg, OuterRef, Subquery
from django.db.models.functions import Exp

QUADRANTS = {
    (True, True): "both_pass",
    (True, False): "opt_regression",
    (False, False): "both_fail",
    (False, True): "opt_improvement",
}
AT_ONCE = 1000  # evaluations that are saved together


def sum_up(apps: Any, schema_editor: Any) -> None:
    evaluations = apps.get_model("runs", "UnseenEvaluation").objects
    cases = apps.get_model("runs", "UnseenMeasurement").objects.order_by("evaluation_id", "id")
    columns = ("evaluation_id", "category", "baseline_correct", "correct", "is_eligible", "log_ratio")
    changed = []
    for evaluation, own in groupby(cases.values_list(*columns).iterator(), key=lambda row: row[0]):
        outcomes: defaultdict[str, Counter[str]] = defaultdict(Counter)
        logs = []
        for _, category, baseline, candidate, is_eligible, log_ratio in own:
            outcomes[category][QUADRANTS.get((baseline, candidate), "evaluation_error")] += 1
            if is_eligible and log_ratio is not None:
                logs.append(log_ratio)
        sorted_outcomes = {name: dict(sorted(numbers.items())) for name, numbers in sorted(outcomes.items())}
        row = evaluations.model(pk=evaluation, outcomes=sorted_outcomes)
        row.mean_speedup, row.log_speedup = (fmean(map(exp, logs)), fmean(logs)) if logs else (None, None)
        changed.append(row)
    evaluations.bulk_update(changed, ["outcomes", "mean_speedup", "log_speedup"], batch_size=AT_ONCE)


def average_speedups(apps: Any, schema_editor: Any) -> None:
    counted = apps.get_model("runs", "Measurement").objects.filter(
        attempt=OuterRef("pk"), is_eligible=True, split="seen"
    )
    mean = counted.order_by().values("attempt").annotate(mean=Avg(Exp("log_ratio"))).values("mean")
    attempts = apps.get_model("runs", "Attempt").objects.filter(log_speedup__isnull=False)
    attempts.update(mean_speedup=Subquery(mean))


class Migration(migrations.Migration):
    dependencies = [("runs", "0013_a_stopped_verification_has_no_verdict")]
    operations = [
        migrations.AddField(
            "attempt",
            "mean_speedup",
            models.FloatField(null=True, help_text="Mean of the ratios of the same cases."),
        ),
        migrations.RunPython(average_speedups, migrations.RunPython.noop),
        migrations.AddField(
            "unseenevaluation",
            "outcomes",
            models.JSONField(default=dict, help_text="How many cases of each kind of change ended in each quadrant."),
        ),
        migrations.AddField(
            "unseenevaluation",
            "mean_speedup",
            models.FloatField(null=True, help_text="Mean over eligible cases, on t_dev."),
        ),
        migrations.AddField(
            "unseenevaluation",
            "log_speedup",
            models.FloatField(null=True, help_text="Mean of the logs over the same cases."),
        ),
        migrations.AddIndex(
            "unseenmeasurement",
            models.Index(
                condition=models.Q(baseline_correct=True, correct=False),
                fields=["evaluation"],
                name="unseenmeasurement_regressions",
            ),
        ),
        migrations.RunPython(sum_up, migrations.RunPython.noop),
    ]
