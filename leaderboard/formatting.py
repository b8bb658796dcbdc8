"""Numbers, times and names as text, each written in one place: tables and charts take what these functions return."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from evaluator.wording import counted

NBSP = "\u00a0"  # a number and its unit stay on one line
NONE = "–"  # stands where there is no number; never an empty cell, never a zero
UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)  # what XML 1.0 forbids, the other control characters, and what turns the direction of the text after it
DIGITS = 3  # significant ones of a measured number
LARGEST_LOG = 100.0  # beyond it an interval says nothing, and exp would overflow


def percent(share: float) -> str:
    """Whole percents, with a decimal where rounding would turn almost all into all, or almost none into none."""
    rounded = round(100 * share)
    is_false_end = rounded in (0, 100) and share not in (0, 1)
    if not is_false_end:
        return f"{rounded}{NBSP}%"
    if 0.0005 <= share <= 0.9995:
        return f"{min(100 * share, 99.9):.1f}{NBSP}%"
    return f"<{NBSP}0.1{NBSP}%" if share < 0.5 else f">{NBSP}99.9{NBSP}%"


def rate(count: int, of: int) -> str:
    """Rates are always shown as x of n (p %)."""
    if not of:
        return f"0{NBSP}of{NBSP}0"
    return f"{count}{NBSP}of{NBSP}{of} ({percent(count / of)})"


def interval(low: float, high: float) -> str:
    """Two shares, as 44 to 97 %."""
    return f"{percent(low).removesuffix(f'{NBSP}%')} to {percent(high)}"


def significant(value: float, digits: int = DIGITS) -> str:
    """A number with its significant digits, without an exponent from 0.001 to 99 999."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else NONE
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    exponent = int(power)  # of the rounded value: 0.9999 is 1.00
    if -4 < exponent < 5:
        return f"{value:.{max(digits - 1 - exponent, 0)}f}"
    return f"{mantissa}e{exponent}"


def size(count_bytes: int) -> str:
    """Of a file, with a decimal unit."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count_bytes >= scale:
            return f"{significant(count_bytes / scale)}{NBSP}{unit}"
    return f"{count_bytes}{NBSP}B"


def factor(log_ratio: float) -> float:
    """A log ratio as the ratio, kept within what a number can hold."""
    return math.exp(max(-LARGEST_LOG, min(log_ratio, LARGEST_LOG)))


def times(log_ratio: float) -> str:
    """A log ratio as 1.324×: four digits, since ratios near 1 differ behind the point."""
    return f"{significant(factor(log_ratio), 4)}×"


def milliseconds(value: float) -> str:
    """A time of a kernel, in the unit that leaves one to three digits before the point."""
    for unit, factor in (("s", 1e-3), ("ms", 1.0), ("µs", 1e3)):
        if value * factor >= 0.9995:
            return f"{significant(value * factor)}{NBSP}{unit}"
    return f"{significant(value * 1e6)}{NBSP}ns"


def seconds(value: float) -> str:
    """A duration that people wait for."""
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


def moment(at: datetime) -> str:
    at = at.astimezone(UTC)
    return f"{at.day}{NBSP}{at:%b}{NBSP}{at.year}, {at:%H:%M}{NBSP}UTC"


def plural(count: int, noun: str, nouns: str = "") -> str:
    """`counted`, with its noun on the same line."""
    return counted(count, noun, nouns).replace(" ", NBSP, 1)


def listed(parts: Iterable[str], last: str = "and") -> str:
    """a, b and c."""
    words = list(parts)
    return f"{', '.join(words[:-1])} {last} {words[-1]}" if len(words) > 1 else "".join(words)


def short(digest: str) -> str:
    return digest[:12]


def printable(text: str) -> str:
    """Every character that could spoil what stands around it, as a replacement character."""
    return UNPRINTABLE.sub("\ufffd", text)


def sentence(text: str) -> str:
    """First letter large, a full stop at the end."""
    text = text.strip()
    if not text:
        return ""
    return text[0].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")
