// Softmax over the middle dimension: a block sweeps a row by vectors of four, a thread takes one or two columns online.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int FEW_THREADS = 64;    // for rows of up to
constexpr int SHORT_ROW = 1024;    // this many elements;
constexpr int MANY_THREADS = 256;  // for longer ones, and for columns

template <typename scalar_t, int WIDTH>
struct alignas(WIDTH * sizeof(scalar_t)) Vector {
  scalar_t values[WIDTH];
};

// The maximum (or else the sum) over the block, in every thread.
template <bool MAXIMUM, int THREADS>
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

template <typename scalar_t, int WIDTH, int THREADS>
__global__ void softmax_row_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int length) {
  using Values = Vector<scalar_t, WIDTH>;
  const int count = length / WIDTH;
  const int64_t start = static_cast<int64_t>(blockIdx.x) * count;
  const auto* row = reinterpret_cast<const Values*>(x) + start;

  float highest = -INFINITY;
#pragma unroll 4
  for (int i = threadIdx.x; i < count; i += THREADS) {
    const Values values = row[i];
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      highest = fmaxf(highest, static_cast<float>(values.values[k]));
    }
  }
  highest = over_block<true, THREADS>(highest);

  float sum = 0.0f;
#pragma unroll 4
  for (int i = threadIdx.x; i < count; i += THREADS) {
    const Values values = row[i];
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      sum += __expf(static_cast<float>(values.values[k]) - highest);
    }
  }
  const float share = 1.0f / over_block<false, THREADS>(sum);

#pragma unroll 4
  for (int i = threadIdx.x; i < count; i += THREADS) {
    Values values = row[i];
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      values.values[k] = static_cast<scalar_t>(__expf(static_cast<float>(values.values[k]) - highest) * share);
    }
    (reinterpret_cast<Values*>(y) + start)[i] = values;
  }
}

template <typename scalar_t, int WIDTH>
__global__ void softmax_column_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int64_t count,
                                      int length, int64_t inner) {
  using Values = Vector<scalar_t, WIDTH>;
  const int64_t column = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (column >= count) {
    return;
  }
  const int64_t step = inner / WIDTH;
  const int64_t start = column / step * length * step + column % step;
  const auto* from = reinterpret_cast<const Values*>(x) + start;
  auto* to = reinterpret_cast<Values*>(y) + start;

  float highest[WIDTH];
  float sum[WIDTH];
#pragma unroll
  for (int k = 0; k < WIDTH; ++k) {
    highest[k] = -INFINITY;
    sum[k] = 0.0f;
  }
#pragma unroll 4
  for (int l = 0; l < length; ++l) {
    const Values values = from[l * step];
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      const float value = static_cast<float>(values.values[k]);
      if (value > highest[k]) {
        sum[k] *= __expf(highest[k] - value);
        highest[k] = value;
      }
      sum[k] += value == -INFINITY ? 0.0f : __expf(value - highest[k]);  // -inf before any number would give NaN
    }
  }
#pragma unroll 4
  for (int l = 0; l < length; ++l) {
    Values values = from[l * step];
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      values.values[k] = static_cast<scalar_t>(__expf(static_cast<float>(values.values[k]) - highest[k]) / sum[k]);
    }
    to[l * step] = values;
  }
}

template <typename scalar_t, int WIDTH>
void launch_rows(const scalar_t* x, scalar_t* y, int64_t rows, int length, hipStream_t stream) {
  if (length <= SHORT_ROW) {
    softmax_row_kernel<scalar_t, WIDTH, FEW_THREADS><<<dim3(rows), FEW_THREADS, 0, stream>>>(x, y, length);
  } else {
    softmax_row_kernel<scalar_t, WIDTH, MANY_THREADS><<<dim3(rows), MANY_THREADS, 0, stream>>>(x, y, length);
  }
}

template <typename scalar_t, int WIDTH>
void launch_columns(const scalar_t* x, scalar_t* y, int64_t outer, int length, int64_t inner, hipStream_t stream) {
  const int64_t count = outer * (inner / WIDTH);
  const dim3 blocks((count + MANY_THREADS - 1) / MANY_THREADS);
  softmax_column_kernel<scalar_t, WIDTH><<<blocks, MANY_THREADS, 0, stream>>>(x, y, count, length, inner);
}

torch::Tensor forward(torch::Tensor x) {
  x = x.contiguous();
  if (reinterpret_cast<uintptr_t>(x.data_ptr()) % (4 * x.element_size()) != 0) {
    x = x.clone();  // a view may start anywhere; fresh storage is aligned
  }
  auto y = torch::empty_like(x);
  const int64_t outer = x.size(0);
  const int length = x.size(1);
  const int64_t inner = x.size(2);
  auto stream = at::hip::getCurrentHIPStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "softmax", [&] {
    const auto* in = x.data_ptr<scalar_t>();
    auto* out = y.data_ptr<scalar_t>();
    if (inner == 1 && length % 4 == 0) {
      launch_rows<scalar_t, 4>(in, out, outer, length, stream);
    } else if (inner == 1) {
      launch_rows<scalar_t, 1>(in, out, outer, length, stream);
    } else if (inner % 2 == 0) {
      launch_columns<scalar_t, 2>(in, out, outer, length, inner, stream);
    } else {
      launch_columns<scalar_t, 1>(in, out, outer, length, inner, stream);
    }
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"));
}
