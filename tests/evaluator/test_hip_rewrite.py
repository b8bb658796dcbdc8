"""Rewriting HIP to C++, without a compiler, and features that the runtime lacks."""

from __future__ import annotations

import re
import time
from contextlib import suppress

import pytest

from evaluator.hip.prepare import SOURCES
from evaluator.inside.hip_cpu.features import SUPPORTED_BUILTINS, unsupported_features
from evaluator.inside.hip_cpu.masking import SourceError, mask
from evaluator.inside.hip_cpu.rewrite import rewrite


def launch(configuration: str, callee: str, arguments: str) -> str:
    comma = ", " if arguments else ""
    lane = f"[&](auto&... hipcpu_arguments) {{ {callee}(hipcpu_arguments...); }}"
    return f"::hipcpu::launch(::hipcpu::Configuration({configuration}), {lane}{comma}{arguments})"


@pytest.mark.parametrize(
    ("callee", "configuration", "arguments"),
    [
        ("k", "1, 64", "x, n"),
        ("k", "1, 64", ""),
        ("k", "dim3((n + 1) / 2, 3), dim3(f(1, 2)), 4 * sizeof(float), stream()", "x.data_ptr<float>(), g(a, (b))"),
        ("k<float, 4>", "1, 64", "x"),
        ("k<A<B<int>>, (2 > 1)>", "n >> 2, 1 << 3", "x"),
        ("space::inner<T>::k", "1, 64", "x"),
        ("::k", "1, 64", "x"),
        ("(k<float, 4>)", "1, 64", "x"),
        ("table[i + 1]", "1, 64", "x"),
        ("self->kernels.first", "1, 64", "x"),
        ("name##_kernel", "1, 64", "__VA_ARGS__"),
        ("k<decltype(a->b)>", "1, 64", "[&] { return 1; }()"),
    ],
)
@pytest.mark.parametrize("around", ["{}", "return {};", "if (x) {}; else {};", "call([&] { {}; });"])
def test_a_launch_becomes_a_call(callee: str, configuration: str, arguments: str, around: str) -> None:
    source = around.replace("{}", f"{callee}<<<{configuration}>>>({arguments})")
    assert rewrite(source) == around.replace("{}", launch(configuration, callee, arguments))


@pytest.mark.parametrize(
    "text",
    [
        "// k<<<1, 64>>>(x);\n",
        "/* k<<<1, 64>>>(x);\n extern __shared__ float s[]; */",
        'const char* s = "k<<<1, 64>>>(x) \\" // ";',
        'auto s = R"x(k<<<1, 64>>>(x) )" )x";',
        "char c = '\"'; int million = 1'000'000; char quote = '\\'';",
        "a << b; c >> d; v<w<x>>(y); extern float shared[]; __shared__ float s[4];",
        'extern "C" { int f(); }',
    ],
)
def test_other_text_is_unchanged(text: str) -> None:
    assert rewrite(text) == text


def test_brackets_in_comments_and_strings_do_not_count() -> None:
    source = """k /* ( */ <<<1, /* >>> */ 64>>>(x /* ) */, ")", ')', "<<<");"""
    assert rewrite(source) == launch("1, /* >>> */ 64", "k /* ( */ ", """x /* ) */, ")", ')', "<<<\"""") + ";"


@pytest.mark.parametrize(
    ("declaration", "element", "name", "bounds"),
    [
        ("extern __shared__ float s[];", "float", "s", "[]"),
        ("__shared__ extern float s[];", "float", "s", "[]"),
        ("extern __shared__ __align__(16) unsigned char raw[];", "unsigned char", "raw", "[]"),
        ("extern __shared__ alignas(sizeof(float4)) char raw[] ;", "char", "raw", "[]"),
        ("extern volatile __shared__ float s[];", "volatile float", "s", "[]"),
        ("extern __shared__ T t[][32];", "T", "t", "[][32]"),
        ("extern __shared__ std::pair<int, float>* p[];", "std::pair<int, float>*", "p", "[]"),
        ("extern __shared__ float s[] __attribute__((aligned(16)));", "float", "s", "[]"),
    ],
)
def test_a_dynamic_array_becomes_a_reference(declaration: str, element: str, name: str, bounds: str) -> None:
    wanted = f"{element} (&{name}){bounds} = ::hipcpu::dynamic_shared_array<{element} {bounds}>();"
    assert rewrite(f"void f() {{ {declaration} }}") == f"void f() {{ {wanted} }}"


def test_line_numbers_do_not_change() -> None:
    launched = "a\nk<A,\n  B>\n<<<dim3(1),\n64>>>\n(x, // last\n y\n);\n"
    source = launched + "extern\n__shared__\nfloat s[];\n#define L \\\n k<<<1,\\\n 2>>>(x)\nz\n"
    lines = rewrite(source).splitlines()
    assert len(lines) == len(source.splitlines())
    assert lines.index("z") == source.splitlines().index("z")


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ("\nk<<<1, 64>>(x);", 2, "this `<<<` has no matching `>>>`"),
        ("k<<<1, (64>>>(x);", 1, "this `(` does not close"),
        ("k<<<1, 64>>>(x;}", 1, "this `(` does not close"),
        ("\n\nk<<<1, 64>>>(f(x);", 3, "this `(` does not close"),
        ("k<<<1, 64>>> x;", 1, "a launch `<<<...>>>` needs its arguments in parentheses"),
        ("<<<1, 64>>>(x);", 1, "a launch `<<<...>>>` needs a kernel before it"),
        ("k><<<1, 64>>>(x);", 1, "this `>` before a launch was never opened"),
        ("k)<<<1, 64>>>(x);", 1, "this `)` was never opened"),
        ("a\n/* k<<<1, 64>>>(x);", 2, "this comment does not end"),
        ('a\n auto s = R"(k', 2, "this raw string does not end"),
        (
            "extern __shared__ float a[], b[];",
            1,
            "this `extern __shared__` is not of the form `extern __shared__ type name[];`",
        ),
    ],
)
def test_malformed_text_is_an_error_with_its_line(source: str, line: int, message: str) -> None:
    with pytest.raises(SourceError) as error:
        rewrite(source)
    assert (error.value.line, error.value.message) == (line, message)


@pytest.mark.parametrize(
    "hostile",
    [
        "k<<<" * 50_000,
        "(" * 200_000 + "k<<<1, 2>>>(x)",
        "k" + "<" * 200_000,
        "k<<<1, 2>>>(" * 20_000,
        "extern " * 50_000 + "__shared__ x;",
        "extern __shared__ " + "a " * 100_000 + ";",
        "const " * 100_000 + "extern __shared__ float s[];",
        '"' * 200_001,
        "/" * 200_000,
        "k<1>" * 50_000 + "<<<1, 2>>>(x);",
        "k<<<1, 2>>>(x);" * 20_000,
    ],
    ids=lambda text: text[:16],
)
def test_hostile_text_takes_no_longer_than_its_length_allows(hostile: str) -> None:
    begin = time.process_time()
    for look in (rewrite, unsupported_features):
        with suppress(SourceError):
            look(hostile)
    assert time.process_time() - begin < 30


def test_masking_keeps_length_and_lines() -> None:
    text = 'int a; // b\n/* c\nd */ "e\\"f" \'g\' R"(h\ni)" j'
    masked = mask(text)
    assert len(masked) == len(text)
    assert masked.count("\n") == text.count("\n")
    assert masked.split() == ["int", "a;", "j"]


@pytest.mark.parametrize(
    ("text", "features"),
    [
        (
            "c = __builtin_amdgcn_mfma_f32_16x16x4f32(a, b, c, 0, 0, 0);",
            ["the builtin __builtin_amdgcn_mfma_f32_16x16x4f32"],
        ),
        ("x = __builtin_amdgcn_readfirstlane(x);", []),
        ('asm volatile("s_nop 0");', ["inline assembly"]),
        ('__asm__ __volatile__ ("v_add_f32 %0, %1, %1" : "=v"(x) : "v"(y));', ["inline assembly"]),
        ('asm volatile("" ::: "memory");', []),
        ('// asm volatile("s_nop 0"); __builtin_amdgcn_mfma\n', []),
        ("#include <cooperative_groups.h>\n", ["cooperative groups"]),
        ("auto grid = cooperative_groups::this_grid();", ["cooperative groups"]),
        ("#include <hipblas/hipblas.h>\n# include <hipcub/hipcub.hpp>\n", ["hipBLAS", "hipCUB"]),
        ("#include <rocprim/rocprim.hpp>\n#include <rocwmma/rocwmma.hpp>\n", ["rocPRIM", "rocWMMA"]),
        ('#include "ck/ck.hpp"\n', ["Composable Kernel"]),
        ("// #include <hipblas/hipblas.h>\n", []),
        ("#include <hip/hip_runtime.h>\n#include <hip/hip_fp16.h>\n#include <ATen/hip/HIPContext.h>\n", []),
        ("float v = tex2D<float>(t, x, y);", ["textures"]),
        ("hipGraphLaunch(g, s);", ["HIP graphs"]),
        ("/* no end", []),
    ],
)
def test_features_the_runtime_lacks_are_named(text: str, features: list[str]) -> None:
    assert unsupported_features(text) == features


def test_the_supported_builtins_are_those_that_the_header_defines() -> None:
    header = (SOURCES / "cpu/hipcpu/builtins.h").read_text()
    assert set(re.findall(r"#define __builtin_amdgcn_(\w+)", header)) == SUPPORTED_BUILTINS


def test_qualifiers_where_no_attribute_may_stand_are_dropped_with_their_lines_kept() -> None:
    source = "each<<<1, 64>>>([=] __host__\n __device__ (int i) { return a[i]; }, n);"
    assert rewrite(source) == launch("1, 64", "each", "[=]\n (int i) { return a[i]; }, n") + ";"
    assert rewrite("__device__ float a[4] = {};") == "__device__ float a[4] = {};"


def test_attributes_are_spelled_as_the_headers_know_them() -> None:
    assert rewrite("__device__ __noinline__ int f();") == "__device__ __attribute__((noinline)) int f();"
    assert rewrite("int f() __attribute__((__noinline__));") == "int f() __attribute__((__noinline__));"
    bounded = "__global__ void __attribute__((launch_bounds(64))) k();"
    assert rewrite(bounded) == bounded.replace("launch_bounds", "hipcpu_launch_bounds")


def test_groups_within_a_block_are_supported_and_those_of_a_grid_are_not() -> None:
    include = "#include <hip/hip_cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
    assert unsupported_features(include + "auto b = cg::this_thread_block();") == []
    assert unsupported_features(include + "auto g = cg::this_grid();") == ["cooperative groups"]
