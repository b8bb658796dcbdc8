"""The page of hosts: quarantine with its reason and next steps, acceptance with its figures."""

from __future__ import annotations

from datetime import UTC, datetime

from evaluator import VERSION
from tests import factories
from tests.factories import NOON

FIGURES = {
    "accepted": False,
    "made_at": "2026-11-01T12:00:00+00:00",
    "e0_ns": 1300.0,
    "aa_sd": 0.0071,
    "aa_bias": -0.0004,
    "aa_sessions": 20,
    "aa_cases": 4,
    "floors": {"10-50us": 0.0082, ">500us": 0.0012},
}


def gpu_host(**values):
    device = factories.make_device_class(slug="h100-sxm", architecture="sm_90", is_functional=False)
    return factories.make_host(device_class=device, **values)


def row(page, slug: str, host: str):
    """A host's cells by column."""
    return next(cells for cells in page.tables[slug].cells() if next(iter(cells.values())).value == host)


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def test_a_quarantined_host_says_why_and_what_to_do(db, page, client) -> None:
    gpu_host(name="bad", quarantined_at=NOON, quarantine_reason="known good: crashed in 2.0 s")
    factories.make_run(device_class=factories.make_device_class(slug="h100-sxm"), status="queued")
    shown = page("/hosts/")
    cell = row(shown, "hosts", "bad")["state"]
    assert (cell.text, cell.note, cell.tone) == ("quarantined", "takes no attempts", "bad")
    [notice] = shown.notices
    assert plain(notice).startswith(
        "bad: in quarantine since 1 Nov 2026, 12:00 UTC. Known good: crashed in 2.0 s. It takes no attempts."
    )
    assert "An operator runs" in notice
    [queue] = [one for one in page("/queue/").queues if one.architecture == "sm_90"]
    assert queue.hosts == 0
    body = client.get("/queue/").content.decode()
    assert "no host serves this queue: start a worker, enable a host, or lift a quarantine" in body
    data = client.get("/api/v1/hosts/").json()["hosts"][0]
    assert (data["quarantined_at"], data["quarantine_reason"]) == (
        "2026-11-01T12:00:00Z",
        "known good: crashed in 2.0 s",
    )


def test_a_host_takes_work_or_is_not_enabled(db, page) -> None:
    factories.make_host(name="good")
    factories.make_host(name="off", is_enabled=False)
    shown = page("/hosts/")
    assert [row(shown, "hosts", name)["state"].text for name in ("good", "off")] == ["takes attempts", "disabled"]
    assert shown.notices == ()


def test_a_host_that_is_not_accepted_is_shown_so_with_its_figures(db, page) -> None:
    gpu_host(name="loud", is_accepted=False, calibration=FIGURES)
    shown = page("/hosts/")
    acceptance = row(shown, "hosts", "loud")["is_accepted"]
    assert (acceptance.text, acceptance.note) == ("not accepted", "not ranked: its noise is above the limit")
    cells = row(shown, "noise", "loud")
    texts = {name: plain(cells[name].text) for name in cells}
    assert (texts["aa_sd"], texts["aa_bias"], texts["e0_ms"]) == ("0.71 %", "−0.040 %", "1.30 µs")
    assert (texts["floor_10-50us"], texts["floor_>500us"], texts["floor_5-10us"]) == ("0.82 %", "0.12 %", "–")
    assert (texts["sessions"], texts["cases"], texts["made_at"]) == ("20", "4", "1 Nov 2026, 12:00 UTC")
    assert (cells["aa_sd"].tone, cells["aa_bias"].tone) == ("bad", ""), "which figure misses its limit is marked"


def test_an_accepted_host_and_one_that_nobody_measured(db, page) -> None:
    gpu_host(name="still", is_accepted=True, calibration={**FIGURES, "accepted": True, "aa_sd": 0.003})
    gpu_host(name="new")
    shown = page("/hosts/")
    assert row(shown, "hosts", "still")["is_accepted"].text == "accepted"
    assert row(shown, "hosts", "new")["is_accepted"].text == "unknown"
    assert shown.tables["noise"].size == 1


def test_limits_and_time_buckets_are_shown_with_the_figures(db, page) -> None:
    table = page("/hosts/").tables["noise"]
    assert "an sd of at most 0.50 % and a bias of at most 0.30 %" in plain(table.caption)
    assert "sd, 10 to 50 µs" in [plain(column.label) for column in table.fields]


def test_hardware_and_software_are_shown_as_the_worker_reported_them(db, page) -> None:
    gpu_host(name="one", evaluator=VERSION, facts={"driver": "580.1", "torch": "2.11"})
    gpu_host(name="two", evaluator="0.0.9")
    gpu_host(name="three")
    table = page("/hosts/").tables["versions"]
    rows = [(group.title, what.text, value.text) for group in table.groups for _, what, value in group.rows]
    assert rows == [
        ("one", "evaluator", VERSION),
        ("one", "driver", "580.1"),
        ("one", "torch", "2.11"),
        ("three", "evaluator", "unknown"),
        ("two", "evaluator", "0.0.9"),
    ]
    notes = {cells["host"].value: cells["value"].note for cells in table.cells()}
    assert "older than this site" in notes["two"]


def test_the_unit_that_a_name_ends_with_follows_its_number(db, page) -> None:
    facts = {
        "l2_bytes": "52428800",
        "sm_clock_max_mhz": "1980",
        "power_limit_w": "700",
        "wave_size": "32",
        "ecc_w": "?",
    }
    gpu_host(name="one", evaluator=VERSION, facts=facts)
    [_, *rows] = page("/hosts/").tables["versions"].groups[0].rows
    assert [(plain(cells[1].text), plain(cells[2].text)) for cells in rows] == [
        ("ecc w", "?"),
        ("l2", "52.4 MB"),
        ("power limit", "700 W"),
        ("sm clock max", "1980 MHz"),
        ("wave size", "32"),
    ]
    assert [(cells[1].value, cells[2].value) for cells in rows][1] == ("l2 bytes", "52428800")


def test_a_host_is_at_work_while_it_takes_attempts_and_its_worker_lives(db, page) -> None:
    now = datetime.now(UTC)
    factories.make_host(name="good", seen_at=now, evaluator=VERSION)
    factories.make_host(name="silent", seen_at=NOON, evaluator=VERSION)
    factories.make_host(name="off", seen_at=now, is_enabled=False)
    factories.make_host(name="ill", seen_at=now, quarantined_at=NOON, quarantine_reason="x")
    factories.make_host(name="old", seen_at=now, evaluator="0.0.9")
    factories.make_host(name="new")
    assert plain(page("/hosts/").lead).startswith("1 of 6 hosts online")
    [queue] = page("/queue/").queues
    assert queue.hosts == 1
