"""Every public name of the installed Triton is listed or stays out for a reason; Hopper kernels as they are written."""

from __future__ import annotations

import importlib
import inspect

import pytest
import triton

from evaluator.gates.plain import python_names as names
from evaluator.gates.plain.child import read_source
from tests.evaluator.test_plain_python import labels, rules

LISTED = names.FUNCTIONS | names.CLASSES | names.MODULES
COMPILES = "compiles texts, files or others' functions, or hands them to threads"
OF_THE_COMPILER = "of the compiler's or the runtime's own code; no kernel names it"
CLOCK = "reads a clock"
ASSEMBLY = "assembly, whose honest use is inline_asm_elementwise with its label"
STAYS_OUT = {
    "triton": {
        **dict.fromkeys(["AsyncCompileMode", "FutureKernel", "compile"], COMPILES),
        **dict.fromkeys(["InterpreterError", "KernelInterface", "MockTensor", "must_use_result"], OF_THE_COMPILER),
        "reinterpret": "its dtype is any object, which the type of an argument is then made of; tensors have `view`",
        "TensorWrapper": "what reinterpret returns",
        "max_shared_mem": "not there any more",
        "testing": "has clocks, files and processes",
    },
    "triton.language": {
        **dict.fromkeys(["constexpr_type", "tuple_type", "tensor_descriptor_type"], OF_THE_COMPILER),
        "str_to_ty": "reads a text",
    },
    "triton.tools.tensor_descriptor": {},
    "triton.language.extra.libdevice": {},
    "triton.language.extra.cuda.libdevice": {},
    "triton.language.extra.hip.libdevice": {},
    "triton.language.extra.cuda": {
        "globaltimer": CLOCK,
        "smid": ASSEMBLY,
        **dict.fromkeys(["convert_custom_float8_sm70", "convert_custom_float8_sm80"], ASSEMBLY),
        **dict.fromkeys(["num_threads", "num_warps"], "only assembly needs it"),
        **dict.fromkeys(["gdc_launch_dependents", "gdc_wait"], "for launch_pdl, which is held"),
    },
    "triton.language.extra.hip": {"memrealtime": CLOCK},
    "triton.language.target_info": {},
}


@pytest.mark.skipif(not triton.__version__.startswith("3.7."), reason="another Triton has other names")
@pytest.mark.parametrize("module", STAYS_OUT)
def test_a_public_name_of_triton_is_listed_or_stays_out_for_a_reason(module):
    place = importlib.import_module(module)
    own = [name for name, value in vars(place).items() if inspect.getmodule(value) is place and name[0] != "_"]
    public = getattr(place, "__all__", own)
    assert public
    listed = {whole.removeprefix(f"{module}.").partition(".")[0] for whole in LISTED if whole.startswith(f"{module}.")}
    assert set(public) - listed <= STAYS_OUT[module].keys()


def test_what_stays_out_is_not_listed():
    out = {f"{module}.{name}" for module, those in STAYS_OUT.items() for name in those}
    assert not out & LISTED


HEAD = "from typing import Optional\nimport torch\nimport triton\nimport triton.language as tl\n"
PERSISTENT = """
from triton.tools.tensor_descriptor import TensorDescriptor

def sizes(nargs):
    if not isinstance(nargs["a_desc"], TensorDescriptor):
        return
    nargs["a_desc"].block_shape = [nargs["M_BLOCK"], nargs["K_BLOCK"]]
    nargs["b_desc"].block_shape = [nargs["N_BLOCK"], nargs["K_BLOCK"]]

CONFIGS = [triton.Config({"M_BLOCK": m, "N_BLOCK": 128, "K_BLOCK": 64}, num_warps=8, pre_hook=sizes) for m in (64, 128)]

@triton.autotune(configs=CONFIGS, key=["M", "N", "K"])
@triton.jit
def product(a_desc, b_desc, c: tl.tensor_descriptor, M, N, K, M_BLOCK: tl.constexpr, N_BLOCK: tl.constexpr,
            K_BLOCK: tl.constexpr, PROGRAMS: tl.constexpr):
    columns = tl.cdiv(N, N_BLOCK)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, M_BLOCK) * columns, PROGRAMS, flatten=True, warp_specialize=True):
        row, column = tile // columns * M_BLOCK, tile % columns * N_BLOCK
        total = tl.zeros((M_BLOCK, N_BLOCK), dtype=tl.float32)
        for k in range(tl.cdiv(K, K_BLOCK)):
            total = tl.dot(a_desc.load([row, k * K_BLOCK]), b_desc.load([column, k * K_BLOCK]).T, total)
        c.store([row, column], total.to(c.dtype))

def forward(a, b):
    (M, K), (N, _) = a.shape, b.shape
    c = torch.empty((M, N), device=a.device, dtype=a.dtype)
    first = TensorDescriptor.from_tensor(a, block_shape=[1, 1])
    second = TensorDescriptor(b, shape=b.shape, strides=b.stride(), block_shape=[1, 1], padding="zero")
    third = TensorDescriptor.from_tensor(c, [64, 128])
    programs = torch.cuda.get_device_properties("cuda").multi_processor_count
    product[(programs,)](first, second, third, M, N, K, PROGRAMS=programs)
    return c
"""
IN_THE_KERNEL = """
@triton.jit
def _descriptor_of(source, shape, strides, block_shape):
    if isinstance(source, tl.tensor_descriptor):
        return source
    return tl.make_tensor_descriptor(source, shape, strides, block_shape, padding_option="nan")

@triton.jit
def largest(x, y, M, N, BLOCK: tl.constexpr):
    source = _descriptor_of(x, [M, N], [N, 1], [BLOCK, BLOCK])
    target = tl.make_tensor_descriptor(y, shape=[M, N], strides=[N, 1], block_shape=[BLOCK, BLOCK])
    most = tl.maximum(source.load([0, 0]), 0.0, propagate_nan=tl.PropagateNan.ALL)
    target.atomic_max([0, 0], most.expand_dims(0).reshape(source.block_shape))

def forward(x):
    def scratch(size: int, alignment: int, stream: Optional[int]):
        return torch.empty(size, device=x.device, dtype=torch.int8)

    triton.set_allocator(scratch)
    y = torch.empty_like(x)
    largest[(1,)](x, y, *x.shape, BLOCK=32)
    return y
"""
LIBRARY = """
from triton.language import PropagateNan
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as cuda

@triton.jit
def k(x: tl.const, y, pair: tl.tuple):
    value = libdevice.fma_rn(tl.load(x), libdevice.saturatef(1.5), libdevice.ll2float_rz(3))
    while tl.condition(value < 3, disable_licm=True):
        value += cuda.rcp_rn(tl.clamp(value, 0, 1, propagate_nan=PropagateNan.NONE))
    if value.dtype.is_fp8e4nv() or tl.extra.libdevice.popc(pair[0]) > tl.TRITON_MAX_TENSOR_NUMEL:
        tl.store(y, tl.to_tensor(3))
"""


@pytest.mark.parametrize("text", [PERSISTENT, IN_THE_KERNEL, LIBRARY], ids=["persistent", "in the kernel", "library"])
def test_a_kernel_as_people_write_them_for_hopper_is_plain(text):
    assert rules(HEAD + text) == set()


def test_an_allocator_and_the_size_of_a_descriptor_outlive_the_call_which_a_label_says():
    """An allocator that hands out memory with results in it gains nothing: kernels read no scratch memory, and write
    descriptors there. That one was set, a later call can tell."""
    hands_out = "kept = torch.ones(9)\ntriton.set_allocator(lambda size, alignment, stream: kept)"
    assert rules(HEAD + hands_out) == set()
    assert "keeps_state" in labels(HEAD + hands_out)
    assert "keeps_state" in labels(HEAD + "triton.set_allocator(lambda size, alignment, stream: None)")
    assert "keeps_state" in labels(HEAD + "def hook(items):\n    items['x'].block_shape = [1]")


def test_an_allocator_that_runs_a_program_is_held_for_it():
    text = "import os\ndef scratch(size, alignment, stream):\n    os.system('true')\ntriton.set_allocator(scratch)\n"
    found = {(one.rule, one.line) for one in read_source("kernel.py", (HEAD + text).encode())}
    assert {("unlisted_attribute", 7), ("own_processes", 7)} <= found
