"""The tuner finds the knobs of a source, and keeps only what is correct and better."""

from __future__ import annotations

import ast
import dataclasses
import re

import pytest

from evaluator.agents import catalog
from evaluator.agents.block_tuner.goal import score_of
from evaluator.agents.block_tuner.hip_knobs import hip_knobs
from evaluator.agents.block_tuner.knobs import apply_choices
from evaluator.agents.block_tuner.launcher import knobs_of, launch
from evaluator.agents.block_tuner.triton_knobs import triton_knobs
from evaluator.records.reasons import Status
from evaluator.records.record import ISA_NUMBERS, IsaReport
from evaluator.tasks.reader import load_task
from tests.agents.contexts import ScriptedCheck, context_for
from tests.covered import covered
from tests.evaluator.test_records import passed, wrong

SOFTMAX = "triton2triton/arena/softmax"
TRITON = """
@triton.jit
def kernel(x, n, BLOCK: tl.constexpr): ...
@triton.autotune(configs=[triton.Config({"BLOCK": 64}, num_warps=4)], key=["n"])
@triton.jit
def tuned(x, n, BLOCK: tl.constexpr): ...
def forward(x):
    wide = min(512, triton.next_power_of_2(n)) if n > 128 else 32
    kernel[(triton.cdiv(n, 1024),)](x, n, BLOCK=1024, num_warps=8)
    kernel[(n,)](x, n, BLOCK=wide, num_stages=3)
    tuned[(n,)](x, n)
    other(x, BLOCK=256)
"""
HIP = """
// constexpr int THREADS = 999;
constexpr int THREADS = 256;
constexpr int MOST_HEADS = 64;
#define TILE 16
template <typename T>
__global__ void first(const T* x) { }
__global__ void __launch_bounds__(128) second(float* x) { }
__global__ void third(float* x) { }
void forward() {
  first<float><<<dim3(rows, 3), THREADS, 0, stream>>>(x);
  second<<<blocks, 128>>>(x);
  dim3 block(TILE, 8);
  third<<<blocks, block, 0, stream>>>(x);
  fourth<<<blocks, dim3(TILE, TILE), TILE * sizeof(float), stream>>>(x);
}
"""


def names(knobs):
    return [re.sub(r" \(line \d+\)", "", knob.name) for knob in knobs]


def test_it_finds_what_launches_of_kernels_are_given():
    found = triton_knobs("k.py", TRITON.encode())
    assert sorted(names(found)) == [
        *["BLOCK"] * 4,  # of the Config, 512 and 32 of `wide`, 1024 with its grid
        *("num_stages of kernel", "num_stages of kernel", "num_warps of Config"),
        *("num_warps of kernel", "num_warps of kernel"),
    ]
    assert {knob.choices[knob.start] for knob in found if knob.name.startswith("BLOCK")} == {"64", "512", "32", "1024"}


def test_a_grid_turns_with_the_block_it_is_made_for():
    [knob] = [knob for knob in triton_knobs("k.py", TRITON.encode()) if len(knob.places) == 2]
    text = apply_choices({"k.py": TRITON.encode()}, {knob: 0})["k.py"].decode()
    assert "kernel[(triton.cdiv(n, 256),)](x, n, BLOCK=256, num_warps=8)" in text


def test_every_knob_at_once_leaves_a_source_that_parses():
    knobs = triton_knobs("k.py", TRITON.encode())
    text = apply_choices({"k.py": TRITON.encode()}, dict.fromkeys(knobs, 0))["k.py"]
    ast.parse(text)
    assert b"kernel[(n,)](x, n, BLOCK=wide, num_stages=1, num_warps=1)" in text


def test_a_text_with_other_letters_before_a_knob_is_cut_in_the_right_place():
    source = '"""größe ε"""\n'.encode() + TRITON.encode()
    knob = next(knob for knob in triton_knobs("k.py", source) if knob.name.startswith("num_warps of kernel"))
    assert b"num_warps=16)" in apply_choices({"k.py": source}, {knob: 4})["k.py"]


def test_it_finds_sizes_threads_and_bounds_of_hip():
    found = hip_knobs("k.hip", HIP.encode())
    assert names(found) == ["THREADS", "TILE", "launch bounds of first", "threads of second", "threads of third"]
    bounds = next(knob for knob in found if knob.name == "launch bounds of first")
    assert (
        "__global__ __launch_bounds__(THREADS, 2) void first"
        in apply_choices({"k": HIP.encode()}, {dataclasses.replace(bounds, file="k"): 2})["k"].decode()
    )


def test_threads_go_no_further_than_a_block_may():
    [threads] = hip_knobs("k.hip", b"constexpr int THREADS = 512;")
    assert threads.choices == ("128", "256", "512", "1024")


@pytest.mark.parametrize("source", [b"def broken(:", b"", b"\0", "\ufffd".encode()])
def test_a_source_that_is_none_has_no_knobs(source):
    assert triton_knobs("k.py", source) == []
    assert hip_knobs("k.hip", source) == []


@pytest.mark.parametrize("task_id", [task for task in covered() if not task.startswith("torch2")])
def test_every_bundled_source_has_something_to_turn(task_id):
    task = load_task(task_id)
    sources = {name: (task.folder / name).read_bytes() for name in task.editable}
    knobs = knobs_of(sources)
    assert knobs
    for knob in knobs:
        for place in knob.places:
            assert sources[knob.file][slice(*place)].decode() == knob.choices[knob.start]


def report(occupancy, spills=0, code=1000):
    numbers = {**dict.fromkeys(ISA_NUMBERS), "occupancy": occupancy, "vgpr_spills": spills, "code_bytes": code}
    return IsaReport("candidate", "gfx942", "softmax_kernel", "", None, numbers)


def judged_by(**texts):
    """passed, with the occupancy that a text in the source earns; `wrong` where it is None."""

    def judge(candidate):
        source = candidate.files["softmax.py"].decode()
        found = [value for text, value in texts.items() if re.search(text.replace("_is_", r"\D*"), source)]
        if None in found:
            return wrong()
        return dataclasses.replace(passed(), isa=(report(max(found, default=4)),))

    return judge


def test_it_keeps_what_is_right_and_better():
    check = ScriptedCheck(judged_by(min_is_2048=8, min_is_4096=None))
    work = launch(context_for("block_tuner", load_task(SOFTMAX), check))
    assert b"min(2048" in work.candidate.files["softmax.py"]
    assert (work.ended, work.message) == ("finished", None)
    assert any(entry.failed for entry in work.transcript)


def test_two_searches_are_the_same_and_repeats_begin_elsewhere():
    digests = []
    for repeat in (0, 0, 1):
        check = ScriptedCheck(judged_by())
        launch(context_for("block_tuner", load_task(SOFTMAX), check, repeat=repeat))
        digests.append([candidate.digest for candidate in check.seen])
    assert digests[0] == digests[1]
    assert digests[0][1] != digests[2][1]
    assert len(set(digests[0])) == len(digests[0])  # nothing is checked twice


@pytest.mark.parametrize(("allowed", "checked"), [(3, "3 versions were"), (1, "1 version was")])
def test_it_checks_no_more_versions_than_allowed(allowed, checked):
    check = ScriptedCheck(judged_by())
    work = launch(context_for("block_tuner", load_task(SOFTMAX), check, {"max_iterations": allowed}))
    assert len(check.seen) == allowed
    assert work.message == f"{checked} checked, the most allowed"


def test_it_stops_when_no_time_is_left():
    work = launch(context_for("block_tuner", load_task(SOFTMAX), ScriptedCheck(judged_by()), deadline=0.0))
    assert work.ended == "timed_out"
    assert work.candidate.files["softmax.py"] == (load_task(SOFTMAX).folder / "softmax.py").read_bytes()


def test_it_gives_up_where_the_start_does_not_pass():
    check = ScriptedCheck(lambda candidate: wrong())
    assert launch(context_for("block_tuner", load_task(SOFTMAX), check)).ended == "gave_up"
    assert len(check.seen) == 1


def test_it_submits_nothing_where_there_is_no_source_to_tune():
    check, task = ScriptedCheck(), load_task("torch2hip/arena/SiLU")
    work = catalog.launch(catalog.read_agent("block_tuner"), context_for("block_tuner", task, check))
    assert work.candidate.problems == (("other_category", "torch2hip"),)
    assert (work.ended, work.message, check.seen) == ("gave_up", "Block tuner takes no torch2hip tasks", [])
    assert (work.usage.turns, work.usage.cost_usd) == (0, 0.0)


def test_a_speed_must_be_beaten_by_the_margin_and_reports_by_anything():
    timed = [score_of(passed(), speedup, "gfx942", 0.01) for speedup in (1.0, 1.005, 1.02)]
    assert not timed[1].beats(timed[0])
    assert timed[2].beats(timed[0])
    less, more = (
        score_of(dataclasses.replace(passed(), isa=(report(*numbers),)), None, "gfx942", 0.01)
        for numbers in ((8, 0, 999), (8, 0, 1000))
    )
    assert less.beats(more)


@pytest.mark.parametrize(("worse", "better"), [((8, 1), (2, 0)), ((4, 0, 10), (5, 0, 9999)), ((4, 0, 10), (4, 0, 9))])
def test_spills_come_before_occupancy_and_that_before_code(worse, better):
    scores = [
        score_of(dataclasses.replace(passed(), isa=(report(*numbers),)), None, "gfx942", 0.0)
        for numbers in (worse, better)
    ]
    assert scores[1].beats(scores[0])


def test_what_does_not_pass_or_has_no_report_has_no_score():
    assert wrong().status is not Status.PASSED
    assert score_of(wrong(), 2.0, "gfx942", 0.0) is None
    assert score_of(dataclasses.replace(passed(), isa=()), None, "gfx942", 0.0) is None
