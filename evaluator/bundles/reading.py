"""The state of reading one bundle: its files, and all problems and findings so far."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from evaluator.bundles import parsers
from evaluator.bundles.archives.archive import digest_of
from evaluator.bundles.archives.limits import LINES, MAX_FINDINGS, MAX_PROBLEMS, VALUES
from evaluator.bundles.findings import FINDINGS, BundleFinding, not_listed
from evaluator.bundles.parsed import DECLARABLE, Claimed
from evaluator.bundles.problems import BundleProblem, shown, shown_place
from evaluator.codec import DecodeError
from evaluator.records.moments import PAST_DAY, is_future_day
from evaluator.secrets import codes_in_source, mask_json, mask_message, mask_text
from evaluator.wording import counted

DECLARED_FILE = "arenaboard.yaml"
UNREAD_IN_A_FOLDER = 12  # each of which is named
FAILED_MARKER = -1.0
LARGEST = 1e300  # whole numbers in JSON may exceed the range of floats
ABSENT = (None, "", "N/A")
NUMBER_WORDS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf, "infinity": math.inf, "-infinity": -math.inf}


class Reading:
    """Reads files of a bundle and never raises on their content: one that cannot be read becomes a problem."""

    def __init__(self, files: Mapping[str, bytes], declared: Mapping[str, str] | None = None) -> None:
        """`declared` has facts from the submitter, by keys of DECLARABLE, which override those in the bundle."""
        self.files, self.declared_by_submitter = files, dict(declared or {})
        self.problems, self.findings = list[BundleProblem](), list[BundleFinding]()
        self._problem_count, self._found = 0, Counter[str]()
        self._lines, self._values = 0, 0
        self._parsed = dict[str, Any]()
        self._broken = dict[str, parsers.ParseError]()
        self._noted = set[tuple[str, str]]()
        self._used = set[str]()

    def reset(self) -> None:
        """Drop the problems and findings of recognising the format; parsed values stay cached."""
        self.problems.clear()
        self.findings.clear()
        self._noted.clear()
        self._used.clear()
        self._found.clear()
        self._problem_count = self._lines = 0

    @cached_property
    def digest(self) -> str:
        return digest_of(self.files)

    def problem(self, place: str, seen: object, expected: str, hint: str = "") -> None:
        self._problem_count += 1
        if self._problem_count <= MAX_PROBLEMS:
            self.problems.append(BundleProblem(shown_place(place), shown(seen), expected, hint))

    def find(self, code: str, place: str, detail: str, task: str | None = None) -> None:
        self._found[code] += 1
        if self._found[code] <= MAX_FINDINGS:
            text = FINDINGS[code].format(detail=shown(mask_text(detail)))
            self.findings.append(BundleFinding(code, shown_place(mask_text(place)), task, text))

    def end(self) -> None:
        """Add the numbers of problems and findings beyond the limits."""
        if self._problem_count > MAX_PROBLEMS:
            more = counted(self._problem_count - MAX_PROBLEMS, "more problem")
            self.problems.append(BundleProblem("the bundle", more, "none"))
        for code, count in self._found.items():
            if count > MAX_FINDINGS:
                self.findings.append(BundleFinding(code, "the bundle", None, not_listed(count - MAX_FINDINGS)))

    def note_unread(self) -> None:
        """Name the files that the format has not used; many in one folder, or of one name, share a finding."""
        unread = [PurePosixPath(path) for path in sorted(self.files.keys() - self._used)]
        names, folders = Counter(path.name for path in unread), Counter(path.parent for path in unread)
        groups = dict[str, list[PurePosixPath]]()
        for path in unread:
            alike = f"named {path.name}" if names[path.name] > 1 else f"in {path.parent}"
            is_one = names[path.name] == 1 and folders[path.parent] <= UNREAD_IN_A_FOLDER
            groups.setdefault(str(path) if is_one else alike, []).append(path)
        for alike, paths in groups.items():
            self.find("unread_file", str(paths[0]), str(paths[0]) if len(paths) == 1 else f"{len(paths)} {alike}")

    def content(self, path: str) -> bytes:
        """The bytes of a file that the format uses."""
        self._used.add(path)
        return self.files[path]

    def leave(self, path: str) -> None:
        """Count a file as unread, after a look at it."""
        self._used.discard(path)

    def named(self, *names: str) -> Iterator[str]:
        """The paths of files with one of these names, sorted."""
        return (path for path in sorted(self.files) if PurePosixPath(path).name in names)

    def parsed(self, path: str) -> Any:
        """The value of a JSON or YAML file; None and a problem if it cannot be parsed."""
        self._used.add(path)
        return self.glance(path)

    def glance(self, path: str) -> Any:
        """What `parsed` gives, of a file that the format may not use: it does not count as read."""
        value = self._value(path)
        if path in self._broken and self._is_new("broken", path):
            self.problem(path, str(self._broken[path]), "strict JSON" if path.endswith(".json") else "plain YAML")
        return value

    def evidence(self, path: str, task: str) -> Any:
        """The value of a file that results are only compared with; None and a finding if it cannot be parsed."""
        self._used.add(path)
        value = self._value(path)
        if path in self._broken and self._is_new("broken_report", path):
            self.find("broken_report", path, str(self._broken[path]), task)
        return value

    def _value(self, path: str) -> Any:
        is_json = path.endswith(".json")
        if path not in self._parsed:
            self._parsed[path], data = None, self.files[path]
            try:
                self._count_values(data, is_json)
                self._parsed[path] = (parsers.parse_json if is_json else parsers.parse_yaml)(data)
            except parsers.ParseError as error:
                self._broken[path] = error
        return self._parsed[path]

    def mapping(self, path: str) -> Mapping[str, Any]:
        value = self.parsed(path)
        if not isinstance(value, dict):
            if value is not None:
                self.problem(path, type(value).__name__, "a mapping")
            return {}
        return value

    def lines(self, path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """The place and value of each line of JSON that is an object; other lines become problems."""
        for number, value in parsers.parse_lines(self.content(path)):
            place = f"{path}:{number}"
            self._lines += 1
            if self._lines > LINES:
                self.problem(place, "one more line", f"at most {LINES} lines in all")
                return
            if isinstance(value, dict):
                yield place, value
            else:
                self.problem(place, str(value), "one JSON object per line")

    def ill_typed(self, path: str, error: DecodeError, otherwise: str) -> None:
        """Add every fault of a decoded file; `otherwise` is what is expected where the error does not say."""
        for line in error.problems:
            place, _, rest = line.partition(": ")
            seen, _, expected = rest.removeprefix("seen ").partition("; expected ")
            self.problem(f"{path}: {place}", seen, expected or otherwise)

    def time_ms(self, value: object, place: str, task: str) -> float | None:
        """A positive, finite time in milliseconds; None and a finding for anything else."""
        number = NUMBER_WORDS.get(value.lower()) if isinstance(value, str) else value
        code = _fault_of(value, number)
        if code:
            self.find(code, place, repr(value), task)
            return None
        assert isinstance(number, int | float)
        return float(number)

    def number(self, value: object, place: str, task: str | None = None) -> float | None:
        """A finite number, which may be zero or negative; None if absent; None and a finding for anything else."""
        if value in ABSENT:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < LARGEST:
            self.find("not_a_number", place, repr(value), task)
            return None
        return float(value)

    def text(self, value: object, place: str, task: str | None = None) -> str | None:
        """A text for people, masked and cut; None if there is none."""
        if value in ABSENT or not isinstance(value, str):
            return None
        text, codes = mask_message(value)
        self._note_masked(codes, place, task)
        return text

    def source(self, source: bytes | str, place: str, task: str) -> bytes:
        """The source as it is; what it should not hold becomes a finding, and text that is no Unicode a problem."""
        try:
            data = source.encode() if isinstance(source, str) else source
        except UnicodeEncodeError as error:
            self.problem(place, str(error), "a source that can be written as UTF-8")
            return b""
        self._note_masked(codes_in_source(data), place, task)
        return data

    def masked(self, path: str, task: str) -> bytes:
        """The bytes of a JSON file with its texts masked, since they may become public."""
        data, codes = mask_json(self.content(path))
        self._note_masked(codes, path, task)
        return data

    def claimed(self, raw: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Claimed]:
        """The named fields as written; NaN and infinity become text."""
        return {name: _storable(raw[name]) for name in names if name in raw}

    def declared(self, found: Mapping[str, object]) -> dict[str, str]:
        """Declared facts: `found` by the format, overridden by `arenaboard.yaml` and then by the submitter."""
        facts = {key: shown(str(value)) for key, value in found.items() if value not in ABSENT}
        for path in self.named(DECLARED_FILE):
            for key, value in self.mapping(path).items():
                if key not in DECLARABLE:
                    self.problem(f"{path}: {key}", value, f"one of {', '.join(DECLARABLE)}")
                elif isinstance(value, dict | list) or value in ABSENT:
                    self.problem(f"{path}: {key}", value, "text")
                else:
                    facts[key] = shown(str(value))
        by_submitter = {key: value for key, value in self.declared_by_submitter.items() if key in DECLARABLE and value}
        facts |= {key: shown(value) for key, value in by_submitter.items()}
        if is_future_day(day := facts.get("started_at", "")):
            self.problem("declared facts: started_at", day, PAST_DAY)
        return facts

    def _count_values(self, data: bytes, is_json: bool) -> None:
        """Count the values of a file, which stay in memory; its parser refuses a file with too many of its own."""
        count = parsers.values_in(data) + (0 if is_json else data.count(b"\n"))  # a line of YAML may start a value
        self._values += count if count <= parsers.NODES else 0
        if self._values > VALUES:
            raise parsers.ParseError(f"more than {VALUES} values in all files together")

    def _note_masked(self, codes: tuple[str, ...], place: str, task: str | None) -> None:
        """Add a finding for each code, once per task, since logs repeat themselves."""
        for code in codes:
            if self._is_new(code, task or place):
                self.find(code, place, place, task)

    def _is_new(self, what: str, where: str) -> bool:
        is_new = (what, where) not in self._noted
        self._noted.add((what, where))
        return is_new


def _fault_of(value: object, number: object) -> str | None:
    if value in ABSENT:
        return "no_time"
    if isinstance(number, bool) or not isinstance(number, int | float):
        return "not_a_number"
    if number != number:
        return "nan_time"
    if abs(number) > LARGEST:
        return "infinite_time"
    if number == FAILED_MARKER:
        return "failed_marker"
    return "zero_time" if number == 0 else "negative_time" if number < 0 else None


def _storable(value: object) -> Claimed:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, bool | int | float) or value is None else shown(mask_text(str(value)))
