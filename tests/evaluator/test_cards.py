"""A run on several cards. Here a card's process is a thread, with an evaluator that gives every candidate a pass."""

from __future__ import annotations

import os
import threading
from multiprocessing import Pipe
from pathlib import Path
from types import SimpleNamespace

import pytest

from evaluator.__main__ import main
from evaluator.agents.catalog import read_agent
from evaluator.backends.cards import Card, chosen, near_cores, rocm_names, shares
from evaluator.cli import cards as cli
from evaluator.cli.cards import Hand, as_for, hand_out, serve
from evaluator.cli.runfolder import SuiteRun, facts_of, run_suite
from evaluator.errors import HostError, UsageError
from evaluator.tasks.suites import load_suite
from tests.evaluator.test_runfolder import CountingEvaluator

CARDS = [Card(f"GPU-{name}", {"CUDA_VISIBLE_DEVICES": f"GPU-{name}"}) for name in "ab"]


class OnCard(CountingEvaluator):
    """Waits at its first task for the other card: so each has one, and the first ends last."""

    def __init__(self, other: threading.Barrier, *, fails: bool = False) -> None:
        super().__init__()
        self.other, self.fails = other, fails

    def evaluate(self, task, candidate, *, sessions):
        if not self.calls:
            self.other.wait(20)
        if self.fails:
            raise SystemExit
        return super().evaluate(task, candidate, sessions=sessions)


@pytest.fixture
def run(tmp_path: Path) -> SuiteRun:
    return SuiteRun(load_suite("smoke"), read_agent("expert"), tmp_path / "run")


def hands(run: SuiteRun, evaluators: list) -> list[Hand]:
    found = []
    for card, evaluator in zip(CARDS, evaluators, strict=True):
        ours, theirs = Pipe()

        def work(theirs=theirs, evaluator=evaluator) -> None:
            with theirs:
                serve(theirs, run, evaluator)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        found.append(Hand(card.name, ours, thread))  # type: ignore[arg-type]
    return found


def test_two_cards_share_the_tasks_and_the_results_are_those_of_one(run: SuiteRun, tmp_path: Path) -> None:
    barrier, seen = threading.Barrier(2), []
    both = [OnCard(barrier), OnCard(barrier)]
    outcomes = hand_out(run, hands(run, both), lambda name, outcome: seen.append((name, outcome is None)))
    ids = [task.id for task in run.suite.tasks]
    assert [outcome.record.task.id for outcome in outcomes] == ids
    assert sorted(both[0].calls + both[1].calls) == sorted(ids)
    assert all(one.calls for one in both)
    assert [name for name, begins in seen if begins] == ids, "handed out in the suite's order"
    assert sorted(name for name, begins in seen if not begins) == sorted(ids)
    run_suite(run.suite, "expert", CountingEvaluator(), tmp_path / "one")
    assert (tmp_path / "run.zip").read_bytes() == (tmp_path / "one.zip").read_bytes()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_card_that_fails_loses_its_task_alone_and_the_next_run_evaluates_what_is_missing(run: SuiteRun) -> None:
    barrier = threading.Barrier(2)
    pair = [OnCard(barrier), OnCard(barrier, fails=True)]
    with pytest.raises(HostError, match="card GPU-b: its process has ended"):
        hand_out(run, hands(run, pair), lambda *_: None)
    kept = {path.name for path in (run.folder / "records").iterdir()}
    assert len(kept) == len(pair[0].calls)
    assert not run.folder.with_name("run.zip").exists()
    second = CountingEvaluator()
    hand_out(run, hands(run, [second, CountingEvaluator()])[:1], lambda *_: None)
    assert len(second.calls) == len(run.suite.tasks) - len(kept)


def test_a_card_that_is_gone_when_it_gets_a_task_leaves_the_others_to_finish_theirs(run: SuiteRun) -> None:
    good = CountingEvaluator()
    first, second = hands(run, [good, CountingEvaluator()])
    ours, theirs = Pipe()
    theirs.send(facts_of(good.backend))
    theirs.close()
    with pytest.raises(HostError, match="card GPU-b: its process has ended"):
        hand_out(run, [first, second._replace(connection=ours)], lambda *_: None)
    assert len(list(run.folder.glob("records/*"))) == len(good.calls)


def test_a_card_of_another_kind_takes_no_part_in_a_run(run: SuiteRun) -> None:
    other = CountingEvaluator()
    other.backend = SimpleNamespace(name="cpu", device_class="another", has_clock=False)
    with pytest.raises(UsageError, match="differs in device_class"):
        hand_out(run, hands(run, [CountingEvaluator(), other]), lambda *_: None)


def test_a_cards_process_sees_that_card_alone_and_keeps_to_its_cores(monkeypatch) -> None:
    allowed = os.sched_getaffinity(0)
    monkeypatch.setenv("HIP_VISIBLE_DEVICES", "0,1")
    card = Card("1", {"ROCR_VISIBLE_DEVICES": "1", "HIP_VISIBLE_DEVICES": None})
    with as_for(card, {min(allowed)}):
        assert (os.environ["ROCR_VISIBLE_DEVICES"], os.environ.get("HIP_VISIBLE_DEVICES")) == ("1", None)
        assert os.sched_getaffinity(0) == {min(allowed)}
    assert (os.environ.get("ROCR_VISIBLE_DEVICES"), os.environ["HIP_VISIBLE_DEVICES"]) == (None, "0,1")
    assert os.sched_getaffinity(0) == allowed


def test_an_interrupted_run_ends_its_processes_and_a_finished_one_waits_for_them(run: SuiteRun, monkeypatch) -> None:
    ended = []

    class Process:
        def terminate(self) -> None:
            ended.append("terminated")

        def join(self, timeout: float | None = None) -> None:
            ended.append("joined" if timeout is None else "awaited")

        def kill(self) -> None:
            ended.append("killed")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_started", lambda run, card, *_: Hand(card.name, Pipe()[0], Process()))
    monkeypatch.setattr(cli, "hand_out", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cli.run_on_cards(run, CARDS, "cuda", "auto", lambda *_: None)
    assert ended == [*["terminated"] * 2, *["awaited", "killed"] * 2, *["joined"] * 2]
    ended.clear()
    monkeypatch.setattr(cli, "hand_out", lambda *_: [])
    assert cli.run_on_cards(run, CARDS, "cuda", "auto", lambda *_: None) == []
    assert ended == ["joined"] * 2, "they close their sandboxes undisturbed"


def test_cards_are_chosen_by_number_or_uuid() -> None:
    assert chosen("all", CARDS) == CARDS
    assert chosen("1,GPU-a", CARDS) == CARDS[::-1]
    with pytest.raises(UsageError, match=r"seen '2'; expected `all`, or some of 0 \(GPU-a\), 1 \(GPU-b\)"):
        chosen("0,2", CARDS)
    with pytest.raises(UsageError, match="a card twice"):
        chosen("0,GPU-a", CARDS)


def test_several_evaluations_need_a_card(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "--suite", "smoke", "--agent", "expert", "--out", str(tmp_path / "run"), "--evaluations", "2"]
    assert main(words) == 2
    assert "--evaluations does nothing without --devices" in capsys.readouterr().err


def test_a_cpu_has_no_cards_to_choose(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "--suite", "smoke", "--agent", "expert", "--out", str(tmp_path / "run"), "--devices", "all"]
    assert main(words) == 2
    assert "the backend cpu has one device" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("outer", "inner", "names"),
    [("", "", ["0", "1"]), ("4,7", "", ["4", "7"]), ("", "3,2", ["3", "2"]), ("4,GPU-x", "1,0", ["GPU-x", "4"])],
)
def test_amd_cards_keep_their_names_where_a_host_shows_some(outer: str, inner: str, names: list[str]) -> None:
    assert rocm_names({"ROCR_VISIBLE_DEVICES": outer, "HIP_VISIBLE_DEVICES": inner}, 2) == names


def test_cores_are_divided_within_a_numa_node_and_both_threads_of_a_core_go_together(tmp_path: Path) -> None:
    for core in range(8):
        folder = tmp_path / f"cpu{core}" / "topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(f"{core % 4},{core % 4 + 4}\n")
    near = [frozenset({0, 1, 4, 5}), frozenset({2, 3, 6, 7}), frozenset({2, 3, 6, 7})]
    cards = [Card(str(index), {}, cores) for index, cores in enumerate(near)]
    assert shares(cards, range(8), tmp_path) == [{0, 1, 4, 5}, {2, 6}, {3, 7}]
    unknown = [*cards[:1], Card("1", {})]
    assert shares(unknown, range(8), tmp_path) == [{0, 1, 4, 5}, {2, 3, 6, 7}]
    assert shares(cards, {2}, tmp_path) == [{2}] * 3, "more cards than cores"
    assert shares(2 * cards[:1], range(8), tmp_path) == [{0, 4}, {1, 5}], "two evaluations on one card"


def test_the_cores_near_a_card_are_read_from_sysfs(tmp_path: Path) -> None:
    bus = tmp_path / "0000:1b:00.0"
    bus.mkdir()
    (bus / "local_cpulist").write_text("0-2,8\n")
    card = SimpleNamespace(pci_domain_id=0, pci_bus_id=0x1B, pci_device_id=0)
    assert near_cores(card, tmp_path) == {0, 1, 2, 8}
    assert near_cores(SimpleNamespace(pci_domain_id=1, pci_bus_id=0, pci_device_id=0), tmp_path) == frozenset()
    assert near_cores(SimpleNamespace(), tmp_path) == frozenset()
