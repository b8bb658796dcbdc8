"""What the text of a .hip source may use: ways around the lists, held by the rule that is named, and what passes."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from evaluator.gates.plain import hip_tokens
from evaluator.gates.plain.child import read_source
from evaluator.gates.plain.found import LABELS
from evaluator.tasks.reader import load_task
from tests.covered import covered

TESTS = Path(__file__).parents[1]
KERNEL = """#include <hip/hip_runtime.h>
#include <torch/extension.h>
__global__ void kernel(float* x) { x[threadIdx.x] = 1.0f; }
torch::Tensor forward(torch::Tensor x) {
  kernel<<<1, 64>>>(x.data_ptr<float>());
  return x;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, py::arg("x")); }
"""


def found(text: str) -> set[tuple[str, str]]:
    return {(one.rule, one.name) for one in read_source("kernel.hip", text.encode())}


def held(text: str) -> set[tuple[str, str]]:
    return {(rule, name) for rule, name in found(text) if rule not in LABELS}


WAYS_AROUND = [
    # names that the preprocessor makes, and texts that a reader does not see
    ("#define JOIN(a, b) a##b\nint n = JOIN(get, pid)();", "directive", "##"),
    ("#define JOIN(a, b) a %:%: b", "hidden_text", "%:"),
    ("int a <: 3 :>;", "hidden_text", "<:"),
    ("int x = ??(1;", "hidden_text", "??("),
    ('const char* s = R"(/*)"; int n = getpid(); // */', "hidden_text", 'R"'),
    ("int \\u0061 = 1;", "hidden_text", "\\"),
    ("int größe = 1;", "hidden_text", "a letter that is not ASCII"),
    ('#line 1 "/usr/include/stdio.h"', "directive", 'line 1 "/usr/include/stdio.h"'),
    ('# 1 "/usr/include/stdio.h" 3', "directive", '1 "/usr/include/stdio.h" 3'),
    ('#inc\\\nlude "/root/secret.h"', "header", "/root/secret.h"),
    ("#include <fstream>", "header", "fstream"),
    ("#include NAME", "header", "NAME"),
    ('#embed "/proc/self/maps"', "directive", 'embed "/proc/self/maps"'),
    ('#if __has_include("/root/secret.h")\n#endif', "directive", "__has_include"),
    ("const char* now = __TIME__;", "directive", "__TIME__"),
    ("#define __attribute__(x)", "directive", "define __attribute__"),
    ("#pragma weak system", "directive", "pragma weak system"),
    ('_Pragma("weak system")', "directive", "_Pragma ("),
    ("#pragma omp parallel for", "directive", "pragma omp parallel for"),
    # libraries
    ("std::thread t(run);", "unlisted_name", "std::thread"),
    ("using std::thread;", "unlisted_name", "std::thread"),
    ("std :: /* */ thread t(run);", "unlisted_name", "std::thread"),
    ("st\\\nd::thread t(run);", "unlisted_name", "std::thread"),
    ("::std::async(run);", "unlisted_name", "std::async"),
    ("auto f = std::getenv;", "unlisted_name", "std::getenv"),
    ("template <class T = std::ifstream> T open(); ", "unlisted_name", "std::ifstream"),
    (
        "#define S std\nusing namespace S::filesystem;\nstd::filesystem::path p;",
        "unlisted_name",
        "std::filesystem::path",
    ),
    ("std::signal(11, run);", "unlisted_name", "std::signal"),
    ("std::locale::global(std::locale());", "unlisted_name", "std::locale::global"),
    ("auto t = std::chrono::steady_clock::now();", "unlisted_name", "std::chrono::steady_clock::now"),
    ("namespace s = std;", "namespace", "namespace s = …"),
    ("using namespace at;", "namespace", "using namespace at"),
    ("namespace c10 { int f(); }", "namespace", "namespace c10"),
    ("namespace at::native { int f(); }", "namespace", "namespace at::native"),
    # Python
    ("PyEval_SetProfile(hook, nullptr);", "foreign_word", "PyEval_SetProfile"),
    ("#define CALL PyRun_SimpleString\n", "foreign_word", "PyRun_SimpleString"),
    ("_Py_IDENTIFIER(x);", "foreign_word", "_Py_IDENTIFIER"),
    ("THPVariable_Wrap(x);", "foreign_word", "THPVariable_Wrap"),
    ("auto t = object->ob_type;", "foreign_word", "ob_type"),
    ('py::eval("1");', "unlisted_name", "py::eval"),
    ('py::module_::import("gc");', "unlisted_name", "py::module_::import"),
    ('py::none().attr("__class__");', "member", "attr"),
    ("struct Own { int attr; };\nauto o = py::none().attr;", "member", "attr"),
    ("void* p = m.ptr();", "member", "ptr"),
    ("PYBIND11_EMBEDDED_MODULE(a, m) {}", "foreign_word", "PYBIND11_EMBEDDED_MODULE"),
    ("py::object o;", "unlisted_name", "py::object"),
    # torch
    ("TORCH_LIBRARY_IMPL(aten, CPU, m) {}", "foreign_word", "TORCH_LIBRARY_IMPL"),
    ("C10_REGISTER_CLASS(A, b, C)", "foreign_word", "C10_REGISTER_CLASS"),
    ("c10::Dispatcher::singleton();", "unlisted_name", "c10::Dispatcher::singleton"),
    ("c10::impl::IncludeDispatchKeyGuard g(k);", "unlisted_name", "c10::impl::IncludeDispatchKeyGuard"),
    ("at::redispatch::add(k, x, y);", "unlisted_name", "at::redispatch::add"),
    ("at::_ops::add_Tensor::redispatch(k, x, y);", "unlisted_name", "at::_ops::add_Tensor::redispatch"),
    ("at::native::add(x, y);", "unlisted_name", "at::native::add"),
    ("torch::jit::load(f);", "unlisted_name", "torch::jit::load"),
    ("torch::load(x, f);", "unlisted_name", "torch::load"),
    ("x.unsafeGetTensorImpl();", "member", "unsafeGetTensorImpl"),
    ("x.storage();", "member", "storage"),
    ("struct Own { int storage; };\nx . /* */ storage();", "member", "storage"),
    ("x->set_(y);", "member", "set_"),
    ("x.template cast<int>();", "member", "cast"),
    ("x.Base::register_hook(f);", "member", "register_hook"),
    ("x.unknown_to_all();", "member", "unknown_to_all"),
    # what needs no name
    ('asm volatile("syscall" : "+a"(n));', "assembly", "asm"),
    ('asm volatile("sys" "call" : "+a"(n));', "assembly", "asm"),
    ('asm("v_nop; syscall");', "assembly", "asm"),
    ('asm("v_nop\\n.byte 0x0f, 0x05");', "assembly", "asm"),
    ('int innocent(const char*) __asm__("system");', "assembly", "__asm__"),
    ('#define TEXT "v_nop"\nasm(TEXT);', "assembly", "asm"),
    ("__attribute__((constructor)) void f() {}", "attribute", "constructor"),
    ("__attribute__((used, constructor(101))) void f() {}", "attribute", "constructor"),
    ("[[gnu::constructor]] void f() {}", "attribute", "gnu"),
    ('int g() __attribute__((ifunc("choose")));', "attribute", "ifunc"),
    ('int g() __attribute__((__alias__("own")));', "attribute", "__alias__"),
    ('__attribute__((section(".init_array"))) void (*p)() = f;', "attribute", "section"),
    ("__attribute__((weak)) int f();", "attribute", "weak"),
    ("__attribute__((nodebug)) int f() { return 1; }", "attribute", "nodebug"),
    ('extern "C" int fork();', "linkage", 'extern "C"'),
    ('extern "C" { int system(const char*); }', "linkage", 'extern "C"'),
    ("void* operator new(size_t n) { return f(n); }", "operator_new", "operator new"),
    ("auto p = __builtin_return_address(0);", "builtin", "__builtin_return_address"),
    ("auto p = __builtin_ia32_rdtsc();", "builtin", "__builtin_ia32_rdtsc"),
    # the runtime
    ("hipHostMalloc(&p, n, 0);", "runtime_function", "hipHostMalloc"),
    ("cudaHostRegister(p, n, 0);", "runtime_function", "cudaHostRegister"),
    ("hipLaunchHostFunc(s, run, p);", "runtime_function", "hipLaunchHostFunc"),
    ("hipStreamAddCallback(s, run, p, 0);", "runtime_function", "hipStreamAddCallback"),
    ("hipModuleLoadData(&m, p);", "runtime_function", "hipModuleLoadData"),
    (
        "hipError_t hipIpcOpenEventHandle(int);\nauto e = hipIpcOpenEventHandle(1);",
        "runtime_function",
        "hipIpcOpenEventHandle",
    ),
    ("rocblas_handle h; rocblasCreate(&h);", "runtime_function", "rocblasCreate"),
    ("auto r = hipcpu::context.reversed;", "of_the_evaluator", "hipcpu"),
    ("const char* e = HIPCPU_REVERSE;", "of_the_evaluator", "HIPCPU_REVERSE"),
    ("auto f = arena_fill_candidate;", "of_the_evaluator", "arena_fill_candidate"),
    # streams: whether they hold is decided in one place, by what the clock covers
    ("hipStreamBeginCapture(s, m);", "streams", "hipStreamBeginCapture"),
    ("hipEvent_t e; hipEventCreate(&e);", "streams", "hipEventCreate"),
    ("auto s = at::hip::getStreamFromPool();", "streams", "at::hip::getStreamFromPool"),
]


@pytest.mark.parametrize(("text", "rule", "name"), WAYS_AROUND, ids=[text[:40] for text, _, _ in WAYS_AROUND])
def test_a_way_around_the_lists_is_held_by_its_rule(text, rule, name):
    assert (rule, name) in found(KERNEL + text)
    assert rule not in LABELS


def test_without_them_the_same_source_is_plain_and_with_a_byte_order_mark_too():
    assert found(KERNEL) == found("\ufeff" + KERNEL) == set()


@pytest.mark.parametrize(
    "text",
    [
        "// the memory system (HBM), a signal (fp16), a socket (XCD); asm, std::thread, PyObject, extern \"C\"",
        '/* #include <fstream> */ const char* s = "std::thread ## PyRun";',
        'TORCH_CHECK(x.dim() == 2, "it\'s R", " // /*", x.size(0));',
        '#define CHECK(e) do { if ((e) != hipSuccess) fprintf(stderr, "%s", #e); } while (0)',
        "#define SAY(f, ...) printf(f, ##__VA_ARGS__)",
        "hipMemcpyToSymbol(HIP_SYMBOL(table), h.data(), sizeof h);",
        "hipMemcpyAsync(y, x, n, hipMemcpyDeviceToDevice, stream);",
        "hipStream_t s = at::hip::getCurrentHIPStream(); hipStreamSynchronize(s);",
        "const at::cuda::OptionalCUDAGuard guard(x.device());",
        "namespace cg = cooperative_groups;\nauto b = cg::this_thread_block(); b.sync();",
        "at::PackedTensorAccessor64<float, 2, at::RestrictPtrTraits> a = x.packed_accessor64<float, 2>();",
        'extern "C" __global__ void other(float* x) {}',
        "struct __attribute__((packed, aligned(16))) Four { float x, y, z, w; };",
        "[[maybe_unused]] constexpr int n = 1'000; float f = 1.e5f, g = 0x1p-3f; char c = '\\'';",
        '_Pragma("unroll") for (int i = 0; i < 4; ++i) {}',
        "auto f = [&](int64_t d) -> int64_t { return d; }; auto t = [](int) -> std::tuple<int, int> { return {}; };",
        "hipError_t hipOwnLauncher(int n) { return hipSuccess; }\nauto e = hipOwnLauncher(1);",
        "struct Own { float field; float length() const { return field; } }; Own o; float v = o.field + o.length();",
        "float v = __builtin_amdgcn_readfirstlane(1) + __builtin_nontemporal_load(p);",
    ],
)  # fmt: skip
def test_what_honest_kernels_do_is_not_held(text):
    assert held(KERNEL + text) == set()


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ('asm volatile("v_add_f32 %0, %1, %1\\n s_waitcnt lgkmcnt(0)" : "=v"(y) : "v"(x));', "device_assembly"),
        ("#if defined(__gfx942__)\n#endif", "depends_on_the_compiler"),
        ("auto y = at::softmax(x, 0);", "library_operator"),
        ("auto y = x.sum();", "library_operator"),
        ("auto n = x.item<int>();", "reads_on_the_host"),
        ("hipMemcpy(h, x, n, hipMemcpyDeviceToHost);", "reads_on_the_host"),
        ("void f() { static torch::Tensor kept; }", "keeps_state"),
        ("static int calls = 0;", "keeps_state"),
        ("namespace own { std::vector<int> seen; }", "keeps_state"),
        ("__device__ float table[4];", "keeps_state"),
    ],
)
def test_what_a_reader_should_know_is_a_label(text, label):
    assert label in {rule for rule, _ in found(KERNEL + text)}
    assert held(KERNEL + text) == set()


@pytest.mark.parametrize("text", ["static constexpr int n = 1;", "static const float f = 1; static int g(int n);"])
def test_constants_and_functions_are_no_state(text):
    assert found(KERNEL + text) == set()


def test_lines_are_those_of_the_source_where_lines_are_joined():
    text = "#define A \\\n  1\nint n;\nstd::thread \\\n t;\nstd::async(f);"
    lines = {one.name: one.line for one in read_source("kernel.hip", text.encode()) if one.rule == "unlisted_name"}
    assert lines == {"std::thread": 4, "std::async": 6}


def test_no_source_of_ours_is_held():
    sources = [path for task in map(load_task, covered()) for path in task.folder.rglob("*.hip")]
    sources += [*TESTS.glob("honest/*/*.hip"), *TESTS.glob("cheats/hip/*.twin.hip")]
    assert len(sources) > 80
    assert {path.name: held(path.read_text(encoding="utf-8")) for path in sources} == {
        path.name: set() for path in sources
    }


HOSTILE = {
    "spaces behind include": "// include" + " " * 200_000,
    "quotes": '"\\' * 100_000,
    "comments that do not end": "/*" * 100_000,
    "letters that do not end": "'\\" * 100_000,
    "attributes that do not end": "__attribute__((a" * 12_000,
    "brackets": "[[" * 100_000,
    "joints": "\\\n" * 100_000,
    "backslashes and blanks": "\\ \t" * 80_000,
    "names": "at::" * 60_000,
    "definitions": "int hipA(" * 25_000,
    "static": "static " * 35_000,
    "braces": "{" * 200_000,
    "members": "a." * 100_000,
    "assembly": 'asm("v_a' + " b" * 100_000 + '");',
    "mnemonics": 'asm("' + "v_a\\n" * 50_000 + '");',
    "pastes": "#define A a" + " ## a" * 40_000,
    "templates": "->template " * 20_000,
    "numbers": "1'1" * 80_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_text_is_read_in_time_that_grows_with_its_length(text):
    started = time.process_time()
    read_source("kernel.hip", text.encode())
    assert time.process_time() - started < 5


def test_the_rules_need_nothing_but_the_standard_library():
    code = "import sys; import evaluator.gates.plain.hip_rules; print('torch' in sys.modules or 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_token_is_what_the_compiler_sees():
    text = "a+++b ->c 1.5e-3f u8\"x\" L'y' 0x1'f"
    assert [one.text for one in hip_tokens.tokens(text)] == [
        "a",
        "+",
        "+",
        "+",
        "b",
        "->",
        "c",
        "1.5e-3f",
        'u8"x"',
        "L'y'",
        "0x1'f",
    ]
