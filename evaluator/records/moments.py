"""Moments and days in records and declared facts.

What comes from elsewhere is refused if it is from the future: as the newest of its kind it would stand for good. A
host's own results are not, since its clock may be set back while it works; of its calibrations, one from the future
counts as none.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

YEARS = range(2020, 2100)
SKEW = timedelta(minutes=5)  # by which the clocks of two hosts may differ
FARTHEST_ZONE = timedelta(hours=14)  # ahead of UTC, where a day begins first
PAST, PAST_DAY = "an end that is not in the future", "a day that is not in the future"
_MONTH, _DAY = "(0[1-9]|1[0-2])", "(0[1-9]|[12][0-9]|3[01])"
_DATE = re.compile(rf"([0-9]{{4}})-?{_MONTH}-?{_DAY}|(2[01][0-9]{{2}})(?:-{_MONTH})?(?![0-9])")


def is_timestamp(text: str) -> bool:
    """Whether the text is an ISO 8601 timestamp with a time zone, of a year in YEARS."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return False
    return moment.tzinfo is not None and moment.year in YEARS


def is_over(timestamp: str, seconds: float = 0.0) -> bool:
    """Whether what began then and took so many seconds has ended by now."""
    return seconds <= (datetime.now(UTC) + SKEW - datetime.fromisoformat(timestamp)).total_seconds()


def is_future_day(text: str) -> bool:
    """Whether the text begins with a day that has begun nowhere on Earth, such as 2099-01-01, 20990101 or 2099."""
    today = datetime.now(UTC) + FARTHEST_ZONE
    found = _DATE.match(text.strip())
    return found is not None and [int(part) for part in found.groups() if part] > [today.year, today.month, today.day]
