"""What is asked of people: who wrote the candidates, under which licence; an answer, an audit, a decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from evaluator.bundles.problems import is_invisible
from evaluator.bundles.tasklists import KERNELBENCH_LEVELS
from evaluator.codec import plain_text
from runs.models import ApiToken, DeviceClass, Submission
from runs.models.audits import VERDICTS
from runs.services.verification import MOST_DRAWN
from runs.submissions.uploading import MOST_BYTES


def _plain(text: str) -> None:
    if plain_text(text) != text or "\n" in text or any(map(is_invisible, text)):
        raise forms.ValidationError("A line of plain characters is expected.")


def _line(label: str, help_text: str, max_length: int = 200) -> forms.CharField:
    return forms.CharField(label=label, help_text=help_text, max_length=max_length, required=False, validators=[_plain])


class SaidForm(forms.Form):
    """Facts that a bundle may lack; each may be left out. What is said here is marked as self-declared."""

    agent = _line("Agent", "Who wrote the candidates, as boards should show it. Empty: as in the bundle.", 100)
    agent_version = _line("Its version", "A release or a commit.")
    model = _line("Model", "The exact identifier that was asked for. Empty: it uses none.", 100)
    settings = _line("Settings", "Time limit, iterations, effort: what changes results.")
    device = _line("Device", "Product and partition mode, such as MI300X SPX.")
    versions = _line("Software", "Versions of ROCm or CUDA, torch, Triton.")
    benchmark_commit = _line("Benchmark commit", "Of another benchmark, if it was one.")
    level = forms.ChoiceField(
        required=False,
        choices=[("", "none"), *((level, level) for level in KERNELBENCH_LEVELS)],
        label="KernelBench level",
        help_text="Its files do not say it, and a problem's number alone is no task.",
    )
    golden_machine = _line("Golden machine", "KernelBench-X: whose golden results the speeds are relative to.")
    precision = _line("Precision", "Of another benchmark: the dtype that was run.")
    output_tokens = forms.IntegerField(required=False, min_value=0, label="Output tokens", help_text="In all.")
    cost_usd = forms.DecimalField(required=False, min_value=0, label="Cost", help_text="In US dollars, in all.")
    started_at = forms.DateField(
        required=False,
        input_formats=["%Y-%m-%d"],
        label="Day of the run",
        help_text="Such as 2026-11-28.",
        error_messages={"invalid": "A day is expected, such as 2026-11-28."},
    )

    def declared(self) -> dict[str, str]:
        """What was said, as text."""
        said = {name: self.cleaned_data.get(name) for name in SaidForm.base_fields}
        return {name: str(value) for name, value in said.items() if value not in (None, "")}


class FactsForm(SaidForm):
    """Those that can still be said after hand-in."""

    def __init__(self, names: Sequence[str], data: Mapping[str, str] | None = None) -> None:
        super().__init__(data)
        self.fields = {name: field for name, field in self.fields.items() if name in names}

    def clean(self) -> None:
        if not self.errors and not self.declared():
            raise forms.ValidationError("Nothing was said: fill in at least one of these.")


class HandInForm(SaidForm):
    """Everything but file, licence and consent may be left out."""

    licence = forms.ChoiceField(
        choices=Submission.Licence.choices,
        label="Licence",
        help_text="Of the candidates' sources and the results.",
        error_messages=dict.fromkeys(("required", "invalid_choice"), f"One of {', '.join(Submission.Licence.values)}."),
    )
    consent = forms.BooleanField(
        label="I may publish these results and sources, and agree that they are shown under this licence.",
        error_messages={"required": "Your consent, without which nothing can be accepted."},
    )
    mail = forms.BooleanField(required=False, label="Write to me when it is rejected, accepted or closed.")
    bundle = forms.FileField(
        label="Bundle",
        help_text=f"The evaluator's zip, or results of a benchmark we know; {MOST_BYTES >> 20} MiB at most.",
        error_messages={"required": "Choose the bundle."},
    )

    def clean_bundle(self) -> Any:
        file = self.cleaned_data["bundle"]
        if (file.size or 0) > MOST_BYTES:
            raise forms.ValidationError(f"It is longer than {MOST_BYTES >> 20} MiB.")
        return file


class TextForm(forms.Form):
    """One text with a reason in it: an answer, a decision, a takedown."""

    text = forms.CharField(max_length=10_000, label="Reason", widget=forms.Textarea(attrs={"rows": 4}))


class TokenForm(forms.Form):
    name = forms.CharField(max_length=60, label="What it is for")
    scope = forms.ChoiceField(
        choices=[(ApiToken.Scope.SUBMIT, "hand in, and look"), (ApiToken.Scope.LOOK, "only look")],
        label="What it may do",
        help_text="To look is to see what became of what you handed in.",
    )
    days = forms.IntegerField(min_value=1, max_value=366, initial=90, label="Valid for so many days")


class VerifyForm(forms.Form):
    device_class = forms.ModelChoiceField(
        DeviceClass.objects.filter(hosts__is_enabled=True).distinct(), label="On hosts of", to_field_name="slug"
    )
    sample = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_DRAWN,
        label="Tasks",
        help_text="So many, drawn by chance. Empty: all of them.",
    )


class AuditForm(forms.Form):
    verdict = forms.ChoiceField(
        choices=[("", "choose"), *((name, name.replace("_", " ")) for name in VERDICTS)], label="Verdict"
    )
    place = forms.CharField(max_length=300, required=False, label="Place", help_text="Such as kernel.hip:12-18.")
    quote = forms.CharField(
        max_length=10_000, required=False, label="Quoted lines", widget=forms.Textarea(attrs={"rows": 5})
    )
    reason = forms.CharField(max_length=10_000, label="Reason", widget=forms.Textarea(attrs={"rows": 4}))


def problems_of(form: forms.Form) -> list[dict[str, str]]:
    """A form's errors as problems of a bundle: place, seen, expected, hint."""
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
