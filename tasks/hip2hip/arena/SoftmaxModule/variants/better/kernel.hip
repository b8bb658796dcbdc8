// Softmax of every row, kept in shared memory as float after the first sweep; wave shuffles for maximum and sum.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;
constexpr int MOST_KEPT = 8192;  // elements, 32 KB; longer rows are read again

// The maximum (or else the sum) over the block, in every thread.
template <bool MAXIMUM>
__device__ float over_block(float value) {
  __shared__ float partial[THREADS / 32];
  const auto combined = [](float a, float b) { return MAXIMUM ? fmaxf(a, b) : a + b; };
  for (int offset = warpSize / 2; offset > 0; offset /= 2) {
    value = combined(value, __shfl_xor(value, offset));
  }
  if (threadIdx.x % warpSize == 0) {
    partial[threadIdx.x / warpSize] = value;
  }
  __syncthreads();
  float total = partial[0];
  for (int wave = 1; wave < THREADS / warpSize; ++wave) {
    total = combined(total, partial[wave]);
  }
  return total;
}

// Every thread reads only what it kept itself, so `kept` needs no barrier.
template <typename scalar_t, bool KEPT>
__global__ void softmax_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int cols, int64_t stride) {
  extern __shared__ float kept[];
  const scalar_t* from = x + blockIdx.x * stride;
  scalar_t* to = y + static_cast<int64_t>(blockIdx.x) * cols;

  float highest = -INFINITY;
#pragma unroll 4
  for (int col = threadIdx.x; col < cols; col += THREADS) {
    const float value = static_cast<float>(from[col]);
    if constexpr (KEPT) {
      kept[col] = value;
    }
    highest = fmaxf(highest, value);
  }
  highest = over_block<true>(highest);

  float sum = 0.0f;
#pragma unroll 4
  for (int col = threadIdx.x; col < cols; col += THREADS) {
    const float grown = __expf((KEPT ? kept[col] : static_cast<float>(from[col])) - highest);
    if constexpr (KEPT) {
      kept[col] = grown;
    }
    sum += grown;
  }
  const float share = 1.0f / over_block<false>(sum);

#pragma unroll 4
  for (int col = threadIdx.x; col < cols; col += THREADS) {
    const float grown = KEPT ? kept[col] : __expf(static_cast<float>(from[col]) - highest);
    to[col] = static_cast<scalar_t>(grown * share);
  }
}

torch::Tensor forward(torch::Tensor x) {
  if (x.stride(1) != 1) {
    x = x.contiguous();
  }
  auto y = torch::empty({x.size(0), x.size(1)}, x.options());
  const dim3 blocks(x.size(0));
  const int cols = x.size(1);
  auto stream = at::hip::getCurrentHIPStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "softmax", [&] {
    const auto* in = x.data_ptr<scalar_t>();
    auto* out = y.data_ptr<scalar_t>();
    if (cols <= MOST_KEPT) {
      softmax_kernel<scalar_t, true>
          <<<blocks, THREADS, cols * sizeof(float), stream>>>(in, out, cols, x.stride(0));
    } else {
      softmax_kernel<scalar_t, false><<<blocks, THREADS, 0, stream>>>(in, out, cols, x.stride(0));
    }
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"));
}
