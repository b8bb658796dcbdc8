// Softmax over the middle dimension, online: a block takes a row where inner is 1, else a thread takes a column.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;
constexpr int MOST_WAVES = THREADS / 32;

// A maximum, and the sum of exp(value - maximum) over the values seen so far.
struct Running {
  float highest = -INFINITY;
  float sum = 0.0f;

  // The maximum, but 0 while only -inf was seen: exp(-inf - 0) is 0, exp(-inf + inf) would be NaN.
  __device__ float shift() const { return highest == -INFINITY ? 0.0f : highest; }

  __device__ void add(Running other) {
    const Running both = {fmaxf(highest, other.highest), 0.0f};
    sum = sum * __expf(highest - both.shift()) + other.sum * __expf(other.highest - both.shift());
    highest = both.highest;
  }
};

__device__ Running block_total(Running own) {
  __shared__ float highest[MOST_WAVES];
  __shared__ float sum[MOST_WAVES];
  for (int offset = warpSize / 2; offset > 0; offset /= 2) {
    own.add({__shfl_xor(own.highest, offset), __shfl_xor(own.sum, offset)});
  }
  if (threadIdx.x % warpSize == 0) {
    highest[threadIdx.x / warpSize] = own.highest;
    sum[threadIdx.x / warpSize] = own.sum;
  }
  __syncthreads();
  Running total;
  for (int wave = 0; wave < THREADS / warpSize; ++wave) {
    total.add({highest[wave], sum[wave]});
  }
  return total;
}

template <typename scalar_t>
__global__ void softmax_row_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int length) {
  const int64_t start = static_cast<int64_t>(blockIdx.x) * length;
  Running own;
  for (int l = threadIdx.x; l < length; l += THREADS) {
    own.add({static_cast<float>(x[start + l]), 1.0f});
  }
  const Running total = block_total(own);
  for (int l = threadIdx.x; l < length; l += THREADS) {
    y[start + l] = static_cast<scalar_t>(__expf(static_cast<float>(x[start + l]) - total.shift()) / total.sum);
  }
}

template <typename scalar_t>
__global__ void softmax_column_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int64_t columns,
                                      int length, int64_t inner) {
  const int64_t column = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (column >= columns) {
    return;
  }
  const int64_t start = column / inner * length * inner + column % inner;
  Running own;
  for (int l = 0; l < length; ++l) {
    own.add({static_cast<float>(x[start + l * inner]), 1.0f});
  }
  for (int l = 0; l < length; ++l) {
    const int64_t i = start + l * inner;
    y[i] = static_cast<scalar_t>(__expf(static_cast<float>(x[i]) - own.shift()) / own.sum);
  }
}

torch::Tensor forward(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int length = x.size(1);
  const int64_t inner = x.size(2);
  const int64_t columns = x.size(0) * inner;
  const dim3 blocks(inner == 1 ? columns : (columns + THREADS - 1) / THREADS);
  auto stream = at::hip::getCurrentHIPStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "softmax", [&] {
    const auto* in = x.data_ptr<scalar_t>();
    auto* out = y.data_ptr<scalar_t>();
    if (inner == 1) {
      softmax_row_kernel<scalar_t><<<blocks, THREADS, 0, stream>>>(in, out, length);
    } else {
      softmax_column_kernel<scalar_t><<<blocks, THREADS, 0, stream>>>(in, out, columns, length, inner);
    }
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"));
}
