"""The admin: every page renders, and actions do what they announce, only for those who may."""

from __future__ import annotations

import html
import json
import re

import pytest
from django.contrib.admin import site as admin_site
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from runs.models import Agent, Attempt, AuditEntry, Configuration, DeviceClass, Host, Run, Suite, Task
from runs.services import leases, publishing
from runs.services.run_actions import rerun_results
from tests.factories import make_attempt, make_run
from tests.records import make_record
from tests.runs.conftest import Site

pytestmark = pytest.mark.django_db
OURS = [model for model in admin_site._registry if model._meta.app_label == "runs"]


@pytest.fixture
def maintainer(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("maintainer"))
    return client


def client_with(*permissions: str) -> Client:
    user = User.objects.create_user("somebody", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client()
    client.force_login(user)
    return client


def act(client: Client, model: str, action: str, *rows: object, **more: str) -> str:
    """The page that a maintainer sees after an action, confirmed unless told otherwise."""
    chosen = {"action": action, "_selected_action": [row.pk for row in rows]} | {"confirmed": "yes"} | more
    response = client.post(reverse(f"admin:runs_{model}_changelist"), chosen, follow=True)
    return response.content.decode()


def finish(run: Run, site: Site) -> Run:
    for attempt in Attempt.objects.queued().filter(result__run=run):
        lease = leases.lease_attempt(attempt_id=attempt.pk, host=site.host, worker="w")
        assert lease is not None
        leases.record_verdict(lease=lease, record=make_record())
    return run


@pytest.mark.parametrize("model", OURS, ids=lambda model: model._meta.model_name)
def test_every_list_and_every_row_has_a_page(site: Site, maintainer: Client, model: type) -> None:
    run = finish(site.new_run(), site)
    publishing.publish_run(run=run, actor="test")
    name = f"admin:runs_{model._meta.model_name}"
    assert maintainer.get(reverse(f"{name}_changelist")).status_code == 200
    row = model.objects.first()
    if row is not None:
        assert maintainer.get(reverse(f"{name}_change", args=[row.pk])).status_code == 200
    may_add = maintainer.get(reverse(f"{name}_add")).status_code
    assert may_add == (200 if model in (Agent, Configuration, Host, Run, Suite) or "model" in name else may_add)


def test_an_agent_is_registered(maintainer: Client) -> None:
    maintainer.post(reverse("admin:runs_agent_add"), {"slug": "claude-code", "name": "Claude Code", "kind": "external"})
    assert Agent.objects.get(slug="claude-code").name == "Claude Code"


def test_all_invalid_settings_are_reported_at_once(site: Site, maintainer: Client) -> None:
    row = Configuration.objects.get(slug="chat_loop")
    odd = {"base_url": "http://h/v1?key=sk-1", "temperature": "hot", "input_price": -5}
    values = {"slug": row.slug, "agent": row.agent_id, "model": "", "settings": json.dumps(odd), "role": "entry"}
    response = maintainer.post(reverse("admin:runs_configuration_change", args=[row.pk]), values)
    page = html.unescape(response.content.decode())
    assert "own.base_url: seen an address with a user, a query or a fragment" in page
    assert "own.temperature: seen 'hot'; expected a number from 0 to 2" in page
    assert "own.input_price: seen -5" in page
    row.refresh_from_db()
    assert row.settings == {}


def test_a_configuration_that_has_runs_keeps_its_meaning(site: Site, maintainer: Client) -> None:
    site.new_run()
    row = site.configuration
    values = {"slug": row.slug, "agent": row.agent_id, "model": "", "settings": '{"timeout_s": 1}', "role": "entry"}
    response = maintainer.post(reverse("admin:runs_configuration_change", args=[row.pk]), values, follow=True)
    assert "has runs, so its settings, role cannot change" in response.content.decode()
    row.refresh_from_db()
    assert row.settings == {}


def test_what_is_registered_or_changed_by_hand_is_in_the_audit_log(site: Site, maintainer: Client) -> None:
    maintainer.post(reverse("admin:runs_agent_add"), {"slug": "mine", "name": "Mine", "kind": "external"})
    row = Configuration.objects.get(slug="block_tuner")
    values = {"slug": row.slug, "agent": row.agent_id, "model": "", "settings": "{}", "role": row.role}
    page = reverse("admin:runs_configuration_change", args=[row.pk])
    maintainer.post(page, values | {"run_cap_usd": "2.5", "reason": "a larger suite"})
    maintainer.post(page, values | {"run_cap_usd": "2.5", "reason": "nothing else"})
    entries = AuditEntry.objects.filter(action="register").order_by("id")
    assert list(entries.values_list("actor_name", "detail", "reason")) == [
        ("maintainer", "agent Mine: new", ""),
        ("maintainer", f"configuration {row}: run_cap_usd None → 2.5", "a larger suite"),
    ]


def test_a_configuration_under_a_second_name_is_refused_with_the_first(site: Site, maintainer: Client) -> None:
    values = {"slug": "again", "agent": site.configuration.agent_id, "model": "", "settings": "{}", "role": "entry"}
    response = maintainer.post(reverse("admin:runs_configuration_add"), values, follow=True)
    assert "Rewrite with these settings is registered already, as rewrite" in response.content.decode()
    assert 'value="again"' in response.content.decode(), "what was filled in stays"
    assert not Configuration.objects.filter(slug="again").exists()


@pytest.mark.parametrize("settings", ["[1]", '{"timeout_s": NaN}', '{"timeout_s": 1e999}', '"fast"'])
def test_settings_are_a_mapping_of_finite_values(site: Site, maintainer: Client, settings: str) -> None:
    values = {"slug": "odd", "agent": site.configuration.agent_id, "model": "", "settings": settings, "role": "entry"}
    response = maintainer.post(reverse("admin:runs_configuration_add"), values, follow=True)
    assert response.status_code == 200
    assert not Configuration.objects.filter(slug="odd").exists()


def test_a_suite_is_frozen_from_chosen_tasks_and_then_never_edited(site: Site, maintainer: Client) -> None:
    task = Task.objects.get(path="hip2hip/arena/GELU")
    values = {"name": "mine", "title": "My suite", "members": [task.pk]}
    maintainer.post(reverse("admin:runs_suite_add"), values)
    suite = Suite.objects.get(name="mine")
    assert (suite.label, list(suite.tasks.all())) == ("mine@1", [task])
    again = maintainer.post(reverse("admin:runs_suite_add"), values, follow=True).content.decode()
    assert "already has exactly these tasks" in again
    assert 'value="My suite"' in again, "what was filled in stays"
    page = reverse("admin:runs_suite_change", args=[suite.pk])
    assert maintainer.post(page, {"name": "other", "title": ""}).status_code == 403


def test_a_run_is_started_with_the_candidates_of_a_built_in_agent(site: Site, maintainer: Client) -> None:
    values = {"configuration": site.configuration.pk, "suite": site.suite.pk, "device_class": site.device_class.pk}
    maintainer.post(reverse("admin:runs_run_add"), values | {"repeat": 1, "repeats": 1, "note": "by hand"})
    run = Run.objects.get()
    assert (run.repeat, run.note, run.created_by.username) == (1, "by hand", "maintainer")
    assert Attempt.objects.queued().filter(result__run=run).count() == 2
    assert all(run.results.values_list("candidate_digest", flat=True))
    entry = AuditEntry.objects.get(action="start")
    assert (entry.run, entry.actor_name, entry.reason) == (run, "maintainer", "by hand")


def test_runs_are_published_run_again_and_withdrawn_from_the_list(site: Site, maintainer: Client) -> None:
    run = finish(site.new_run(), site)
    assert "1 run published" in act(maintainer, "run", "publish", run, reason="checked")
    assert "2 attempts queued" in act(maintainer, "run", "rerun", run)
    assert "2 attempts cancelled" in act(maintainer, "run", "cancel", run)
    assert "ive a reason: it is public" in act(maintainer, "run", "withdraw", run)
    assert "1 run withdrawn" in act(maintainer, "run", "withdraw", run, reason="wrong device")
    run.refresh_from_db()
    assert run.state == "withdrawn"
    trail = AuditEntry.objects.filter(run=run, result=None).order_by("id")
    assert [(entry.action, entry.actor_name, entry.reason) for entry in trail] == [
        ("publish", "maintainer", "checked"),
        ("withdraw", "maintainer", "wrong device"),
    ]


def test_runs_are_paused_resumed_and_their_failures_run_again_from_the_list(site: Site, maintainer: Client) -> None:
    run = site.new_run()
    assert "1 run paused" in act(maintainer, "run", "pause", run, reason="the host is needed")
    assert "is paused already" in act(maintainer, "run", "pause", run)
    assert "1 run resumed" in act(maintainer, "run", "resume", run)
    finish(run, site)
    assert "0 attempts queued: there was nothing to do" in act(maintainer, "run", "rerun_failed", run)


def test_what_was_made_public_is_taken_back_from_the_list(site: Site, maintainer: Client) -> None:
    run = publishing.publish_run(run=finish(site.new_run(), site), actor="test")
    assert "1 publication or withdrawal taken back" in act(maintainer, "run", "undo", run, reason="too early")
    assert Run.objects.get(pk=run.pk).state == "withdrawn"
    act(maintainer, "run", "undo", run, reason="it was right")
    rerun_results(results=run.results.all(), actor="test")
    act(maintainer, "result", "publish", *finish(run, site).results.all())
    assert "1 publication taken back" in act(maintainer, "result", "undo", run.results.first(), reason="no")
    assert set(run.results.values_list("published_attempt__number", flat=True)) == {1, 2}


def test_a_form_that_is_sent_twice_acts_once(site: Site, maintainer: Client) -> None:
    """The second would take back what the first took back."""
    run = publishing.publish_run(run=finish(site.new_run(), site), actor="test")
    address, chosen = reverse("admin:runs_run_changelist"), {"action": "undo", "_selected_action": [run.pk]}
    shown = maintainer.post(address, chosen).context["newest"]
    assert f'name="newest" value="{shown}"' in maintainer.post(address, chosen).content.decode()
    confirmed = chosen | {"confirmed": "yes", "reason": "too early", "newest": shown}
    pages = [maintainer.post(address, confirmed, follow=True).content.decode() for _ in range(2)]
    assert "1 publication or withdrawal taken back" in pages[0]
    assert f"{run} has changed since you opened this page" in pages[1].lower()
    assert Run.objects.get(pk=run.pk).state == "withdrawn"


@pytest.mark.parametrize("action", ["pause", "cancel", "rerun", "publish", "withdraw", "undo"])
def test_an_action_shows_its_effect_and_does_nothing_until_it_is_confirmed(
    site: Site, maintainer: Client, action: str
) -> None:
    run = finish(site.new_run(), site)
    publishing.publish_run(run=run, actor="test")
    before = (AuditEntry.objects.count(), Attempt.objects.count(), Run.objects.get().state)
    chosen = {"action": action, "_selected_action": [run.pk]}
    response = maintainer.post(reverse("admin:runs_run_changelist"), chosen)
    page, effect = response.content.decode(), response.context["action"].effect
    assert f"<p>{escape(effect)}</p>" in page
    assert f">{run}</a>" in page
    assert ("required>" in page.replace(" autofocus", "")) == (action in ("withdraw", "undo"))
    assert (AuditEntry.objects.count(), Attempt.objects.count(), Run.objects.get().state) == before


def test_a_refused_run_does_not_hold_up_the_others(site: Site, maintainer: Client) -> None:
    done, waiting = finish(site.new_run(), site), site.new_run(repeat=1)
    page = act(maintainer, "run", "publish", waiting, done)
    assert "2 open attempts" in page
    assert "1 run published" in page


def test_one_result_is_run_again_and_published_alone(site: Site, maintainer: Client) -> None:
    run = publishing.publish_run(run=finish(site.new_run(), site), actor="test")
    result = run.results.order_by("pk")[0]
    assert "1 attempt queued" in act(maintainer, "result", "rerun", result)
    assert Attempt.objects.get(result=result, is_latest=True).number == 2
    finish(run, site)
    assert "1 newer attempt published" in act(maintainer, "result", "publish", result)
    result.refresh_from_db()
    assert result.published_attempt.number == 2


def test_a_result_that_cannot_be_run_again_is_refused_in_a_sentence(site: Site, maintainer: Client) -> None:
    first, second = finish(site.new_run(), site).results.order_by("pk")
    Task.objects.filter(pk=first.task_id).update(digest="a" * 64)
    page = act(maintainer, "result", "rerun", first, second)
    assert "the row is of aaaa" in page
    assert "1 attempt queued" in page


@pytest.mark.parametrize(
    ("permission", "allowed"),
    [
        ("view_run", set()),
        ("rerun_run", {"pause", "resume", "rerun", "rerun_failed", "cancel"}),
        ("publish_run", {"publish", "withdraw", "undo"}),
    ],
)
def test_actions_are_offered_and_done_only_for_those_who_may(site: Site, permission: str, allowed: set[str]) -> None:
    run, client = finish(site.new_run(), site), client_with("view_run", permission)
    page = client.get(reverse("admin:runs_run_changelist")).content.decode()
    names = ("pause", "resume", "rerun", "rerun_failed", "cancel", "publish", "withdraw", "undo")
    offered = {name for name in names if f'value="{name}"' in page}
    assert offered == allowed
    for action in {"rerun", "publish"} - allowed:
        act(client, "run", action, run)
    run.refresh_from_db()
    assert run.state == "draft"
    assert Attempt.objects.filter(result__run=run).count() == 2


def test_nothing_is_deleted_here(maintainer: Client) -> None:
    attempt = make_attempt(result=make_run().results.first(), status="passed")
    for row in (attempt, attempt.result, attempt.result.run, attempt.result.run.configuration):
        page = reverse(f"admin:runs_{row._meta.model_name}_delete", args=[row.pk])
        assert maintainer.post(page, {"post": "yes"}).status_code == 403
        assert type(row).objects.filter(pk=row.pk).exists()


def test_the_admin_asks_for_a_password(client: Client) -> None:
    response = client.get("/admin/runs/run/")
    assert response.status_code == 302
    assert response["Location"].startswith("/admin/login/")


def test_the_admin_shows_dates_like_every_page_and_its_button_starts_runs(site: Site, maintainer: Client) -> None:
    page = maintainer.get(reverse("admin:runs_run_change", args=[make_run(status="passed").pk])).content.decode()
    assert re.search(r"\d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d UTC", page)
    assert 'value="Start the runs"' in maintainer.get(reverse("admin:runs_run_add")).content.decode()


@pytest.mark.parametrize("slug", ["cpu-x86_64", "mi300x-spx"])
def test_a_run_without_a_host_comes_with_a_warning(site: Site, maintainer: Client, slug: str) -> None:
    device = DeviceClass.objects.get(slug=slug)
    values = {"configuration": site.configuration.pk, "suite": site.suite.pk, "device_class": device.pk, "repeat": 0}
    told = maintainer.post(reverse("admin:runs_run_add"), values | {"repeats": 2}, follow=True).content.decode()
    assert "1 more run was created: run" in told
    assert ("No host of mi300x-spx takes work now" in told) == (slug == "mi300x-spx")


def test_nobody_can_edit_what_a_worker_reports_of_its_host(site: Site, maintainer: Client) -> None:
    page = maintainer.get(reverse("admin:runs_host_change", args=[site.host.pk])).content.decode()
    assert 'name="note"' in page
    assert 'name="evaluator"' not in page
