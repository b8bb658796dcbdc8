"""What a compiler and an object say of a .hip source: names, fields, assembly and what runs before any call."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from evaluator.gates.plain.found import LABELS
from evaluator.gates.plain.hip_names import rule_of
from evaluator.gates.symbols import findings_of, plain_name
from evaluator.inside.hip_cpu import build_cpu
from evaluator.inside.hip_cpu.objects import open_names, system_calls
from evaluator.inside.hip_cpu.own_code import read_own_code
from evaluator.inside.hip_cpu.uses import uses_of

HIP = Path(__file__).parent / "hip"
MARK = re.compile(r"//! (\S+) (\S+)$")
NOTHING = {
    "unread": "",
    "names": [],
    "fields": [],
    "assembly": [],
    "before_calls": [],
    "open_names": [],
    "system_calls": [],
}


@pytest.fixture(scope="module")
def built(hip_toolchain, tmp_path_factory):
    """The build of hip/ways_around.hip, and its folder."""
    folder = tmp_path_factory.mktemp("ways_around")
    made = build_cpu(HIP / "ways_around.hip", "candidate", folder, hip_toolchain, 300)
    assert made["ok"], made["log"]
    return made, folder


def test_every_way_past_the_text_is_found_on_its_line(built):
    said = {(one.line, one.rule, one.name) for one in findings_of(built[0]["uses"])}
    lines = (HIP / "ways_around.hip").read_text(encoding="utf-8").splitlines()
    marked = {(number, *mark.groups()) for number, line in enumerate(lines, 1) if (mark := MARK.search(line))}
    assert len(marked) >= 40
    assert marked - said == set()
    assert {line for line, _, _ in said} - {0} == {line for line, _, _ in marked}  # nothing on any other line
    assert not {rule for _, rule, _ in marked} & set(LABELS)


def test_the_object_alone_tells_most_of_it(built):
    """What hosts without this compiler have: the open names of the object, and its instructions."""
    left = {one.name for one in findings_of(built[0]["uses"] | {"names": [], "fields": [], "assembly": []})}
    assert {"getenv", "system", "dlsym", "popen", "vfork", "environ", "PyEval_SetProfile", "std::thread::join"} <= left
    assert {"std::basic_filebuf::open", "at::_ops::neg::redispatch", "torch::Library::Library", "syscall"} <= left


def test_a_function_without_debug_information_counts_as_the_sources_own(built):
    assert "getpgid" in {one.name for one in findings_of(built[0]["uses"]) if one.rule == "unlisted_name"}


def test_an_extension_with_nothing_special_uses_nothing_unlisted(hip_toolchain, tmp_path):
    source = Path(__file__).parents[2] / "evaluator/hip/reference.hip"
    made = build_cpu(source, "candidate", tmp_path, hip_toolchain, 300)
    assert made["uses"]["unread"] == ""
    assert list(findings_of(made["uses"])) == []
    assert made["uses"]["names"] == made["uses"]["open_names"] == []


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("float* at::TensorBase::data_ptr<float>() const", "at::TensorBase::data_ptr"),
        ("std::ostream& std::operator<< <std::char_traits<char>>(std::ostream&, char const*)", "std::operator@"),
        ("hipstream::Stream::operator hipcpu_stream*() const", "hipstream::Stream::operator"),
        ("std::thread::thread<main::'lambda'(), , void>(main::'lambda'()&&)", "std::thread::thread"),
        ("at::Tensor::operator=(at::Tensor&&) &", "at::Tensor::operator="),
        ("vtable for std::basic_filebuf<char, std::char_traits<char>>", "std::basic_filebuf"),
        ("guard variable for own(int)::kept", "own::kept"),
        ("erff", "erff"),
        ("broken<(", "broken<("),
    ],
)  # fmt: skip
def test_a_name_is_judged_without_its_types(name, plain):
    assert plain_name(name) == plain


def test_a_long_name_is_not_looked_into():
    name = "std::vector<" + "a" * 30_000 + ">::size() const"
    assert rule_of(plain_name(name)) == "unlisted_name"


@pytest.mark.parametrize(
    "name", ["system", "getenv", "at::Tensor::set_", "at::_ops::set__source_Tensor::call", "std::basic_ifstream::open",
             "std::__basic_file::open", "std::__future_base::_State", "std::_V2::error_category", "own::function",
             "pybind11::handle::ptr", "pybind11::module_::import", "hipHostMalloc", "at::_ops::add_Tensor::redispatch"],
)  # fmt: skip
def test_what_no_kernel_needs_is_on_no_list(name):
    assert rule_of(name) == "unlisted_name"


@pytest.mark.parametrize("uses", [{}, NOTHING | {"unread": "it broke"}, NOTHING | {"names": [(1, "erff")] * 6_000}])
def test_what_cannot_be_read_is_found(uses):
    assert [one.rule for one in findings_of(uses)] == ["unreadable_object"]


def test_nothing_used_is_nothing_found():
    assert list(findings_of(NOTHING)) == []


@pytest.mark.parametrize("cut", [0, 4, 30, 200, -200])
def test_a_damaged_object_is_unread(built, cut, hip_toolchain, tmp_path):
    whole = (built[1] / "candidate.o").read_bytes()
    assert "getenv" in open_names(whole)
    damaged = tmp_path / "damaged.o"
    damaged.write_bytes(whole[:cut])
    assert uses_of(damaged, None, (), hip_toolchain)["unread"]


def test_without_its_tools_an_object_is_unread(built, hip_toolchain, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    tools = hip_toolchain | {"demangler": "/nowhere/cxxfilt", "disassembler": "/nowhere/objdump"}
    assert "FileNotFoundError" in uses_of(built[1] / "candidate.o", None, (), tools)["unread"]


def test_a_system_call_is_seen_in_the_code_of_an_object(built, hip_toolchain):
    assert system_calls(built[1] / "candidate.o", hip_toolchain) == ["syscall"]


@pytest.mark.parametrize("text", ["define nothing", "@ = global i32 0"])
def test_another_form_of_llvm_is_not_read(text):
    with pytest.raises(ValueError, match="without a name"):
        read_own_code(f"{text}\n", {"kernel.hip"}, Path("/headers"))


def test_the_report_is_plain_json(built):
    assert list(findings_of(json.loads(json.dumps(built[0]["uses"])))) == list(findings_of(built[0]["uses"]))
