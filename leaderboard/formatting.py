"""Numbers, times and names as text, alike in all tables and charts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from evaluator.wording import counted

NBSP = "\u00a0"  # a number and its unit stay on one line
NONE = "–"  # shown where there is no number, instead of an empty cell or a zero
UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)  # characters that XML 1.0 forbids, other control characters, and those that change the direction of text
DIGITS = 3  # significant ones of a measured number
LEAST_FOR_PERCENT = 10  # tasks; a percentage of fewer says more than they do
LARGEST_LOG = 100.0  # beyond it an interval means nothing, and exp would overflow


def percent(share: float) -> str:
    """A share as whole percents, with a decimal where rounding would give 0 or 100 % for anything between."""
    rounded = round(100 * share)
    is_false_end = rounded in (0, 100) and share not in (0, 1)
    if not is_false_end:
        return f"{rounded}{NBSP}%"
    if 0.0005 <= share <= 0.9995:
        return f"{min(100 * share, 99.9):.1f}{NBSP}%"
    return f"<{NBSP}0.1{NBSP}%" if share < 0.5 else f">{NBSP}99.9{NBSP}%"


def x_of_n(count: int, of: int) -> str:
    return f"{count}{NBSP}of{NBSP}{of}"


def rate(count: int, of: int) -> str:
    """A rate in the form x of n (p %)."""
    if not of:
        return f"0{NBSP}of{NBSP}0"
    return f"{count}{NBSP}of{NBSP}{of} ({percent(count / of)})"


def rate_over(count: int, of: int, tasks: int) -> str:
    """A rate in the form x of n, with its percentage where the n are of enough tasks for one."""
    return rate(count, of) if of and tasks >= LEAST_FOR_PERCENT else x_of_n(count, of)


def interval(low: float, high: float) -> str:
    """Two shares in the form 44 to 97 %."""
    return f"{percent(low).removesuffix(f'{NBSP}%')} to {percent(high)}"


def significant(value: float, digits: int = DIGITS) -> str:
    """A number with this many significant digits, without an exponent from 0.001 to 99 999."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else NONE
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    exponent = int(power)  # of the rounded value: 0.9999 is 1.00
    if -4 < exponent < 5:
        return f"{value:.{max(digits - 1 - exponent, 0)}f}"
    return f"{mantissa}e{exponent}"


def size(count_bytes: int) -> str:
    """The size of a file, in a decimal unit."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count_bytes >= scale:
            return f"{significant(count_bytes / scale)}{NBSP}{unit}"
    return f"{count_bytes}{NBSP}B"


def factor(log_ratio: float) -> float:
    """The ratio of a log ratio, clamped to the range of a float."""
    return math.exp(max(-LARGEST_LOG, min(log_ratio, LARGEST_LOG)))


def times(log_ratio: float) -> str:
    """The ratio of a log ratio in the form 1.324×, with four digits, since ratios near 1 differ little."""
    return f"{significant(factor(log_ratio), 4)}×"


def milliseconds(value: float) -> str:
    """A kernel's time given in milliseconds, in the unit that leaves one to three digits before the point."""
    for unit, factor in (("s", 1e-3), ("ms", 1.0), ("µs", 1e3)):
        if value * factor >= 0.9995:
            return f"{significant(value * factor)}{NBSP}{unit}"
    return f"{significant(value * 1e6)}{NBSP}ns"


def seconds(value: float) -> str:
    """A duration in seconds, minutes, hours or days."""
    if value < 0.01:
        return f"< 0.01{NBSP}s"
    if value < 60:
        return f"{value:.2f}{NBSP}s" if value < 10 else f"{value:.0f}{NBSP}s"
    minutes, rest = divmod(round(value), 60)
    if minutes < 60:
        return f"{minutes}{NBSP}min {rest}{NBSP}s"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours}{NBSP}h {minutes}{NBSP}min"
    return f"{hours // 24}{NBSP}d {hours % 24}{NBSP}h"


def duration(span: timedelta) -> str:
    return seconds(max(span.total_seconds(), 0))


def day(at: datetime) -> str:
    at = at.astimezone(UTC)
    return f"{at.day}{NBSP}{at:%b}{NBSP}{at.year}"


def moment(at: datetime) -> str:
    return f"{day(at)}, {at.astimezone(UTC):%H:%M}{NBSP}UTC"


def plural(count: int, noun: str, nouns: str = "") -> str:
    """A count with its noun, joined by a no-break space."""
    return counted(count, noun, nouns).replace(" ", NBSP, 1)


def listed(parts: Iterable[str], last: str = "and") -> str:
    """The parts in the form a, b and c."""
    words = list(parts)
    return f"{', '.join(words[:-1])} {last} {words[-1]}" if len(words) > 1 else "".join(words)


def short(digest: str) -> str:
    return digest[:12]


def printable(text: str) -> str:
    """The text with every character that could damage the surrounding page replaced."""
    return UNPRINTABLE.sub("\ufffd", text)


def sentence(text: str) -> str:
    """The text with a capital first letter and a full stop."""
    text = text.strip()
    if not text:
        return ""
    return text[0].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")
