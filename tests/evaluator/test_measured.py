"""What is known of tasks on GPUs: findings of several cards in one file, and the quick look that finds them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from evaluator import VERSION
from evaluator import __main__ as command
from evaluator.errors import BaselineError, SandboxError, UsageError
from evaluator.gates import quick
from evaluator.gates.context import CaseState
from evaluator.gates.quick import CaseLook, Look
from evaluator.judge.draws import Seed, contents_of
from evaluator.judge.reference import Reference
from evaluator.judge.side import Call
from evaluator.records.record import HostInfo
from evaluator.sandbox import WorkerFault
from evaluator.tasks.measured import (
    DIGEST_LENGTH,
    Findings,
    Measured,
    add_measured,
    as_text,
    case_findings,
    current,
    key_of,
    merged,
    read_measured,
)
from evaluator.tasks.reader import load_task, read_task, task_ids
from evaluator.tasks.spec import TaskSpec
from evaluator.validate import measure
from evaluator.validate.choice import chosen_ids
from evaluator.validate.closing import closing_table
from evaluator.validate.measure import Skip, measure_all

TESTS = Path(__file__).parents[1]
FULL = "n=512"
CLASS = "h100-sxm"
KEY = f"triton2triton/tests/double {CLASS}"


@pytest.fixture
def task(tiny_task) -> TaskSpec:
    task = tiny_task("triton2triton")
    full = replace(task.cases[0], axes=(("n", 512),), profile="full")
    return replace(task, cases=(*task.cases_of(("small",)), full))


@pytest.fixture
def entry(task: TaskSpec) -> Measured:
    return Measured(
        digest=task.digest[:16],
        card="aaaaaaaa",
        software="driver 1",
        evaluator="1",
        date="2026-11-30T00:00:00+00:00",
        sessions=1,
        e0_us=2.5,
        times_us={FULL: (20.0, 10.0)},
        wrong={},
    )


def test_of_each_card_and_digest_the_newest_counts(entry: Measured) -> None:
    later = replace(entry, date="2026-12-01T00:00:00+00:00", times_us={FULL: (22.0, 10.0)})
    other_card = replace(entry, card="bbbbbbbb")
    assert merged({KEY: (later, other_card)}, {KEY: (entry,)}) == {KEY: (other_card, later)}
    older_checkout = replace(later, digest="f" * 16)  # measured later, of another state of the task
    assert merged({KEY: (entry, other_card)}, {KEY: (older_checkout,)}) == {KEY: (entry, other_card, older_checkout)}
    assert as_text({KEY: (entry, older_checkout)}) == as_text({KEY: (older_checkout, entry)})


def test_what_another_process_wrote_stays_in_the_file(entry: Measured, tmp_path: Path) -> None:
    path = tmp_path / "measured.json"
    add_measured({"b x": (entry,)}, path)
    add_measured({"a x": (entry,)}, path)
    assert read_measured(path) == {"a x": (entry,), "b x": (entry,)}
    lines = path.read_text().splitlines()
    assert [line.partition(":")[0] for line in lines] == ["{", '"a x"', '"b x"', "}"]
    assert path.stat().st_mode & 0o777 == 0o644, "it is committed"


@pytest.mark.parametrize(
    ("baselines_us", "device_class", "eligible"),
    [
        ((14.9,), "h100-sxm", False),  # five event pairs of the class take 15
        ((15.0,), "h100-sxm", True),  # whatever they take on the host
        ((14.0, 16.0, 17.0), "h100-sxm", True),
        ((14.0, 14.9, 17.0), "h100-sxm", False),
        ((1000.0,), "h300-sxm", False),  # a class whose event pair nobody has frozen
    ],
)
def test_a_case_is_eligible_by_the_median_over_cards_of_its_class(entry, task, baselines_us, device_class, eligible):
    cards = [
        replace(entry, card=str(index), e0_us=4.4, times_us={FULL: (time, 1.0)})
        for index, time in enumerate(baselines_us)
    ]
    (found,) = case_findings(cards, task, device_class)
    assert found.eligible == eligible


def test_a_case_on_which_a_side_is_wrong_is_not_eligible(entry: Measured, task: TaskSpec) -> None:
    (found,) = case_findings([entry, replace(entry, card="b", wrong={FULL: "candidate: no"})], task, CLASS)
    assert (found.eligible, found.wrong, found.baseline_us) == (False, "candidate: no", 20.0)


def test_a_wrong_side_counts_whatever_another_card_of_that_version_shows(entry: Measured, task: TaskSpec) -> None:
    wrong = replace(entry, card="b", wrong={FULL: "candidate: no"})
    later = replace(entry, date="2026-12-01T00:00:00+00:00")
    (found,) = case_findings([wrong, later], task, CLASS)
    assert (found.eligible, found.wrong) == (False, "candidate: no")
    (found,) = case_findings([wrong, replace(later, evaluator="2")], task, CLASS)
    assert (found.eligible, found.wrong) == (True, None)


def test_only_times_of_all_right_cases_say_that_launches_bind(entry: Measured, task: TaskSpec) -> None:
    short = replace(entry, times_us={FULL: (5.0, 5.0)})
    assert "most of its sizes are bound by launches" in measure.summary(task, short, CLASS)
    for failed in (
        entry,
        replace(short, wrong={FULL: "candidate: no"}),
        replace(entry, times_us={}, failed="it does not build"),
    ):
        assert "launches" not in measure.summary(task, failed, CLASS)


def test_a_task_whose_sources_fail_is_wrong_on_every_case(entry: Measured, task: TaskSpec) -> None:
    (found,) = case_findings([replace(entry, times_us={}, failed="it does not build")], task, CLASS)
    assert (found.eligible, found.wrong, found.baseline_us) == (False, "it does not build", None)


def test_what_was_measured_of_another_digest_is_not_measured(entry: Measured, task: TaskSpec) -> None:
    assert list(current({KEY: (entry,)}, task)) == [CLASS]
    assert current({KEY: (replace(entry, digest="f" * 16),)}, task) == {}
    assert current({KEY: (replace(entry, digest=""),)}, task) == {}
    (unknown,) = case_findings([], task, CLASS)
    assert (unknown.baseline_us, unknown.eligible) == (None, False)


def test_a_malformed_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "measured.json"
    path.write_text('{"a b": [{"digest": 3}]}')
    with pytest.raises(UsageError, match=r"card: missing(.*\n)*.*digest: seen 3"):
        read_measured(path)


def test_the_committed_findings_are_sorted_and_name_tasks_that_exist() -> None:
    found = read_measured()
    gone = {key.partition(" ")[0] for key in found} - set(task_ids())
    assert not gone, "their lines are to be removed"
    for key, entries in found.items():
        assert entries
        assert all(len(one.digest) == DIGEST_LENGTH and one.e0_us > 0 for one in entries if not one.failed), key
        assert all(min(times) > 0 for one in entries for times in one.times_us.values()), key
    path = Path(__file__).parents[2] / "tasks" / "measured.json"
    assert path.read_text(encoding="utf-8") == as_text(found)


class Stub:
    """An evaluator whose looks are given."""

    def __init__(self, looks: list[Look | Exception]) -> None:
        self.looks, self.sessions = looks, list[int]()
        host = HostInfo("cuda", CLASS, "sm_90", {"card_uuid": "GPU-1", "driver": "1"})
        self.backend = SimpleNamespace(device_class=CLASS, torch_device="cpu", host=lambda: host)

    def look(self, task: TaskSpec, sessions: int) -> Look:
        self.sessions.append(sessions)
        found = self.looks.pop(0)
        if isinstance(found, Exception):
            raise found
        return found


@pytest.fixture
def looked(task: TaskSpec, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., tuple[bool, list[str]]]:
    """looked(looks, skip=…) measures the tiny task as often as there are looks, into one file."""
    monkeypatch.setattr(measure, "load_task", lambda _: task)
    monkeypatch.setattr(measure.gc, "collect", lambda: 0)  # half a second, as torch is loaded

    def run(*looks: Look | Exception, times: int = 1, skip: Skip = None) -> tuple[bool, list[str]]:
        lines = list[str]()
        stub = Stub(list(looks))
        right = measure_all([task.id] * times, stub, tmp_path / "m.json", 2, lines.append, skip=skip)  # type: ignore[arg-type]
        assert not stub.looks
        return right, lines

    return run


def seen(task: TaskSpec, wrong: dict | None = None) -> Look:
    full = next(case for case in task.cases if case.profile == "full")
    times = {"baseline": [23_456.0, 23_466.0], "candidate": [11_000.0]}
    one = CaseLook(CaseState(full), wrong or {}, times)  # type: ignore[arg-type]
    return Look(2600.0, (one,), {"checks": 1.0})


def test_a_failing_task_does_not_stop_the_others(looked, task: TaskSpec, tmp_path: Path) -> None:
    right, lines = looked(BaselineError("it does not build"), seen(task), times=2)
    assert not right
    assert "1 of 2" in lines[0]
    assert "FAILED: it does not build" in lines[0]
    assert "1 of 1 full cases eligible" in lines[1]
    assert "checks 1.0" in lines[1]
    (found,) = read_measured(tmp_path / "m.json")[KEY]
    assert (found.times_us, found.e0_us, found.failed) == ({FULL: (23.46, 11.0)}, 2.6, None)


def test_a_fault_of_the_host_is_told_and_no_finding(looked, task: TaskSpec, tmp_path: Path) -> None:
    assert looked(seen(task))[0]
    right, lines = looked(SandboxError("the device is gone from /home/somebody"))
    assert not right
    assert "NOT MEASURED; the device is gone from ~" in lines[0]
    assert read_measured(tmp_path / "m.json")[KEY][0].times_us


def test_only_what_was_measured_without_failure_is_skipped(looked, task: TaskSpec) -> None:
    assert looked(BaselineError("no"), skip="class")[0] is False
    assert looked(seen(task, {"candidate": "it is wrong"}), skip="class")[0] is False
    assert looked(seen(task), skip="class")[0]  # measured again after each
    assert looked(skip="card") == (True, [line := looked(skip="class")[1][0]])
    assert line.endswith("measured before")
    assert looked(seen(task, {"candidate": "it is wrong"}))[0] is False


def test_a_malformed_file_is_found_before_the_first_task(looked, task: TaskSpec, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text("{")
    with pytest.raises(UsageError, match="is malformed"):
        looked(Look(0.0, (), {}))


def test_what_another_card_measured_can_be_measured_again(looked, entry, task: TaskSpec, tmp_path: Path) -> None:
    add_measured({KEY: (replace(entry, evaluator=VERSION),)}, tmp_path / "m.json")
    assert looked(skip="class")[1][0].endswith("measured before")
    looked(seen(task), skip="card")
    assert len(read_measured(tmp_path / "m.json")[KEY]) == 2


def test_triton_tasks_come_first_and_processes_share_the_work() -> None:
    ids = chosen_ids("all", ["native-24"])
    languages = [task_id.partition("/")[0].endswith("hip") for task_id in ids]
    assert languages == sorted(languages)
    parts = [chosen_ids("all", ["native-24"], (part, 3)) for part in (1, 2, 3)]
    assert sorted(task_id for part in parts for task_id in part) == sorted(ids)
    assert chosen_ids("all", ["triton2triton/arena/softmax"]) == ["triton2triton/arena/softmax"]
    with pytest.raises(UsageError, match="--only softmax: no task and no suite"):
        chosen_ids("all", ["softmax"])


def test_what_another_host_found_is_merged_without_a_gpu(entry: Measured, tmp_path: Path) -> None:
    theirs, ours = tmp_path / "theirs.json", tmp_path / "ours.json"
    add_measured({"a x": (replace(entry, card="bbbbbbbb"),)}, theirs)
    add_measured({"a x": (entry,)}, ours)
    assert command.main(["validate", "all", "--merge", str(theirs), "--out", str(ours)]) == 0
    assert [one.card for one in read_measured(ours)["a x"]] == ["aaaaaaaa", "bbbbbbbb"]
    assert command.main(["validate", "all", "--merge", str(tmp_path / "none.json"), "--out", str(ours)]) == 2


def test_a_part_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["validate", "all", "--backend", "cuda", "--part", "3/2"])
    assert "expected K/N with K from 1 to N" in capsys.readouterr().err


@pytest.fixture
def check(task: TaskSpec) -> Callable[..., list[CaseLook]]:
    """check(baseline, candidate) → the looks after both were called on every case of the tiny task, or `of`."""
    seed, tiny = Seed(), task

    def run(*sides: Callable, of: TaskSpec | None = None) -> list[CaseLook]:
        task = of or tiny

        def called(forward: Callable, contents: dict) -> Call:
            tensors = {name: contents[name] for name in ("x", "seed", "count") if name in contents}
            return Call(1, {task.outputs[0].name: forward(**tensors)})

        def context(forward: Callable) -> SimpleNamespace:
            return SimpleNamespace(
                task=task,
                runner=SimpleNamespace(call=lambda case, contents: called(forward, contents)),
                contents=lambda case, draw: contents_of(task, case, draw, seed),
                reference=Reference(task),
                give_way=lambda: None,
            )

        looks = [CaseLook(CaseState(case)) for case in task.cases]
        quick._check(dict(zip(("baseline", "candidate"), map(context, sides), strict=True)), looks)  # type: ignore[arg-type]
        return looks

    return run


def test_right_sides_are_right_on_every_case(check) -> None:
    looks = check(lambda x: x + x, lambda x: 2 * x)
    assert [one.wrong for one in looks] == [{}, {}, {}]
    assert [one.state.draws for one in looks] == [3, 3, 3]  # each name's first draw


@pytest.mark.parametrize("side", ["baseline", "candidate"])
def test_a_wrong_side_is_named_on_each_case_on_which_it_is_wrong(check, side: str) -> None:
    def wrong(x):
        y = 2 * x
        y[300:] = 0.0  # beyond the smallest case
        return y

    looks = check(*(wrong if name == side else lambda x: 2 * x for name in ("baseline", "candidate")))
    assert [list(one.wrong) for one in looks] == [[], [side], [side]]


def test_a_fault_of_one_call_is_a_wrong_case(check) -> None:
    def fails(x):
        if x.numel() == 301:
            raise WorkerFault("call", "builtins.RuntimeError", "no such shape", "")
        return 2 * x

    looks = check(lambda x: 2 * x, fails)
    assert [list(one.wrong) for one in looks] == [[], ["candidate"], []]


@pytest.fixture
def sampled() -> TaskSpec:
    task = read_task(TESTS / "tiny" / "triton2triton" / "tests" / "sampled", "triton2triton/tests/sampled")
    return replace(task, cases=task.cases_of(("small",)))


def test_two_honest_samplers_may_draw_the_same(check, sampled: TaskSpec) -> None:
    """Both sides get the same seed; what one draws is no evidence against the other."""

    def honest(x, seed, count):
        generator = torch.Generator().manual_seed(int(seed))
        return torch.multinomial(x.double().softmax(1), count, replacement=True, generator=generator)

    one_a_row = replace(sampled.cases[1], axes=(("rows", 256), ("outcomes", 100), ("count", 1)), profile="full")
    looks = check(honest, honest, of=replace(sampled, cases=(one_a_row, one_a_row)))
    assert [one.wrong for one in looks] == [{}, {}]


def test_samples_that_follow_another_distribution_are_wrong(check, sampled: TaskSpec) -> None:
    def likeliest(x, seed, count):
        return x.argmax(1, keepdim=True).expand(-1, count).contiguous()

    looks = check(likeliest, likeliest, of=sampled)
    assert [list(one.wrong) for one in looks] == [["baseline", "candidate"]] * 2


def test_names_in_the_file_are_plain_json(entry: Measured) -> None:
    assert json.loads(as_text({KEY: (entry,)}))[KEY][0]["times_us"] == {FULL: [20.0, 10.0]}
    empty: Findings = {}
    assert json.loads(as_text(empty)) == {}


def test_the_closing_table_counts_by_type_of_operator_and_names_what_is_not_measured(entry: Measured) -> None:
    softmax, relu = load_task("triton2triton/arena/softmax"), load_task("torch2triton/kernelbenchx/relu")
    case, *others = softmax.cases_of(("full",))
    found = replace(
        entry, digest=softmax.digest[:DIGEST_LENGTH], times_us={case.id: (900.0,)}, wrong={}, failed=None, seconds=12.3
    )
    lines = closing_table([softmax, relu], {key_of(softmax.id, "h200-sxm"): (found,)}, "h200-sxm").splitlines()
    assert [" ".join(line.split()) for line in lines[1:]] == [
        f"arena Normalization / GEMM variants 1 1 1 1 of {1 + len(others)} 12 of 1",
        "kernelbenchx Activation 1 0 0 0 of 0 -",
        f"together 2 1 1 1 of {1 + len(others)} 12 of 1",
        f"not measured: {relu.id}",
    ]
