// SiLU(x) = x / (1 + exp(-x)) in one kernel: every thread loads and stores two vectors of 16 bytes.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;
constexpr int PACK_BYTES = 16;
constexpr int PACKS_A_THREAD = 2;  // two loads in flight hide more of the memory's latency than one

template <typename scalar_t>
struct alignas(PACK_BYTES) Pack {
  scalar_t values[PACK_BYTES / sizeof(scalar_t)];
};

template <typename scalar_t>
__device__ __forceinline__ scalar_t silu(scalar_t x) {
  const float value = static_cast<float>(x);
  return static_cast<scalar_t>(value / (1.0f + __expf(-value)));
}

template <typename scalar_t>
__device__ __forceinline__ Pack<scalar_t> silu(Pack<scalar_t> pack) {
#pragma unroll
  for (int k = 0; k < PACK_BYTES / static_cast<int>(sizeof(scalar_t)); ++k) {
    pack.values[k] = silu(pack.values[k]);
  }
  return pack;
}

template <typename scalar_t>
__global__ void silu_packs_kernel(const Pack<scalar_t>* __restrict__ x, Pack<scalar_t>* __restrict__ y, int64_t packs) {
  const int64_t first = static_cast<int64_t>(blockIdx.x) * THREADS * PACKS_A_THREAD + threadIdx.x;
  Pack<scalar_t> held[PACKS_A_THREAD];
#pragma unroll
  for (int k = 0; k < PACKS_A_THREAD; ++k) {
    const int64_t i = first + k * THREADS;
    if (i < packs) {
      held[k] = x[i];
    }
  }
#pragma unroll
  for (int k = 0; k < PACKS_A_THREAD; ++k) {
    const int64_t i = first + k * THREADS;
    if (i < packs) {
      y[i] = silu(held[k]);
    }
  }
}

template <typename scalar_t>
__global__ void silu_rest_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int64_t count) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;
  if (i < count) {
    y[i] = silu(x[i]);
  }
}

template <typename scalar_t>
void launch(const scalar_t* x, scalar_t* y, int64_t count, hipStream_t stream) {
  const bool aligned = (reinterpret_cast<uintptr_t>(x) | reinterpret_cast<uintptr_t>(y)) % PACK_BYTES == 0;
  const int64_t width = PACK_BYTES / sizeof(scalar_t);
  const int64_t packs = aligned ? count / width : 0;
  const int64_t done = packs * width;
  if (packs > 0) {
    const dim3 blocks((packs + THREADS * PACKS_A_THREAD - 1) / (THREADS * PACKS_A_THREAD));
    silu_packs_kernel<scalar_t><<<blocks, THREADS, 0, stream>>>(
        reinterpret_cast<const Pack<scalar_t>*>(x), reinterpret_cast<Pack<scalar_t>*>(y), packs);
  }
  if (done < count) {
    const dim3 blocks((count - done + THREADS - 1) / THREADS);
    silu_rest_kernel<scalar_t><<<blocks, THREADS, 0, stream>>>(x + done, y + done, count - done);
  }
}

torch::Tensor forward(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  auto stream = at::hip::getCurrentHIPStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "silu", [&] {
    launch<scalar_t>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), x.numel(), stream);
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"));
}
