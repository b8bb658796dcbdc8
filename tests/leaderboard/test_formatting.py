from __future__ import annotations

import math

import pytest
from django.utils.safestring import SafeString

from leaderboard import formatting
from leaderboard.templatetags.commands import commands


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("count", "of", "text"),
    [
        (5, 6, "5 of 6 (83 %)"),
        (6, 6, "6 of 6 (100 %)"),
        (0, 6, "0 of 6 (0 %)"),
        (0, 0, "0 of 0"),
        (199, 200, "199 of 200 (99.5 %)"),
        (1, 250, "1 of 250 (0.4 %)"),
        (9996, 10000, "9996 of 10000 (> 99.9 %)"),
        (9995, 10000, "9995 of 10000 (99.9 %)"),
        (5, 10000, "5 of 10000 (0.1 %)"),
        (4, 10000, "4 of 10000 (< 0.1 %)"),
    ],
)
def test_a_rate_is_x_of_n_and_only_all_is_a_hundred_percent(count: int, of: int, text: str) -> None:
    assert plain(formatting.rate(count, of)) == text


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (1.5, "1.50 ms"),
        (0.0123, "12.3 µs"),
        (0.00042, "420 ns"),
        (999.9, "1.00 s"),
        (2500.0, "2.50 s"),
        (0.9999, "1.00 ms"),
        (123.4, "123 ms"),
    ],
)
def test_a_time_has_the_unit_that_keeps_it_short(milliseconds: float, text: str) -> None:
    assert plain(formatting.milliseconds(milliseconds)) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (1.2345, "1.23"),
        (123.45, "123"),
        (0.00123, "0.00123"),
        (1.2e-7, "1.20e-7"),
        (math.nan, "–"),
        (-0.5, "-0.500"),
    ],
)
def test_significant_digits_need_no_exponent_in_the_usual_range(value: float, text: str) -> None:
    assert formatting.significant(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.5, "0.50 s"),
        (12.4, "12 s"),
        (125, "2 min 5 s"),
        (3700, "1 h 1 min"),
        (0.001, "< 0.01 s"),
        (200_000, "2 d 7 h"),
    ],
)
def test_a_duration_has_units_that_people_use(seconds: float, text: str) -> None:
    assert plain(formatting.seconds(seconds)) == text


def test_lists_and_plurals_read_like_sentences() -> None:
    assert formatting.listed(["a", "b", "c"]) == "a, b and c"
    assert formatting.listed(["a"]) == "a"
    assert formatting.listed([]) == ""
    assert plain(formatting.plural(1, "task")) == "1 task"
    assert plain(formatting.plural(2, "entry", "entries")) == "2 entries"
    assert formatting.sentence("on no board") == "On no board."


def test_commands_of_a_text_stand_in_the_letters_of_code_and_nothing_of_it_is_markup() -> None:
    assert commands("Run `make <up>` & wait") == "Run <code>make &lt;up&gt;</code> &amp; wait"
    assert commands("an unclosed ` & nothing") == "an unclosed ` &amp; nothing"
    assert commands("<b>") == "<b>"  # no mark of safety: the template escapes it
    assert not isinstance(commands("<b>"), SafeString)
