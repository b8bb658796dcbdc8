"""How far a speedup differs from card to card of one device class: `tasks/cards.json`, one line a class and protocol.

`scripts/cards.py` writes it from runs of one configuration, such as `expert` over native-24, on several cards. What
comparisons of results of two cards add to their intervals is from here. With fewer than MIN_CARDS it is not known.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from statistics import fmean, median

from evaluator import codec
from evaluator.distributions import t_quantile
from evaluator.errors import UsageError
from evaluator.records.calibration import card_name
from evaluator.records.measurements import T_DEV
from evaluator.records.record import Record
from evaluator.tasks.lines import lines_text, rewrite
from evaluator.tasks.spec import tasks_folder
from evaluator.thresholds import CONFIDENCE, MIN_CARDS, bucket_of


@dataclass(frozen=True, slots=True)
class BetweenCards:
    """Standard deviations of a log ratio from card to card, apart from what its own interval has.

    Cases of one card are not independent, so however many there are, `df` follows from the cards.
    """

    cards: tuple[str, ...]
    df: int  # cards less one, of the bucket with the fewest
    sds: Mapping[str, float]  # by time bucket of the baseline
    tasks: Mapping[str, float]  # of a task's mean over its eligible cases, by path

    def sd_of(self, task: str) -> float:
        """Return the deviation of a task's mean; of a task that was not measured, the largest."""
        return self.tasks.get(task, max(self.sds.values()))

    def half_width(self, task: str) -> float:
        """Return by how much the log ratios of a task on two cards may differ for that reason alone, at 95 %."""
        return t_quantile((1 + CONFIDENCE) / 2, self.df) * math.sqrt(2) * self.sd_of(task)


@dataclass(frozen=True, slots=True)
class CardReading:
    """One eligible case of one result. What has the same `subject` is the same candidate on the same case."""

    subject: tuple[str, str, str]  # digests of task and candidate, and the case
    task: str
    bucket: str
    card: str
    log_ratio: float
    variance: float


def readings_of(record: Record) -> Iterator[CardReading]:
    """Yield the readings of a record; none where the card is not named."""
    uuid = record.host.facts.get("card_uuid")
    for case in record.cases if uuid else ():
        if (ratio := case.ratio) and ratio.eligible and ratio.variance is not None:
            bucket = bucket_of(median(case.clocks[T_DEV].baseline_ms) * 1e6)
            subject = (record.task.digest, record.candidate.digest, case.id)
            yield CardReading(subject, record.task.id, bucket, card_name(uuid or ""), ratio.log_ratio, ratio.variance)


def between_cards(readings: Iterable[CardReading]) -> BetweenCards:
    """Estimate how far cards differ.

    Raises:
        UsageError: no candidate, or none of some time bucket, was measured on MIN_CARDS cards.
    """
    repeated = [own for own in _by_subject(readings) if len({one.card for one in own}) > 1]
    buckets = defaultdict[str, list[list[CardReading]]](list)
    for own in repeated:
        buckets[own[0].bucket].append(own)
    most = {name: max(len({one.card for one in own}) for own in found) for name, found in buckets.items()}
    if few := {name: count for name, count in most.items() if count < MIN_CARDS} or ({} if most else {"any case": 1}):
        seen = ", ".join(f"{name} on {count}" for name, count in few.items())
        raise UsageError(f"the same candidate was timed on few cards: {seen}; expected {MIN_CARDS} or more")
    sds = {name: _sd(found) for name, found in sorted(buckets.items())}
    of_task = defaultdict[str, list[float]](list)
    for own in repeated:
        of_task[own[0].task].append(sds[own[0].bucket])
    # All cases of a card may err alike, so their deviations are averaged as they are.
    tasks = {path: round(fmean(found), 6) for path, found in sorted(of_task.items())}
    names = tuple(sorted({one.card for own in repeated for one in own}))
    return BetweenCards(names, min(most.values()) - 1, sds, tasks)


def _by_subject(readings: Iterable[CardReading]) -> list[list[CardReading]]:
    ordered = sorted(readings, key=lambda one: (one.subject, one.card))
    return [list(own) for _, own in groupby(ordered, key=lambda one: one.subject)]


def _sd(subjects: Sequence[Sequence[CardReading]]) -> float:
    """Return the deviation pooled over subjects, less what their own variances explain."""
    squares, own, df = 0.0, 0.0, 0
    for readings in subjects:
        by_card = [list(found) for _, found in groupby(readings, key=lambda one: one.card)]
        means = [fmean(one.log_ratio for one in found) for found in by_card]
        middle, count = fmean(means), len(means) - 1
        squares += sum((one - middle) ** 2 for one in means)
        own += count * fmean(fmean(one.variance for one in found) / len(found) for found in by_card)
        df += count
    return round(math.sqrt(max(0.0, (squares - own) / df)), 6)


def known_between_cards(device_class: str, protocol: str) -> BetweenCards | None:
    """Return what is known of a class under a protocol, or None."""
    path = cards_file()
    return _read(path, path.stat().st_mtime_ns).get(key_of(device_class, protocol)) if path.exists() else None


def add_between_cards(device_class: str, protocol: str, found: BetweenCards, path: Path) -> None:
    """Write what was found in place of what the file says of this class and protocol."""

    def text() -> str:
        known = _read(path, path.stat().st_mtime_ns) if path.exists() else {}
        values = {**known, key_of(device_class, protocol): found}
        return lines_text({key: json.dumps(codec.encode(one), sort_keys=True) for key, one in values.items()})

    rewrite(path, text)


def key_of(device_class: str, protocol: str) -> str:
    return f"{device_class} {protocol}"


def cards_file() -> Path:
    return tasks_folder() / "cards.json"


@lru_cache(maxsize=2)
def _read(path: Path, changed_ns: int) -> dict[str, BetweenCards]:
    """
    Raises:
        UsageError: the file is malformed.
    """
    try:
        found = codec.loads(dict[str, BetweenCards], path.read_bytes())
    except codec.DecodeError as error:
        raise UsageError(f"{path} is malformed: {error}") from error
    return found
