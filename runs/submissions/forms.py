"""Forms: submit a bundle, add facts, create tokens, act on a row, audit, reply and decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from django import forms

from evaluator.bundles.problems import is_invisible
from evaluator.bundles.tasklists import KERNELBENCH_LEVELS
from evaluator.codec import DecodeError, plain_text
from evaluator.inside.excerpts import cut
from evaluator.records.activity import ActivityReport, read_activity
from evaluator.records.moments import is_future_day, is_over
from evaluator.wording import counted
from runs.models import ApiToken, DeviceClass, Result, Run, Submission
from runs.models.audit_log import REASON_CHARACTERS
from runs.models.audits import VERDICTS
from runs.services.verification import MOST_DRAWN
from runs.submissions.uploading import MOST_BYTES

AGENT_HELP = (
    "Who wrote the candidates, as leaderboards should show it. Empty: as in the bundle. A bundle of one of our own "
    "agents needs a name of your own here, such as Sam's chat_loop; so do results of other benchmarks that name nobody."
)
LARGEST_REPORT = 4 << 20  # bytes of an activity report


def _plain(text: str) -> None:
    if plain_text(text) != text or "\n" in text or any(map(is_invisible, text)):
        raise forms.ValidationError("Enter one line of plain text.")


def _past(day: date) -> None:
    if is_future_day(day.isoformat()):
        raise forms.ValidationError("Enter a day that is not in the future.")


def _line(label: str, help_text: str, max_length: int = 200) -> forms.CharField:
    return forms.CharField(label=label, help_text=help_text, max_length=max_length, required=False, validators=[_plain])


class DeclaredFactsForm(forms.Form):
    """Facts that a bundle may lack. All are optional, and shown as self-declared."""

    agent = _line("Agent", AGENT_HELP, 100)
    agent_version = _line("Agent version", "A release or a commit.")
    model = _line("Model", "The exact identifier that was requested. Empty: as in the bundle, or none.", 100)
    settings = _line("Settings", "What influences results: time limit, iterations, effort.")
    device = _line("Device", "Product and partition mode, for example MI300X SPX.")
    versions = _line("Software", "Versions of ROCm or CUDA, PyTorch, Triton.")
    benchmark_commit = _line("Benchmark commit", "The commit of the benchmark, if the results are of another one.")
    level = forms.ChoiceField(
        required=False,
        choices=[("", "none"), *((level, level) for level in KERNELBENCH_LEVELS)],
        label="KernelBench level",
        help_text="If the run folder does not name it; a problem number alone is ambiguous.",
    )
    golden_machine = _line(
        "Golden machine", "KernelBench-X: the machine of the golden results that speedups are relative to."
    )
    precision = _line("Precision", "The dtype that was run, if the results are of another benchmark.")
    output_tokens = forms.IntegerField(
        required=False, min_value=0, label="Output tokens", help_text="Total of all tasks."
    )
    cost_usd = forms.DecimalField(required=False, min_value=0, label="Cost", help_text="Total in US dollars.")
    started_at = forms.DateField(
        required=False,
        input_formats=["%Y-%m-%d"],
        label="Day of the run",
        help_text="For example 2026-11-28.",
        error_messages={"invalid": "Enter a day, for example 2026-11-28."},
        validators=[_past],
    )

    def declared(self) -> dict[str, str]:
        """Return the facts that were filled in, as text by name."""
        facts = {name: self.cleaned_data.get(name) for name in DeclaredFactsForm.base_fields}
        return {name: str(value) for name, value in facts.items() if value not in (None, "")}


class FactsForm(DeclaredFactsForm):
    """Only the facts that can still be added to a submission."""

    def __init__(self, names: Sequence[str], data: Mapping[str, str] | None = None) -> None:
        super().__init__(data)
        self.fields = {name: field for name, field in self.fields.items() if name in names}

    def clean(self) -> None:
        if not self.errors and not self.declared():
            raise forms.ValidationError("Fill in at least one field.")


class SubmitForm(DeclaredFactsForm):
    """Submits a bundle. Only file, licence and consent are required; what many bundles need stands first with them."""

    field_order = NEEDED = ("bundle", "agent", "licence", "consent", "mail")
    licence = forms.ChoiceField(
        choices=[("", "Choose"), *Submission.Licence.choices],  # a browser would choose the first by itself
        label="Licence",
        help_text="For the candidates' sources and the results.",
        error_messages=dict.fromkeys(
            ("required", "invalid_choice"), f"Choose one of {', '.join(Submission.Licence.values)}."
        ),
    )
    consent = forms.BooleanField(
        label="I have the right to publish these results and sources, and agree to publication under this licence.",
        error_messages={"required": "We need your consent to accept the submission."},
    )
    mail = forms.BooleanField(required=False, label="Email me when it is rejected, accepted or closed.")
    bundle = forms.FileField(
        label="Bundle",
        help_text=f"The evaluator's zip, or results of a supported benchmark. At most {MOST_BYTES >> 20} MiB.",
        error_messages={"required": "Choose a bundle."},
    )

    def needed(self) -> list[forms.BoundField]:
        return [self[name] for name in self.NEEDED]

    def facts(self) -> list[forms.BoundField]:
        return [self[name] for name in DeclaredFactsForm.base_fields if name not in self.NEEDED]

    def has_facts(self) -> bool:
        """Return whether a fact was filled in, or is wrong."""
        return any(field.data or field.errors for field in self.facts())

    def clean_bundle(self) -> Any:
        file = self.cleaned_data["bundle"]
        if (file.size or 0) > MOST_BYTES:
            raise forms.ValidationError(f"The file is larger than {MOST_BYTES >> 20} MiB.")
        return file


class DecisionForm(forms.Form):
    """The decision of a review."""

    text = forms.CharField(max_length=10_000, label="Decision", widget=forms.Textarea(attrs={"rows": 4}))


class TokenForm(forms.Form):
    name = forms.CharField(max_length=60, label="Name", help_text="What the token is for.")
    scope = forms.ChoiceField(
        choices=ApiToken.Scope.choices,
        label="Scope",
    )
    days = forms.IntegerField(min_value=1, max_value=366, initial=90, label="Days until it expires")


class ActForm(forms.Form):
    """What an action on a row asks: a reason, and before it what its `asks` names."""

    device_class = forms.ModelChoiceField(
        DeviceClass.objects.filter(hosts__is_enabled=True).distinct(), label="Device class", to_field_name="slug"
    )
    sample = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_DRAWN,
        label="Tasks",
        help_text="How many tasks to draw at random. Empty: all.",
    )
    over_questions = forms.BooleanField()
    reason = forms.CharField(
        max_length=REASON_CHARACTERS, label="Reason", help_text="Public, in the audit log with your name."
    )

    def __init__(
        self, asks: Sequence[str], data: Mapping[str, str] | None, *, row: Result | Run | Submission, questions: int = 0
    ) -> None:
        super().__init__(data)
        left_out = () if questions else ("over_questions",)
        self.fields = {name: self.fields[name] for name in (*asks, "reason") if name not in left_out}
        if "device_class" in asks and isinstance(row, Submission) and row.run is not None:
            self.fields["device_class"].initial = row.run.device_class.slug
        if questions:
            self.fields[
                "over_questions"
            ].label = f"Publish over {counted(questions, 'question')} that nobody has decided"


class AuditForm(forms.Form):
    verdict = forms.ChoiceField(
        choices=[("", "Choose"), *((name, name.replace("_", " ")) for name in VERDICTS)], label="Verdict"
    )
    place = forms.CharField(
        max_length=300,
        required=False,
        label="Lines",
        help_text="A file and its lines, for example kernel.hip:12-18. They are quoted from the source.",
    )
    quote = forms.CharField(
        max_length=10_000,
        required=False,
        label="Or the lines themselves",
        help_text="They are looked up in the source. A line with only … parts two passages.",
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    reason = forms.CharField(max_length=10_000, label="Reason", widget=forms.Textarea(attrs={"rows": 4}))
    activity = forms.FileField(
        required=False,
        label="Activity trace",
        help_text="Evidence from the device, if you have it: the JSON file of python -m evaluator audit. Its figures "
        "are published before the lines.",
    )

    def clean_activity(self) -> ActivityReport | None:
        file = self.cleaned_data["activity"]
        if file is None:
            return None
        if file.size > LARGEST_REPORT:
            raise forms.ValidationError(f"{file.size:,} bytes; a report has at most {LARGEST_REPORT:,}.")
        try:
            report = read_activity(file.read())
        except DecodeError as error:
            raise forms.ValidationError(f"This is no activity report: {cut(str(error), 300)}") from error
        if not is_over(report.made_at):
            raise forms.ValidationError(f"It says that it was made at {report.made_at}, which is in the future.")
        return report


def problems_of(form: forms.Form) -> list[dict[str, str]]:
    """Return a form's errors like problems of a bundle: place, seen, expected, hint."""
    return [
        {
            "place": f"form: {name}",
            "seen": str(form.data.get(name, "nothing"))[:120],
            "expected": error.rstrip("."),
            "hint": "",
        }
        for name, errors in form.errors.items()
        for error in map(str, errors)
    ]
