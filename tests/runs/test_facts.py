"""Facts that a bundle lacks are added later: once, by its submitter, marked, and never over what was read."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from runs.errors import RunError
from runs.loading import bundles as intake
from runs.models import Review, Run, Submission
from runs.services import publishing, submissions, tokens
from runs.services.facts import addable_facts, declare
from runs.submissions.forms import DeclaredFactsForm
from tests import factories
from tests.bundles import made
from tests.runs.bundling import make_zip
from tests.runs.conftest import Site, checked, submitted

pytestmark = pytest.mark.django_db
TODAY = datetime.now(UTC).date
NO_FACTS = (
    (b"[]", 400),
    (b"null", 413),
    (b"{}", 400),
    (b'{"model": ""}', 400),
    (b'{"model": null}', 400),
    (b'{"model": true}', 400),
    (b'{"model": ["m"]}', 400),
    (b'{"model": "m", "model": "n"}', 400),
    (b'{"model": "m", "state": "closed"}', 400),
    (b'{"model": "m", "run": 1}', 400),
    (b'{"\\ud800": "m"}', 400),
    (b'{"model": "\\ud800"}', 400),
    (b'{"model": "a\\u0000b"}', 400),
    (b'{"model": "a\\nb"}', 400),
    (b'{"model": "\\u001b[2J"}', 400),
    (b'{"model": "1-m \\u202egpt"}', 400),
    (b'{"settings": "' + b"x" * 201 + b'"}', 400),
    (b'{"model": "' + b"x" * 101 + b'"}', 400),
    (b'{"output_tokens": -1}', 400),
    (b'{"output_tokens": 1e999}', 400),
    (b'{"output_tokens": ' + b"9" * 5000 + b"}", 400),
    (b'{"cost_usd": NaN}', 400),
    (b'{"level": "9"}', 409),
    (b"\xff\xfe{\0}\0", 400),
    (b"[" * 5000, 400),
    (b'{"model": "' + b"x" * (17 << 10) + b'"}', 413),
    (b" " * (3 << 20), 413),
    (b"", 415),
)


@pytest.fixture
def sam() -> User:
    return somebody("sam", "submit_bundle")


def somebody(name: str, *permissions: str, **values: Any) -> User:
    user = User.objects.create_user(name, **values)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    return user


@pytest.fixture
def native(site: Site, sam: User, tmp_path: Path) -> Submission:
    """An accepted run whose submitter named nothing but the agent."""
    return checked(submitted(make_zip(tmp_path / "run", site.suite), sam, declared={"agent": "Sam's agent"}))


@pytest.fixture
def kernelbench(sam: User, tmp_path: Path) -> Submission:
    """Accepted claims of a level that nobody said, so that all of them are in quarantine."""
    path = tmp_path / "eval_results.json"
    path.write_bytes(made.kb(declared="")["eval_results.json"])
    return checked(submitted(path, sam, declared={"agent": "A", "device": "H100"}))


def logged_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def patch(user: User, submission: Submission, body: Any, scope: str = "submit") -> Any:
    _, token = tokens.make_token(user=user, name="ci", scope=scope)
    data = body if isinstance(body, bytes) else json.dumps(body)
    address, headers = f"/api/v1/submissions/{submission.pk}/", {"Authorization": f"Bearer {token}"}
    return Client().patch(address, data, "application/json", headers=headers)


def test_the_form_adds_missing_facts_with_their_day_to_page_audit_log_and_data(native: Submission, sam: User) -> None:
    client, address = logged_in(sam), f"/submission/{native.pk}/facts/"
    assert address.encode() in client.get(f"/submission/{native.pk}/mine/").content
    asked = set(client.get(address).context["form"].fields)
    assert {"model", "settings", "output_tokens"} <= asked
    assert not {"agent", "licence", "device"} & asked  # the device stands in its records
    response = client.post(address, {"cost_usd": "3.5", "output_tokens": "1200"})
    assert response["Location"] == f"/submission/{native.pk}/mine/"
    native.refresh_from_db()
    day = TODAY().isoformat()
    assert native.declared == {"agent": "Sam's agent", "cost_usd": "3.5", "output_tokens": "1200"}
    assert native.declared_on == {"cost_usd": day, "output_tokens": day}
    entry = native.audit_entries.get(action="declare")
    assert (entry.actor, entry.reason) == (sam, "output tokens: 1200; cost in USD: 3.5")
    assert native.state == "accepted"
    page = client.get(f"/submission/{native.pk}/mine/").content.decode()
    assert f"3.5 <small>self-declared on {TODAY():%-d %b %Y}</small>" in page
    assert "Sam&#x27;s agent <small>self-declared</small>" in page
    assert native.run is not None
    publishing.publish_run(run=native.run, actor="test")
    told = Client().get(f"/submission/{native.pk}/").content.decode()
    assert f"3.5 (self-declared on {TODAY():%-d %b %Y})" in told
    public = Client().get(f"/api/v1/submission/{native.pk}/").json()
    assert public["declared_on"] == native.declared_on
    assert public["declared"]["cost_usd"] == "3.5"
    assert not {"cost_usd", "output_tokens"} & set(public["undeclared"])


def test_a_fact_that_was_declared_or_read_cannot_be_added_again(
    native: Submission, sam: User, kernelbench: Submission
) -> None:
    declare(submission=native, facts={"cost_usd": "3.5"}, actor=sam)
    for facts in ({"cost_usd": "1"}, {"agent": "Another"}, {"licence": "CC0-1.0"}, {"state": "closed"}):
        with pytest.raises(RunError, match="cannot be added any more"):
            declare(submission=native, facts={"model": "m", **facts}, actor=sam)
    with pytest.raises(RunError, match="device"):
        declare(submission=kernelbench, facts={"device": "MI300X"}, actor=sam)
    native.refresh_from_db()
    assert native.declared == {"agent": "Sam's agent", "cost_usd": "3.5"}
    asked = {"cost_usd": "1", "agent": "B", "state": "closed", "run": "1", "submitter": "2"}
    form = logged_in(sam).post(f"/submission/{native.pk}/facts/", asked)
    assert form.context["form"].non_field_errors() == ["Fill in at least one field."]
    native.refresh_from_db()
    assert native.declared == {"agent": "Sam's agent", "cost_usd": "3.5"}
    assert (native.state, native.submitter) == ("accepted", sam)


def test_only_the_submitter_adds_facts_whatever_rights_others_have(native: Submission) -> None:
    address = f"/submission/{native.pk}/facts/"
    tom, mia = somebody("tom", "submit_bundle"), somebody("mia", "submit_bundle", "review_submission")
    for user in (tom, mia, somebody("ada", is_superuser=True, is_staff=True)):
        client = logged_in(user)
        for response in (client.get(address), client.post(address, {"versions": "x"})):
            assert response.status_code == 403, user
        assert patch(user, native, {"versions": "x"}).status_code == 404
    assert b"Add the missing facts" not in logged_in(mia).get(f"/submission/{native.pk}/mine/").content
    native.refresh_from_db()
    assert native.declared_on == {}


@pytest.mark.parametrize("state", ["rejected", "verifying", "closed"])
def test_it_is_too_late_once_it_is_decided(native: Submission, sam: User, state: str) -> None:
    changes: dict[str, Any] = {"state": state, "outcome": "unverified" if state == "closed" else ""}
    if state == "rejected":
        changes |= {"run": None, "problem_count": 1}
    Submission.objects.filter(pk=native.pk).update(**changes)
    native.refresh_from_db()
    with pytest.raises(RunError, match="cannot be added any more"):
        declare(submission=native, facts={"model": "m-2"}, actor=sam)
    page = logged_in(sam).get(f"/submission/{native.pk}/facts/").content
    assert b"Nothing can be added" in page
    assert b'<button type="submit">Add' not in page
    assert patch(sam, native, {"model": "m-2"}).status_code == 409


def test_a_model_moves_the_draft_to_its_own_configuration_and_a_public_run_nowhere(
    native: Submission, sam: User
) -> None:
    run = native.run
    assert run is not None
    before = run.configuration
    declare(submission=native, facts={"model": "m-2", "agent_version": "1.4"}, actor=sam)
    run.refresh_from_db()
    assert run.configuration.model is not None
    assert (run.configuration.agent, run.configuration.model.identifier) == (before.agent, "m-2")
    assert run.configuration.settings == {"agent_version": "1.4"}
    publishing.publish_run(run=run, actor="test")
    native = Submission.objects.get(pk=native.pk)
    assert not {"settings", "model"} & set(addable_facts(native))
    with pytest.raises(RunError, match="settings"):
        declare(submission=native, facts={"settings": "effort high"}, actor=sam)
    declare(submission=native, facts={"cost_usd": "3.5"}, actor=sam)
    assert Run.objects.get(pk=run.pk).configuration == run.configuration


def test_a_fact_added_before_the_check_counts_as_if_submitted_with_the_bundle(
    site: Site, sam: User, tmp_path: Path
) -> None:
    submission = submitted(make_zip(tmp_path / "run", site.suite), sam, declared={"agent": "Sam's agent"})
    declare(submission=submission, facts={"model": "m-1"}, actor=sam)
    submission = checked(submission)
    assert submission.run is not None
    assert submission.run.configuration.model is not None
    assert submission.run.configuration.model.identifier == "m-1"


def test_a_fact_added_during_the_check_queues_another_check(site: Site, sam: User, tmp_path: Path) -> None:
    submission = submitted(make_zip(tmp_path / "run", site.suite), sam, declared={"agent": "Sam's agent"})
    reading = submissions.lease_check(submission_id=submission.pk)
    assert reading is not None
    declare(submission=submission, facts={"model": "m-1"}, actor=sam)
    intake._check(reading)
    submission.refresh_from_db()
    assert (submission.state, submission.run, Run.objects.count()) == ("received", None, 0)
    submission = checked(submission)
    assert submission.run is not None
    assert str(submission.run.configuration.model) == "m-1"


def test_a_level_has_the_claims_read_again_and_public_ones_never(kernelbench: Submission, sam: User) -> None:
    assert not kernelbench.claims.get().is_known
    factories.make_agent(name="А")  # Cyrillic: a question that must not be asked twice
    declare(submission=kernelbench, facts={"level": "1"}, actor=sam)
    kernelbench.refresh_from_db()
    assert (kernelbench.state, kernelbench.claim_count) == ("received", 0)
    assert "device" not in addable_facts(kernelbench), "it was read before"
    kernelbench = checked(kernelbench)
    assert (kernelbench.state, kernelbench.claims.get().is_known) == ("accepted", True)
    assert kernelbench.declared_on == {"level": TODAY().isoformat()}


def test_the_model_decides_whose_rows_of_a_leaderboard_count(sam: User, tmp_path: Path) -> None:
    rows = [made.kb_ranked_row(name) for name in ("robot-1", "robot-2")]
    path = tmp_path / "data.json"
    path.write_bytes(made.kb_ranked(*rows)["assets/data.json"])
    board = checked(submitted(path, sam, declared={"agent": "A"}))
    assert not board.claims.filter(is_known=True)
    declare(submission=board, facts={"model": "robot-2"}, actor=sam)
    board = checked(board)
    assert board.claims.get(is_known=True).attempt == "robot-2"
    submissions.publish_claims(submission=board, actor=sam)
    board.refresh_from_db()
    assert "model" not in addable_facts(board)


def test_the_level_of_public_claims_cannot_be_added(kernelbench: Submission, sam: User) -> None:
    submissions.publish_claims(submission=kernelbench, actor=sam)
    kernelbench.refresh_from_db()
    assert "level" not in addable_facts(kernelbench)
    assert "model" in addable_facts(kernelbench)


def test_a_bundle_that_is_read_again_raises_no_question_twice(kernelbench: Submission, sam: User) -> None:
    factories.make_agent(name="Ａ")  # wide
    Submission.objects.filter(pk=kernelbench.pk).update(state="rejected", claim_count=0, problem_count=1)
    submissions.check_again(submission=kernelbench, actor="test")
    kernelbench.claims.all().delete()
    kernelbench = checked(kernelbench)
    assert Review.objects.filter(submission=kernelbench).count() == 1
    declare(submission=kernelbench, facts={"level": "1"}, actor=sam)
    checked(kernelbench)
    assert Review.objects.filter(submission=kernelbench).count() == 1


def test_a_program_adds_facts_with_its_token(native: Submission, sam: User) -> None:
    answer = patch(sam, native, {"cost_usd": 3.5, "output_tokens": 1200})
    assert answer.status_code == 200, answer.json()
    told = answer.json()
    assert (told["declared"]["output_tokens"], told["declared_on"]["cost_usd"]) == ("1200", TODAY().isoformat())
    assert "model" in told["undeclared"]
    again = patch(sam, native, {"cost_usd": 1})
    assert (again.status_code, again["Content-Type"]) == (409, "application/problem+json")
    assert patch(sam, native, {"model": "m"}, scope="read").status_code == 403


def test_what_is_no_fact_is_refused_in_words_and_nothing_changes(native: Submission, sam: User) -> None:
    _, token = tokens.make_token(user=sam, name="ci")
    headers, address = {"Authorization": f"Bearer {token}"}, f"/api/v1/submissions/{native.pk}/"
    for body, status in NO_FACTS:
        answer = Client().patch(address, body, "application/json", headers=headers)
        assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json"), body[:80]
    native.refresh_from_db()
    assert (native.declared, native.declared_on) == ({"agent": "Sam's agent"}, {})


def test_a_run_has_not_begun_in_the_future() -> None:
    form = DeclaredFactsForm({"started_at": "2099-01-01"})
    assert form.errors["started_at"] == ["Enter a day that is not in the future."]
    assert DeclaredFactsForm({"started_at": "2026-11-28"}).is_valid()


def test_other_ways_in_are_closed(native: Submission, sam: User) -> None:
    client, address = logged_in(sam), f"/api/v1/submissions/{native.pk}/"
    assert client.patch(address, b'{"model": "m"}', "application/json").status_code == 401, "a session is no token"
    _, token = tokens.make_token(user=sam, name="ci")
    headers = {"Authorization": f"Bearer {token}"}
    assert client.patch(address, b"model=m", "application/x-www-form-urlencoded", headers=headers).status_code == 415
    for method in ("post", "put", "delete"):
        refused = getattr(client, method)(address, headers=headers)
        assert (refused.status_code, refused.json()["detail"]) == (405, "Allowed here: GET, PATCH.")


@pytest.mark.parametrize("declared", [{"agent": "x" * 150}, {"agent": "A", "model": "m" * 150}])
def test_a_name_that_no_row_holds_is_a_problem_of_the_bundle_and_no_fault_of_ours(
    site: Site, sam: User, tmp_path: Path, declared: dict[str, str]
) -> None:
    submission = checked(submitted(make_zip(tmp_path / "run", site.suite), sam, declared=declared))
    assert submission.state == "rejected"
    assert "at most 100 characters" in submission.problems[0]["seen"]


def test_names_of_full_length_have_a_configuration(site: Site, sam: User, tmp_path: Path) -> None:
    said = {"agent": "a" * 100, "model": "m" * 100, "agent_version": "v" * 200, "settings": "s" * 200}
    for number in range(2):
        path = make_zip(tmp_path / f"run{number}", site.suite, repeat=number)
        submission = checked(submitted(path, sam, declared=said | {"settings": str(number) * 200}))
        assert submission.state == "accepted", submission.problems
