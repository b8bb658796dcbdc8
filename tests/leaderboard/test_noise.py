"""The page of host noise: every calibration, with the changes since the one before."""

from __future__ import annotations

from datetime import timedelta

import pytest

from evaluator.thresholds import AA_SD
from runs.models import Host
from tests import factories
from tests.factories import NOON


@pytest.fixture
def host(db):
    device = factories.make_device_class(slug="h100-sxm", architecture="sm_90", is_functional=False)
    return factories.make_host(name="h100-1", device_class=device)


def test_nothing_measured_says_how_to_measure(db, client) -> None:
    assert b"No calibration is stored here" in client.get("/noise/").content


def test_a_host_of_imported_runs_says_why_there_is_nothing_and_what_to_do(host, page, client) -> None:
    Host.objects.filter(pk=host.pk).update(started_at=None, is_accepted=True)
    [one] = page("/noise/").unmeasured
    assert (one.host, one.device_class, one.is_accepted) == ("h100-1", "h100-sxm", True)
    assert "its bundles contain no calibration. Their records state that it was accepted" in one.because
    text = client.get("/noise/").content.decode()
    assert "No worker of this site has ever started there" in text
    assert "<code>python -m evaluator doctor --health</code>" in text


def test_a_host_at_work_without_a_calibration_is_distinguished(host, page) -> None:
    Host.objects.filter(pk=host.pk).update(started_at=NOON)
    [one] = page("/noise/").unmeasured
    assert one.because == "Its worker found no calibration when it started."


def test_a_host_that_was_measured_or_has_no_clock_lacks_nothing(host, page) -> None:
    factories.make_calibration(host=host)
    factories.make_host(name="a-cpu")
    assert page("/noise/").unmeasured == ()
    assert "unmeasured" in page("/noise/").tables


def test_calibrations_stand_newest_first_with_what_changed(host, page) -> None:
    factories.make_calibration(host=host, facts={"driver": "550", "torch": "2.11"})
    later = {"made_at": NOON + timedelta(days=1), "is_accepted": False}
    factories.make_calibration(host=host, facts={"driver": "560", "torch": "2.11"}, **later)
    new, old = page("/noise/").calibrations
    assert (new.is_accepted, new.changes) == (False, ("driver: 550 to 560",))
    assert (old.is_accepted, old.changes) == (True, ())


def test_the_first_calibration_of_a_host_changes_nothing_of_another(host, page) -> None:
    factories.make_calibration(host=host, facts={"torch": "2.11"})
    factories.make_calibration(host=factories.make_host(name="other"), facts={"torch": "2.9"})
    assert [line.changes for line in page("/noise/").calibrations] == [(), ()]


def test_a_figure_above_its_limit_is_marked(host, page) -> None:
    figures = {"e0_ns": 1300.0, "aa_sd": 2 * AA_SD, "aa_bias": 0.0, "floors": {"10-50us": 0.001}}
    factories.make_calibration(host=host, figures=figures)
    table = page("/noise/").tables["calibrations"]
    cells = table.cells()[0]
    assert (cells["aa_sd"].mark, cells["aa_bias"].mark) == ("✕", "")
    assert (cells["floor_10-50us"].value, cells["sessions"].text) == (0.001, "–")


def test_the_chart_has_the_mean_with_one_sd_to_each_side(host, page) -> None:
    factories.make_calibration(host=host, figures={"aa_sd": 0.003, "aa_bias": -0.001})
    [row] = page("/noise/").charts["aa"].rows
    [mark] = row.marks
    assert (mark.point.value, mark.point.low, mark.point.high) == (-0.001, -0.004, 0.002)
    assert mark.low_x < mark.x < mark.high_x


def test_values_beyond_the_axis_are_drawn_at_its_edge(host, page) -> None:
    factories.make_calibration(host=host, figures={"aa_sd": 0.5, "aa_bias": 0.0})
    [row] = page("/noise/").charts["aa"].rows
    assert row.marks[0].high_x <= 100
