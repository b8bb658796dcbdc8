"""Headings of columns lead to the formula behind their numbers."""

from __future__ import annotations

import re

import pytest

from leaderboard.pages.metrics.page import METRICS
from tests.leaderboard.arrays import right
from tests.leaderboard.timed import TASKS

PLACE = "timed/hip2hip/h100-sxm/"
LED_TO = {
    f"/board/{PLACE}": {"rank", "usable", "rates", "outcomes", "trust", "speedup"},
    f"/board/{PLACE}?view=paper": {"rank", "rates", "paper", "fast-p", "trust", "speedup"},
    f"/distribution/{PLACE}": {"distribution"},
    f"/attribution/{PLACE}": {"unsolved", "slower"},
    f"/efficiency/{PLACE}": {"iou", "mfu", "hardware-score"},
    f"/quality/{PLACE}": {"code-quality"},
    f"/compare/{PLACE}?a={{one}}&b={{other}}": {"rank", "usable", "rates", "outcomes", "compare", "trust"},
}


@pytest.mark.parametrize("address", LED_TO)
def test_headings_lead_to_formulas_that_there_are(timed, client, address) -> None:
    one, other = (timed(name, [right(0.3)] * TASKS).configuration.slug for name in ("One", "Other"))
    body = client.get(address.format(one=one, other=other)).content.decode()
    found = set(re.findall(r'<a class="formula-of" href="/metrics/#([\w-]+)"', body))
    assert found == LED_TO[address] <= {metric.slug for metric in METRICS}


def test_a_heading_that_sorts_still_does_and_names_its_column_without_the_formula(timed, client) -> None:
    timed("One", [right(0.5)] * TASKS)
    body = client.get(f"/board/{PLACE}").content.decode()
    [head] = re.findall(r'<th[^>]*abbr="Usable speedup".*?</th>', body, re.DOTALL)
    assert re.search(r'href="\?[^"]*sort=usable_speedup#entries">Usable speedup</a>', head)
    assert 'aria-label="Formula of Usable speedup">ƒ</a>' in head
