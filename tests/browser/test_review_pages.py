"""Pages of submissions and reviews in Chromium, as an admin sees them."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import expect

from evaluator.records.record import PROTOCOL
from runs.models import Result, Submission
from runs.people.rights import Role
from runs.people.roles import set_role
from tests import factories
from tests.browser.submission_site import make_submission_places

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
PROBLEM = {
    "place": "records/hip2hip--arena--GELU.json: protocol",
    "seen": "'arena-9'",
    "expected": f"'{PROTOCOL}', as run.json says",
    "hint": "",
}


@pytest.fixture
def user() -> User:
    return User.objects.create_superuser("sam", password="a long enough secret")


@pytest.fixture
def addresses(user) -> list[str]:
    """Return addresses of these pages, with a submission of each kind."""
    make_submission_places()
    factories.make_host(name="local")
    published = Submission.objects.get(run__isnull=False)
    published.submitter = user
    published.save()
    refused = {"state": "rejected", "problem_count": 2, "problems": [PROBLEM, PROBLEM | {"hint": "Remove it"}]}
    rejected = factories.make_submission(submitter=user, **refused)
    run = factories.make_run(status="passed", origin="imported", bundle_digest="c" * 64)
    factories.make_submission(run=run, submitter=user)
    result = Result.objects.filter(audits__isnull=True).first()
    assert result is not None
    asked = {"about": {"asked": ["model", "settings", "output_tokens", "level"]}, "claim_count": 3}
    lacking = factories.make_submission(submitter=user, state="accepted", **asked)
    return [
        *(f"/submission/{lacking.pk}/facts/", f"/submission/{lacking.pk}/mine/", f"/submission/{rejected.pk}/facts/"),
        *("/submit/upload/", "/submit/tokens/", "/review/", f"/review/result/{result.pk}/audit/"),
        *(f"/submission/{published.pk}/mine/", f"/submission/{rejected.pk}/mine/"),
        *(f"/result/{result.pk}/", f"/run/{result.run_id}/", "/review/fastest/"),
        *(f"/run/{run.pk}/act/publish/", f"/submission/{run.submission.pk}/act/verify/"),
    ]


def test_every_page_of_submissions_is_clean_in_both_schemes_wide_and_narrow(addresses, user, visit) -> None:
    client = Client()
    client.force_login(user)
    visitor = visit()
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": visitor.base}
    visitor.page.context.add_cookies([cookie])
    for address in addresses:
        visitor.go(address)
        visitor.judge(address)
    page = visitor.go("/admin/runs/run/")
    page.locator("input.action-select").first.check()
    page.locator("select[name=action]").select_option("withdraw")
    page.get_by_role("button", name="Go", exact=True).click()
    expect(page.locator("#reason")).to_be_focused()
    visitor.page.set_viewport_size({"width": 320, "height": 900})
    assert visitor.overflow() <= 0, "the confirmation of an action"


def test_logging_in_leads_to_where_one_wanted_to_go(visit) -> None:
    set_role(User.objects.create_user("sam", password="a long enough secret"), Role.SUBMITTER)
    page = visit(javascript=False).go("/submit/")
    page.get_by_role("link", name="Submit a bundle").click()
    page.get_by_label("Username").fill("sam")
    page.get_by_label("Password").fill("a long enough secret")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Submit a bundle")
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
