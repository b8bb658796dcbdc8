"""Whatever a stranger can write is text on every page: in HTML, charts, feeds, pages of submitters and the admin.

Every row of a site with something of everything is made with an element, an attribute and a template tag in each of
its columns that an outsider can fill; so are a log, a finding, sources and their names. Then all of it is looked at.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import models, transaction
from django.db.models.query import QuerySet
from django.db.models.signals import pre_save
from django.test import Client, override_settings
from django.urls import reverse

from evaluator.records.record import Finding
from runs import guards
from runs.models import AgentSession, Claim, Round, Submission, UnseenEvaluation, UnseenMeasurement
from runs.people.rights import Role
from runs.people.roles import set_role
from runs.services import tokens
from tests import factories
from tests.accounts import show_second_factor
from tests.browser import site as browser_site
from tests.people.site_addresses import public_addresses

pytestmark = [pytest.mark.slow, pytest.mark.django_db]
PLANT = "\"'><planted-x onload=p() href='javascript:p()'>{{'X'|add:'YZZY'}}"
# Columns that hold what a stranger wrote, or that repeat it; of JSON every text in it.
OUTSIDE = {
    "Agent": {"name"},
    "AgentSession": {"message", "model", "no_cost_because", "tail", "agent"},
    "ApiToken": {"name"},
    "Attempt": {"message", "requeued_because"},
    "AuditEntry": {"actor_name", "detail", "reason"},
    "Claim": {"task", "attempt", "message", "previous_attempt"},
    "Configuration": {"settings"},
    "Iteration": {"message"},
    "Measurement": {"case"},
    "ModelVersion": {"name", "identifier", "vendor"},
    "Result": {"candidate_problems"},
    "ResultAudit": {"place", "quote", "reason", "auditor_name", "taken_back_by_name", "taken_back_because"},
    "Review": {"detail", "opened_by_name", "closed_by_name", "decision"},
    "Run": {"note"},
    "Submission": {"file_name", "submitter_name", "declared", "problems", "findings"},
    "TaskVerdict": {"because"},
    "UnseenEvaluation": {"message"},
    "UnseenMeasurement": {"message", "baseline_message"},
    "Verification": {"asked_by_name"},
}
# Columns of the evaluator's own words, of digests and names that a pattern checks, or of what only staff writes.
OURS = {
    "AgentSession": {"evaluator", "architecture", "digest", "prompt_digest"},
    "ApiToken": {"digest"},
    "Attempt": {
        *("gate", "reason", "flags", "evaluator", "protocol", "record_digest", "claimed_by", "wanted_evaluator"),
        "work_flops",
    },
    "Calibration": {"figures", "facts"},
    "Claim": {
        *("status", "reason", "claimed", "cases", "files"),
        *("code_quality", "previous_status", "transition", "kinds"),
    },
    "Configuration": {"settings_digest"},
    "DeviceClass": {"title", "partition_mode"},
    "Host": {"calibration", "quarantine_reason", "facts", "agents", "note", "evaluator"},
    "Iteration": {"candidate_digest", "status", "previous_status", "transition", "kinds"},
    "Measurement": {"profile", "clocks"},
    "PublishedRow": {"cells"},
    "PublishedTable": {"title", "citation", "device", "clock", "note", "columns"},
    "Result": {"candidate_digest", "candidate_files", "code_quality"},
    "Round": {"secret", "secret_hash", "generator_version", "tasks_digest"},
    "Run": {"protocol", "bundle_digest", "calibrations"},
    "Submission": {"digest", "idempotency_key", "format", "about", "declared_on"},
    "Suite": {"digest", "title"},
    "Task": {
        *("path", "digest", "source", "name", "description", "editable", "files", "cases", "provenance", "proxies"),
        "work",
    },
    "UnseenEvaluation": {"record_digest", "outcomes"},
    "UnseenMeasurement": {"case", "category", "profile", "origin", "baseline_reason", "reason"},
    "Webhook": {"secret"},
    "WebhookDelivery": {"body", "error"},
}
SCRIPTS = ("/static/", "/admin/jsi18n/")
_numbers = itertools.count()


def test_every_column_of_text_is_known_as_a_strangers_or_as_ours() -> None:
    there = {model.__name__: _columns(model) for model in apps.get_app_config("runs").get_models()}
    known = {name: OUTSIDE.get(name, set()) | OURS.get(name, set()) for name in there}
    assert known == there


def test_what_a_stranger_wrote_is_text_on_every_page(planted: list[str], pages: dict[str, Any]) -> None:
    showing = 0
    for address, response in pages.items():
        content = b"".join(response.streaming_content) if response.streaming else response.content
        assert b"XYZZY" not in content, f"{address} renders a template that a stranger wrote"
        if response["Content-Type"].split(";")[0] in ("text/html", "image/svg+xml", "application/atom+xml"):
            assert faults_of(content.decode()) == [], address
            showing += b"planted-x" in content
        else:
            assert response["X-Content-Type-Options"] == "nosniff", address
    assert showing > 60, "what was planted is hardly seen: the test looks at the wrong pages"


def test_every_column_of_a_strangers_was_planted(planted: list[str]) -> None:
    wanted = {f"{model}.{column}" for model, columns in OUTSIDE.items() for column in columns}
    assert not wanted - set(planted), f"no row has a value there: {sorted(wanted - set(planted))}"


def test_the_test_sees_what_it_looks_for() -> None:
    assert faults_of(f"<p title='{PLANT}'>") != []
    assert faults_of(f"<p>{PLANT}</p>") != []
    assert faults_of("<script>p()</script>") != []
    assert faults_of("<p style='color: red'>") != []


@pytest.fixture(scope="module")
def planted(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: Any) -> Iterator[list[str]]:
    """Which columns were planted, while the site is there."""
    archive, patch, done = tmp_path_factory.mktemp("planted"), pytest.MonkeyPatch(), list[str]()
    bulk_create = QuerySet.bulk_create

    def plant(sender: Any, instance: Any, **_: Any) -> None:
        for column in OUTSIDE.get(type(instance).__name__, ()):
            if value := getattr(instance, column):
                setattr(instance, column, _planted(instance, column, value))
                done.append(f"{type(instance).__name__}.{column}")

    def create_many(self: Any, rows: Any, *args: Any, **values: Any) -> Any:
        rows = list(rows)
        for row in rows:
            plant(None, row)
        return bulk_create(self, rows, *args, **values)

    patch.setattr(QuerySet, "bulk_create", create_many)
    patch.setattr(browser_site, "make_record", _planted_record(browser_site.make_record))
    patch.setattr(browser_site, "BASELINE", f"{PLANT}\n{browser_site.BASELINE}")
    pre_save.connect(plant)
    with django_db_blocker.unblock(), override_settings(ARCHIVE_FOLDER=archive), transaction.atomic():
        yield done
        transaction.set_rollback(True)
    pre_save.disconnect(plant)
    patch.undo()


@pytest.fixture(scope="module")
def pages(planted: list[str]) -> dict[str, Any]:
    """Address → answer: all that is public, pages for submitters and the admin, as an admin sees them."""
    site = browser_site.make_site()
    with guards.lifted():
        more = _make_more()
    found = {address: Client().get(address) for address in {*site.addresses, *public_addresses(site), *more}}
    user = User.objects.create_user("ada", email='"<planted-x>"@example.org', password="a long enough secret")
    set_role(user, Role.ADMIN)
    client, user = Client(), User.objects.get(username="ada")
    client.force_login(user)
    show_second_factor(client, user)
    return found | {address: client.get(address) for address in (*_of_the_desk(user), *_of_the_admin())}


def _make_more() -> list[str]:
    """Rows of which the site shows none with a value; where they are seen."""
    model = factories.make_model_version(vendor="Somebody")
    configuration = factories.make_configuration(model=model, settings={"effort": "high"})
    told = {"state": "published", "note": "by hand", "round": Round.objects.first()}
    run = factories.make_run(configuration=configuration, **told)
    result = run.results.first()
    assert result is not None
    result.candidate_problems = ["kernel2.hip is no file of this task"]
    result.save()
    factories.publish(factories.make_attempt(result=result, status="passed"))
    again = factories.make_attempt(result=result, requeued_because="the worker died")
    ours = {"state": "errored", "message": "It never came back.", "begun_at": factories.NOON}
    UnseenEvaluation.objects.create(attempt=again, round=run.round, **ours)
    unseen = UnseenMeasurement.objects.filter(baseline_correct=False).first()
    assert unseen is not None
    unseen.baseline_message = "One element is wrong."
    unseen.save()
    AgentSession.objects.create(result=result, attempt=again, agent="x", started_at=factories.NOON, message="It ended.")
    problem = {"place": "run.json", "seen": "nothing", "expected": "a file", "hint": "Add it"}
    refused = {"state": "rejected", "problem_count": 1, "problems": [problem]}
    factories.make_submission(submitter=factories.make_user(), **refused)
    claimed = {"claim_count": 1, "is_public": True, "state": "accepted", "format": "KernelBench"}
    submission = factories.make_submission(**claimed)
    Claim.objects.create(submission=submission, task="level1/1", attempt="seed 3", status="passed", is_known=True)
    tokens.make_token(user=factories.make_user(), name="ci")
    return [f"/run/{run.pk}/", f"/result/{result.pk}/", f"/submission/{submission.pk}/", f"/model/{model.slug}/"]


def faults_of(text: str) -> list[str]:
    parser = Looking()
    parser.feed(text)
    return parser.faults


class Looking(HTMLParser):
    """Notes elements and attributes that no template of ours writes."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        source = values.get("src") or ""
        is_data = values.get("type") in ("application/json", "importmap")
        if tag == "planted-x" or (tag == "script" and not source.startswith(SCRIPTS) and not is_data):
            self.faults.append(f"<{tag}>")
        for name, value in attrs:
            is_code = name in ("href", "src", "action", "formaction", "xlink:href") and "javascript:" in (value or "")
            if (
                name.startswith("on")
                or name == "style"
                or (is_code and (value or "").strip().startswith("javascript:"))
            ):
                self.faults.append(f"{name}={value}")


def _columns(model: type[models.Model]) -> set[str]:
    """Of text, but for slugs and addresses, which a pattern checks, and for choices."""
    checked = (models.SlugField, models.URLField)
    return {
        field.name
        for field in model._meta.concrete_fields
        if isinstance(field, models.CharField | models.TextField | models.JSONField)
        and not isinstance(field, checked)
        and not field.choices
    }


def _planted(row: models.Model, column: str, value: Any) -> Any:
    """A text becomes the plant, with a number, since it may have to be the only one."""
    longest = getattr(row._meta.get_field(column), "max_length", None) or 1000
    return _in_all(value, lambda: f"{next(_numbers)}{PLANT}"[:longest])


def _in_all(value: Any, text: Callable[[], str]) -> Any:
    if isinstance(value, dict):
        return {key: _in_all(one, text) for key, one in value.items()}
    if isinstance(value, list):
        return [_in_all(one, text) for one in value]
    return text() if isinstance(value, str) else value


def _planted_record(make_record: Callable[..., Any]) -> Callable[..., Any]:
    def made(**values: Any) -> Any:
        findings = (*values.pop("findings", ()), Finding("source", "planted", PLANT))
        return make_record(**values | {"findings": findings, "log": PLANT})

    return made


def _of_the_desk(user: User) -> Iterator[str]:
    yield from ("/submit/upload/", "/submit/tokens/", "/review/", "/review/fastest/", "/account/", "/account/email/")
    yield from (f"/submission/{pk}/mine/" for pk in Submission.objects.values_list("pk", flat=True))
    asked = {"about": {"asked": ["model", "settings"]}, "submitter": user, "state": "accepted", "claim_count": 1}
    yield f"/submission/{factories.make_submission(**asked).pk}/facts/"
    for result in {audit.result_id for audit in apps.get_model("runs", "ResultAudit").objects.all()}:
        yield f"/review/result/{result}/audit/"
        yield f"/result/{result}/act/rerun/"


def _of_the_admin() -> Iterator[str]:
    for model in admin.site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        yield reverse(f"{name}_changelist")
        for pk in model._default_manager.order_by("-pk").values_list("pk", flat=True)[:2]:
            yield from (reverse(f"{name}_{page}", args=[pk]) for page in ("change", "history"))
