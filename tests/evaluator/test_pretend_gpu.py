"""Code written for a GPU runs on CPU tensors. Installing changes torch, so each test runs in a forked child."""

from __future__ import annotations

import copy
import functools
import os
import sys
import traceback

import pytest
import torch

from evaluator.inside import pretend_gpu, triton_cpu
from evaluator.inside.unsupported import UnsupportedFeature
from tests.evaluator import kernels_launch


def pretending(check):
    """Run the test in a child process with pretend_gpu installed."""

    @functools.wraps(check)
    def test(*arguments, **options):
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            try:
                torch.set_num_threads(1)  # the parent's worker threads are not in the child
                pretend_gpu.install()
                check(*arguments, **options)
                os._exit(0)
            except BaseException:
                traceback.print_exc()
                sys.stderr.flush()
            finally:
                os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

    return test


@pretending
@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.empty(4, device="cuda"),
        lambda: torch.zeros((4,), dtype=torch.float16, device=torch.device("cuda:0")),
        lambda: torch.tensor([1, 2, 3, 4], device=0),
        lambda: torch.as_tensor([1.0, 2.0, 3.0, 4.0], device="cuda"),
        lambda: torch.randn(4, device="cuda", generator=torch.Generator(device="cuda").manual_seed(3)),
        lambda: torch.arange(4, device=torch.ones(1).device),
        lambda: torch.empty(4, pin_memory=True),
        lambda: torch.ones(4).new_zeros(4, device="cuda"),
        lambda: torch.empty_like(torch.ones(4), device="cuda"),
        lambda: torch.ones(4).cuda(),
        lambda: torch.ones(4).to("cuda"),
        lambda: torch.ones(4).to("cuda:0", torch.bfloat16, non_blocking=True),
        lambda: torch.ones(4).to(device=0),
        lambda: torch.ones(4).to(torch.ones(1, dtype=torch.float16)),
        lambda: torch.ones(4).pin_memory().cuda(non_blocking=True),
    ],
)
def test_a_tensor_made_for_the_gpu_is_a_plain_one_in_cpu_memory(make):
    tensor = make()
    assert type(tensor) is torch.Tensor
    assert (str(tensor.device), tensor.is_cuda, tensor.is_cpu, tensor.get_device()) == ("cuda:0", True, False, 0)
    assert pretend_gpu.real_device(tensor).type == "cpu"
    assert (tensor + 1).shape == (4,)
    assert type(tensor + 1) is torch.Tensor


@pretending
def test_to_the_gpu_is_the_same_memory_and_to_the_cpu_a_copy():
    x = torch.ones(4)
    assert x.cuda().data_ptr() == x.to("cuda").data_ptr() == x.to(torch.float32).data_ptr() == x.data_ptr()
    for copied in (x.cpu(), x.to("cpu"), x.to(torch.device("cpu")), x.to(device="cpu")):
        assert copied.data_ptr() != x.data_ptr()
        assert torch.equal(copied, x)


@pretending
def test_a_meta_tensor_stays_one():
    assert torch.empty(4, device="meta").device.type == "meta"
    assert not torch.empty(4, device="meta").is_cuda


@pretending
def test_contexts_and_defaults_of_a_device_are_the_cpus():
    with torch.device("cuda"):
        assert pretend_gpu.real_device(torch.zeros(4)).type == "cpu"
    torch.set_default_device("cuda")
    assert pretend_gpu.real_device(torch.zeros(4)).type == "cpu"
    with torch.cuda.device(torch.zeros(4).device), torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda.synchronize()


@pretending
def test_autocast_of_the_gpu_casts_on_the_cpu():
    a = torch.ones(4, 4)
    with torch.autocast("cuda"):
        assert (a @ a).dtype == torch.float16
    with torch.amp.autocast(device_type="cuda", dtype=torch.bfloat16):
        assert (a @ a).dtype == torch.bfloat16
    with torch.autocast("cuda", enabled=False):
        assert (a @ a).dtype == torch.float32


@pretending
def test_a_module_moves_to_the_gpu_with_its_parameters():
    for module in (
        torch.nn.Linear(4, 2).cuda(),
        torch.nn.Linear(4, 2).to("cuda"),
        torch.nn.Linear(4, 2, device="cuda"),
    ):
        assert type(module.weight) is torch.nn.Parameter
        assert module.weight.is_cuda
        assert module(torch.ones(3, 4, device="cuda")).shape == (3, 2)


@pretending
def test_events_streams_and_properties_work():
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    end.record(torch.cuda.current_stream())
    end.synchronize()
    assert begin.elapsed_time(end) >= 0
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    stream.wait_event(stream.record_event())
    assert stream.query()
    assert torch.cuda.current_stream().cuda_stream == 0
    assert (torch.cuda.is_available(), torch.cuda.device_count(), torch.cuda.current_device()) == (True, 1, 0)
    properties = torch.cuda.get_device_properties("cuda")
    assert (properties.multi_processor_count, properties.warp_size) == (304, 64)
    assert properties.gcnArchName.startswith("gfx942")
    assert torch.version.hip


@pretending
def test_graphs_are_reported_as_unsupported():
    with pytest.raises(UnsupportedFeature, match="CUDA graphs"):
        torch.cuda.CUDAGraph()


@pretending
def test_tensors_are_printed_copied_listed_and_compared():
    x = torch.ones(2, device="cuda")
    assert repr(x) == "tensor([1., 1.], device='cuda:0')"
    assert torch.equal(copy.deepcopy(x), x)
    assert x.numpy().tolist() == x.tolist() == [1.0, 1.0]
    torch.testing.assert_close(x, x.clone())
    torch.manual_seed(3)


@pretending
def test_a_wrapper_written_for_a_gpu_launches_its_kernel():
    launches = triton_cpu.install()
    launches.compile = False

    def forward(x):
        assert x.is_cuda
        assert x.device.type == "cuda"
        with torch.cuda.device(x.device):
            out = torch.empty_like(x, device=x.device)
            kernels_launch.copy[(4,)](x, out, x.numel(), BLOCK=64)
        torch.cuda.synchronize(x.device)
        return out

    x, before = torch.randn(250), launches.count
    assert torch.equal(forward(x=x), x)
    assert launches.count == before + 1


@pretending
def test_an_operation_that_takes_no_device_is_torchs_own():
    assert torch.add is torch._C._VariableFunctions.add
    assert torch.Tensor.__add__ is torch._C.TensorBase.__add__
