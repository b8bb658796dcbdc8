"""Redirects, host names, forms of other sites, fields nobody offered, paths that leave their folder, files as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from runs.models import ApiToken, Submission
from runs.people.rights import Role
from runs.people.roles import role_of
from runs.services.tokens import make_token
from tests import factories
from tests.accounts import SECRET, make_second_factor
from tests.people.conftest import PASSWORD, code_of, log_in
from tests.people.test_accounts import NEW
from tests.runs.bundling import make_zip
from tests.runs.conftest import Site, site, specs  # noqa: F401  fixtures

pytestmark = pytest.mark.django_db
ELSEWHERE = (
    *("https://evil.example/", "//evil.example/", "///evil.example", "/\\evil.example/", "\\\\evil.example"),
    *("https:evil", "javascript:alert(1)", "http:///evil.example", " //evil.example", "\t//evil.example"),
    "https://localhost@evil.example/",
)  # fmt: skip
LEAVING = (
    *("../manage.py", "../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd", "/etc/passwd"),
    *("....//....//etc/passwd", "..\\..\\etc\\passwd", "kernel.hip%00.txt", "~root/.ssh/id_rsa"),
    *("%252e%252e/etc/passwd", "file:///etc/passwd", "a" * 3000),
)  # fmt: skip


def is_here(location: str) -> bool:
    """A path of this site, as browsers read it: they take a backslash for a slash and skip blanks."""
    return location.startswith("/") and not location.lstrip().replace("\\", "/").startswith("//")


@pytest.mark.parametrize("target", ELSEWHERE)
def test_no_address_of_the_accounts_leads_to_another_site(person: Any, target: str) -> None:
    make_second_factor(person("sam", Role.MAINTAINER))
    person("tom", Role.SUBMITTER)
    staff, client = Client(), Client()
    assert is_here(log_in(staff, "sam", next=target)["Location"])
    answers = [
        staff.post("/account/second-factor/code/", {"code": code_of(SECRET), "next": target}),
        log_in(client, "tom", next=target),
        client.get("/login/", {"next": target}),
        client.get("/admin/login/", {"next": target}),
        staff.get("/admin/login/", {"next": target}),
        Client().get("/admin/login/", {"next": target}),
        client.post(f"/account/again/?next={target}", {"password": PASSWORD}),
        client.post("/logout/", {"next": target}),
        Client().post("/account/sign-up/", NEW | {"next": target}),
    ]
    places = [answer["Location"] for answer in answers if answer.status_code == 302]
    assert len(places) >= 6
    assert [place for place in places if not is_here(place)] == []
    assert [place for place in places if place.startswith("/evil")] == []


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "localhost:80@evil.example", "", "a b"])
@pytest.mark.parametrize("address", ["/", "/login/", "/account/reset/", "/api/v1/runs/", "/admin/", "/healthz"])
def test_a_request_for_another_host_is_refused(client: Client, host: str, address: str) -> None:
    assert client.get(address, headers={"host": host}).status_code == 400


def test_a_forwarded_host_is_not_believed_and_mails_name_the_site_by_its_setting(
    client: Client, mailing: None, person: Any
) -> None:
    user = person("sam", email="sam@example.org")
    lies = {"x-forwarded-host": "evil.example", "x-forwarded-server": "evil.example", "forwarded": "host=evil.example"}
    client.post("/account/reset/", {"email": user.email}, headers=lies)
    client.post("/account/sign-up/", NEW, headers=lies)
    for message in mail.outbox:
        assert "evil" not in message.body + message.subject
        assert "https://board.example/account/" in message.body
        assert "testserver" not in message.body
    assert len(mail.outbox) == 2


def test_a_form_of_another_site_is_refused_wherever_something_can_be_written(person: Any) -> None:
    """All of them in one: each as an admin, with a session and without the token."""
    run = factories.make_run(status="passed", state="published")
    ada = person("ada", Role.ADMIN)
    submission = factories.make_submission(run=run, submitter=ada)
    client = Client(enforce_csrf_checks=True)
    client.force_login(ada)
    for address in (
        *("/login/", "/logout/", "/account/sign-up/", "/account/password/", "/account/email/", "/account/reset/"),
        *("/account/again/", "/account/second-factor/app/", "/account/second-factor/remove/", "/account/recovery/new/"),
        *("/submit/upload/", "/submit/tokens/", "/submit/tokens/1/revoke/", f"/submission/{submission.pk}/take-down/"),
        f"/submission/{submission.pk}/facts/",
        *(f"/submission/{submission.pk}/act/verify/", f"/run/{run.pk}/act/withdraw/"),
        f"/result/{run.results.first().pk}/act/rerun/",
        *("/review/1/decide/", f"/review/result/{run.results.first().pk}/audit/", "/audit/1/reply/"),
        *("/admin/runs/run/", "/admin/runs/host/add/", "/admin/auth/user/add/", "/admin/logout/"),
    ):
        assert client.post(address, {"text": "x"}).status_code == 403, address
    assert client.get("/account/").status_code == 200


def test_the_api_for_submissions_ignores_cookies_and_so_needs_no_csrf_token(person: Any) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(person("sam", Role.SUBMITTER))
    assert client.post("/api/v1/submissions/", {"licence": "MIT", "consent": "on"}).status_code == 401


class Failing:
    """A body that cannot be read."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def read(self, size: int = -1) -> bytes:
        raise self.error

    readline = read


def send_large_file(client: Client, address: str, **more: Any) -> int:
    form = {"CONTENT_TYPE": "multipart/form-data; boundary=x", "CONTENT_LENGTH": str(100 << 20)}
    return client.post(
        address, **form, **{"wsgi.input": Failing(AssertionError("the body was read"))}, **more
    ).status_code


@pytest.mark.parametrize("role", [None, Role.VISITOR, Role.SUBMITTER])
def test_no_byte_of_a_large_file_is_read_before_it_is_known_that_its_sender_may_submit(
    person: Any, role: Role | None
) -> None:
    client = Client(enforce_csrf_checks=True)
    if role:
        client.force_login(person("sam", role))
    assert send_large_file(client, "/api/v1/submissions/") == 401
    assert send_large_file(client, "/api/v1/submissions/", HTTP_AUTHORIZATION="Bearer no-token") == 401
    for address in ("/", "/login/", "/admin/login/", "/account/sign-up/", "/submit/tokens/", "/submission/1/facts/"):
        assert send_large_file(client, address) in (400, 403, 405), address
    if role is not Role.SUBMITTER:
        assert send_large_file(client, "/submit/upload/") == (403 if role else 302)
        assert send_large_file(client, "/review/result/1/audit/") == (403 if role else 302)


def test_a_view_without_files_keeps_none_and_reads_the_rest_of_the_form(client: Client, person: Any) -> None:
    person("sam", Role.SUBMITTER)
    file = SimpleUploadedFile("large.bin", b"x" * 100_000)
    answer = client.post("/login/", {"login": "sam", "password": PASSWORD, "file": file})
    assert (answer.status_code, answer.wsgi_request.FILES) == (302, {})


def test_a_submission_that_ends_early_is_refused_and_nothing_of_it_is_kept(person: Any) -> None:
    _, token = make_token(user=person("sam", Role.SUBMITTER), name="ci")

    answer = Client().post(
        "/api/v1/submissions/",
        CONTENT_TYPE="multipart/form-data; boundary=x",
        CONTENT_LENGTH="1000",
        HTTP_AUTHORIZATION=f"Bearer {token}",
        **{"wsgi.input": Failing(ConnectionAbortedError())},
    )
    assert (answer.status_code, "ended early" in answer.json()["detail"]) == (400, True)
    assert not Submission.objects.exists()


def test_who_signs_up_gets_no_right_by_asking(client: Client) -> None:
    asked = {"is_staff": "on", "is_superuser": "on", "is_active": "on", "role": "admin", "groups": "1", "id": "1"}
    client.post("/account/sign-up/", NEW | asked)
    user = User.objects.get(username="newcomer")
    assert (user.is_staff, user.is_superuser, role_of(user)) == (False, False, Role.VISITOR)
    assert user.get_all_permissions() == set()


def test_a_form_takes_the_fields_it_shows_and_no_others(
    site: Site,  # noqa: F811
    person: Any,
    tmp_path: Path,
) -> None:
    sam, other = person("sam", Role.SUBMITTER), person("tom", Role.SUBMITTER)
    client = Client()
    log_in(client, "sam")
    path = make_zip(tmp_path / "run", site.suite)
    asked = {"submitter": other.pk, "state": "accepted", "is_public": "on", "outcome": "verified", "run": 1, "user": 1}
    fields = {"licence": "MIT", "consent": "on", "bundle": SimpleUploadedFile("../../run.zip", path.read_bytes())}
    client.post("/submit/upload/", fields | asked)
    submission = Submission.objects.get()
    assert (submission.submitter, submission.state, submission.is_public, submission.outcome) == (
        *(sam, "received"),
        *(False, ""),
    )
    assert submission.file_name == "run.zip"
    assert set(submission.declared) <= {"agent", "model"}
    made = {"name": "ci", "days": "1", "user": other.pk, "digest": "0" * 64, "expires_at": "2099-01-01"}
    client.post("/submit/tokens/", made | {"scope": "admin"})
    assert not ApiToken.objects.exists()
    client.post("/submit/tokens/", made | {"scope": "submit"})
    token = ApiToken.objects.get()
    assert (token.user, token.scope) == (sam, "submit")
    assert (token.expires_at - token.created_at).days <= 1
    assert token.digest != "0" * 64


@pytest.mark.parametrize("path", LEAVING)
def test_no_path_leaves_its_folder(client: Client, path: str, settings: Any, tmp_path: Path) -> None:
    settings.DUMP_FOLDER = tmp_path
    result = factories.make_run(status="passed", state="published").results.first()
    for address in (
        f"/result/{result.pk}/candidate/{path}",
        f"/task/{result.task.path}/source/{path}",
        f"/dump/{path}",
        f"/static/{path}",
        f"/agent/{path}/",
        f"/api/v1/board/{path}/all/cpu-x86_64/",
    ):
        response = client.get(address)
        assert response.status_code in (301, 404), address
        assert b"root:" not in (response.content if not response.streaming else b"".join(response.streaming_content))


def test_what_strangers_wrote_comes_as_a_file_that_no_browser_shows(client: Client, tmp_path: Path) -> None:
    from runs import archive
    from tests.records import make_record

    run = factories.make_run(state="published")
    result = run.results.first()
    result.candidate_files = {'a/"k"; x=.html': archive.put(b"<script>alert(1)</script>")}
    result.save()
    attempt = factories.make_recorded_attempt(result=result, record=make_record(log="<script>alert(1)</script>"))
    factories.publish(attempt)
    [name] = result.candidate_files
    addresses = [
        f"/result/{result.pk}/candidate/{quote(name)}",
        f"/result/{result.pk}/attempt/{attempt.number}/log.txt",
        f"/result/{result.pk}/attempt/{attempt.number}/record.json",
        f"/run/{run.pk}/records.zip",
    ]
    for address in addresses:
        response = client.get(address)
        assert response.status_code == 200, address
        assert response["Content-Disposition"].startswith("attachment"), address
        assert response["X-Content-Type-Options"] == "nosniff"
        assert "text/html" not in response["Content-Type"]
        assert "default-src 'none'" in response["Content-Security-Policy"]
        assert not response.cookies


def test_what_a_form_says_back_is_text(person: Any) -> None:
    """Answers to forms are shown at once, also where nothing was stored."""
    client = Client()
    planted = '"><planted-x>{{ 7|add:7000 }}'
    assert b"<planted-x" not in log_in(client, planted, planted, next=planted).content
    assert b"<planted-x" not in client.post("/account/sign-up/", dict.fromkeys(NEW, planted)).content
    client.force_login(person("ada", Role.ADMIN))
    for address, fields in {
        "/submit/upload/": {"agent": planted, "started_at": planted, "licence": planted, "output_tokens": planted},
        "/submit/tokens/": {"name": planted, "days": planted},
        "/account/password/": {"oldpassword": planted, "password1": planted, "password2": planted},
        "/account/email/": {"action_add": "", "email": planted},
        "/admin/runs/agent/add/": {"slug": planted, "name": planted, "url": planted},
        "/admin/runs/run/": {"action": planted, "reason": planted},
    }.items():
        content = client.post(address, fields, follow=True).content
        assert b"<planted-x" not in content, address
        assert b"7007" not in content, address


@pytest.mark.parametrize("address", ["/account/", "/submit/tokens/", "/account/second-factor/", "/admin/"])
def test_what_only_one_may_see_is_cached_nowhere(person: Any, address: str) -> None:
    client = Client()
    client.force_login(person("ada", Role.ADMIN))
    response = client.get(address)
    assert response.status_code == 200
    if address != "/account/second-factor/":
        assert "no-store" in response["Cache-Control"]
    assert "Cookie" in response["Vary"]


def test_cookies_are_for_this_site_and_no_script(person: Any, settings: Any) -> None:
    client = Client()
    person("sam")
    log_in(client, "sam")
    cookie = client.cookies["sessionid"]
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (True, "Lax", 7 * 86_400)
    assert client.session.get_expire_at_browser_close() is False
