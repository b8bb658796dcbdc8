"""What is read from a module of LLVM: kernels with their bounds and shared variables, variables on the device."""

from __future__ import annotations

from evaluator.inside.hip_cpu.kernels import add_runtime_facts

MODULE = """\
@table = global [2 x %"struct.(anonymous namespace)::P"] zeroinitializer, align 16
@host = global [4 x float] zeroinitializer, align 16
@elsewhere = external global i32, align 4
@tile = internal global [64 x %struct.P] undef, section "hipcpu_shared", align 16
@other = internal global [8 x i8] undef, section "hipcpu_shared", align 16
@calls = internal constant [1 x ptr] [ptr @helper]
@.str = private unnamed_addr constant [14 x i8] c"hipcpu_device\\00", section "llvm.metadata"
@.str.1 = private unnamed_addr constant [6 x i8] c"k.hip\\00", section "llvm.metadata"
@.str.2 = private unnamed_addr constant [14 x i8] c"hipcpu_kernel\\00", section "llvm.metadata"
@.str.3 = private unnamed_addr constant [14 x i8] c"hipcpu_bounds\\00", section "llvm.metadata"
@.args = private unnamed_addr constant { i32, i32 } { i32 128, i32 2 }, section "llvm.metadata"
@.args.1 = private unnamed_addr constant { i64 } { i64 64 }, section "llvm.metadata"
@llvm.global.annotations = appending global [6 x { ptr, ptr, ptr, i32, ptr }] [\
{ ptr, ptr, ptr, i32, ptr } { ptr @table, ptr @.str, ptr @.str.1, i32 1, ptr null }, \
{ ptr, ptr, ptr, i32, ptr } { ptr @elsewhere, ptr @.str, ptr @.str.1, i32 1, ptr null }, \
{ ptr, ptr, ptr, i32, ptr } { ptr @helper, ptr @.str, ptr @.str.1, i32 2, ptr null }, \
{ ptr, ptr, ptr, i32, ptr } { ptr @k, ptr @.str.2, ptr @.str.1, i32 3, ptr null }, \
{ ptr, ptr, ptr, i32, ptr } { ptr @k, ptr @.str.3, ptr @.str.1, i32 3, ptr @.args }, \
{ ptr, ptr, ptr, i32, ptr } { ptr @k, ptr @.str.3, ptr @.str.1, i32 3, ptr @.args.1 }], section "llvm.metadata"

define float @helper(float %0) #0 {
  store float %0, ptr @tile, align 4
  ret float %0
}

define void @k(ptr %0) #1 {
  %2 = load ptr, ptr @calls, align 8
  ret void
}

define internal void @k.specialized.1(ptr %0) #1 {
  ret void
}

define void @host_function() {
  store i8 0, ptr @other, align 1
  ret void
}
"""


def test_a_kernel_has_its_smallest_bounds_and_the_shared_variables_that_it_reaches() -> None:
    lines = add_runtime_facts(MODULE).splitlines()
    size = "ptrtoint (ptr getelementptr ([64 x %struct.P], ptr null, i32 1) to i64)"
    assert (
        "@hipcpu_kernel.0 = internal constant { ptr, i64, i64, ptr } "
        f"{{ ptr @k, i64 64, i64 {size}, ptr @hipcpu_symbol.0 }}"
    ) in lines
    assert "@hipcpu_kernel_count = hidden constant i64 2" in lines, "the kernel and its clone"


def test_each_kernel_tells_the_runtime_first_that_it_begins() -> None:
    lines = add_runtime_facts(MODULE).splitlines()
    begin = lines.index("define void @k(ptr %0) #1 {")
    clone = lines.index("define internal void @k.specialized.1(ptr %0) #1 {")
    assert lines[begin + 1] == "  call void @hipcpu_enter(ptr @hipcpu_kernel.0)"
    assert lines[clone + 1] == "  call void @hipcpu_enter(ptr @hipcpu_kernel.1)"
    assert sum("call void @hipcpu_enter" in line for line in lines) == 2


def test_variables_on_the_device_are_those_that_the_source_says_and_defines() -> None:
    lines = add_runtime_facts(MODULE).splitlines()
    size = 'ptrtoint (ptr getelementptr ([2 x %"struct.(anonymous namespace)::P"], ptr null, i32 1) to i64)'
    assert (
        f"@hipcpu_variables = hidden constant [1 x {{ ptr, i64 }}] [{{ ptr, i64 }} {{ ptr @table, i64 {size} }}]"
        in lines
    )
