"""The feed has each change of the leaderboards once, and nothing that is not public."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from runs.models import AuditEntry, Result
from runs.services.publishing import publish_results, publish_run, withdraw_run
from runs.services.rounds import reveal_round
from tests import factories

ATOM = "{http://www.w3.org/2005/Atom}"


def entries(client, address: str = "/feed.atom") -> list[dict[str, str]]:
    answer = client.get(address)
    assert answer["Content-Type"].startswith("application/atom+xml")
    root = ElementTree.fromstring(answer.content)
    return [
        {part.tag.removeprefix(ATOM): part.get("href") or part.text or "" for part in entry}
        for entry in root.iter(f"{ATOM}entry")
    ]


def test_publish_replace_withdraw_and_reveal_are_listed_newest_first(suite, entry, client) -> None:
    run = factories.make_run(suite=suite, status="passed", configuration=entry("Tuner <1>"))
    publish_run(run=run, actor="test")
    result = run.results.first()
    factories.make_attempt(result=result, status="wrong_output")
    publish_results(results=Result.objects.filter(pk=result.pk), actor="test", reason="the host was noisy")
    reveal_round(round=factories.make_round(suite=suite, revealed_at=None), actor="test")
    withdraw_run(run=run, actor="test", reason="contaminated")
    withdrawn, revealed, replaced, published = entries(client)
    assert published["title"] == "Published: Tuner <1> (smoke@1, x86-64 CPU)"
    assert replaced["title"] == f"Published: Tuner <1>, another result for {result.task.path} (smoke@1, x86-64 CPU)"
    assert replaced["summary"] == "Status: wrong output (before: passed). Reason: the host was noisy"
    assert revealed["title"].startswith("Revealed: round ")
    assert (withdrawn["title"], withdrawn["summary"]) == (
        "Withdrawn: Tuner <1> (smoke@1, x86-64 CPU)",
        "Reason: contaminated",
    )
    assert withdrawn["link"] == f"http://testserver/run/{run.pk}/"
    assert len({one["id"] for one in entries(client)}) == 4


def test_a_board_has_a_feed_of_its_own(suite, client) -> None:
    elsewhere = factories.make_run(status="passed")
    for run in (factories.make_run(suite=suite, status="passed"), elsewhere):
        publish_run(run=run, actor="test")
    [change] = entries(client, "/board/smoke/all/cpu-x86_64/feed.atom")
    assert "(smoke@1, " in change["title"]
    for address in ("/board/nothing/all/cpu-x86_64/feed.atom", "/board/smoke/nothing/cpu-x86_64/feed.atom"):
        assert client.get(address).status_code == 404


def test_drafts_reruns_and_hosts_are_no_change_of_a_board(suite, client) -> None:
    run = factories.make_run(suite=suite, status="passed")
    for action in ("rerun", "cancel", "import", "publish"):
        AuditEntry.objects.create(actor_name="test", action=action, run=run)
    AuditEntry.objects.create(actor_name="test", action="quarantine", host=factories.make_host())
    AuditEntry.objects.create(actor_name="test", action="open", round=factories.make_round(suite=suite))
    assert entries(client) == []


def test_a_feed_of_nothing_is_the_same_each_time(db, client) -> None:
    assert b"<updated>1970-01-01T00:00:00" in client.get("/feed.atom").content


def test_pages_name_the_feed(db, client) -> None:
    assert b'type="application/atom+xml" title="Leaderboard changes" href="/feed.atom"' in client.get("/").content
