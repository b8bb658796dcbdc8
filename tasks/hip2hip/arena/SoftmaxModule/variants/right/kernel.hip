// Softmax of every row in two sweeps: maximum and sum together, each thread on its own (online), then combined.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;

// The maximum, but 0 while only -inf was seen: exp(-inf - 0) is 0, exp(-inf + inf) would be NaN.
__device__ float shift_of(float highest) {
  return highest == -INFINITY ? 0.0f : highest;
}

template <typename scalar_t>
__global__ void softmax_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int cols, int64_t stride) {
  __shared__ float highests[THREADS];
  __shared__ float sums[THREADS];
  const scalar_t* from = x + blockIdx.x * stride;
  scalar_t* to = y + static_cast<int64_t>(blockIdx.x) * cols;

  float highest = -INFINITY;
  float sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += THREADS) {
    const float value = static_cast<float>(from[col]);
    if (value > highest) {
      sum *= __expf(highest - value);
      highest = value;
    }
    sum += __expf(value - shift_of(highest));
  }
  highests[threadIdx.x] = highest;
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      const float other = highests[threadIdx.x + half];
      const float both = fmaxf(highests[threadIdx.x], other);
      sums[threadIdx.x] = sums[threadIdx.x] * __expf(highests[threadIdx.x] - shift_of(both)) +
                          sums[threadIdx.x + half] * __expf(other - shift_of(both));
      highests[threadIdx.x] = both;
    }
    __syncthreads();
  }
  const float shift = shift_of(highests[0]);
  const float share = 1.0f / sums[0];
  for (int col = threadIdx.x; col < cols; col += THREADS) {
    to[col] = static_cast<scalar_t>(__expf(static_cast<float>(from[col]) - shift) * share);
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
    softmax_kernel<scalar_t>
        <<<blocks, THREADS, 0, stream>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), cols, x.stride(0));
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"));
}
