// Softmax over the middle dimension of [outer, length, inner], three ways, each of which reads neighbours together:
//
// - inner = 1: a group of threads holds a row in registers and reduces by wave shuffles; short rows share a block;
// - length up to 32: a thread holds one or two whole columns in registers;
// - else: a thread takes one or two columns and keeps their maximum and sum together (online), so it reads them twice.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

#include <algorithm>

constexpr int BLOCK_THREADS = 256;
constexpr int GROUP_STEP = 64;  // one wave on CDNA, two on wave32 devices
constexpr int MOST_ROWS = BLOCK_THREADS / GROUP_STEP;
constexpr int MOST_WAVES = 1024 / 32;
constexpr int PACK_BYTES = 16;
constexpr int FEW_VALUES = 8;    // a thread holds, for rows of up to
constexpr int SHORT_ROW = 2048;  // this many elements;
constexpr int MANY_VALUES = 32;  // this many for longer ones: up to 32768 with 1024 threads
constexpr int HELD_COLUMN = 32;
constexpr int COLUMNS = 2;

template <typename scalar_t, int WIDTH>
struct alignas(sizeof(scalar_t) * WIDTH) Pack {
  scalar_t values[WIDTH];
};

struct Maximum {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};

// The combination over a row's group (one value of threadIdx.y), in each of its threads.
template <typename Combine>
__device__ float over_group(float value, float* partial, Combine combine) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) {
    value = combine(value, __shfl_xor(value, offset));
  }
  const int waves = blockDim.x / warpSize;
  if (waves == 1) {
    return value;
  }
  if (threadIdx.x % warpSize == 0) {
    partial[threadIdx.x / warpSize] = value;
  }
  __syncthreads();
  float total = partial[0];
  for (int wave = 1; wave < waves; ++wave) {
    total = combine(total, partial[wave]);
  }
  __syncthreads();  // the next combination overwrites it
  return total;
}

// Beyond the row's end every held value is -inf, which neither raises the maximum nor adds to the sum.
template <typename scalar_t, int WIDTH, int VALUES>
__global__ void softmax_row_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int64_t rows, int length) {
  using Packed = Pack<scalar_t, WIDTH>;
  constexpr int PACKS = VALUES / WIDTH;
  __shared__ float partials[MOST_ROWS][MOST_WAVES];
  float* partial = partials[threadIdx.y];
  const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  const int64_t start = row * length;
  const int end = row < rows ? length : 0;  // a group without a row still takes part in the barriers

  float held[PACKS][WIDTH];
  float highest = -INFINITY;
#pragma unroll
  for (int p = 0; p < PACKS; ++p) {
    const int first = (p * blockDim.x + threadIdx.x) * WIDTH;
    Packed pack;
    if (first < end) {
      pack = *reinterpret_cast<const Packed*>(x + start + first);
    }
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      held[p][k] = first < end ? static_cast<float>(pack.values[k]) : -INFINITY;
      highest = fmaxf(highest, held[p][k]);
    }
  }
  highest = over_group(highest, partial, Maximum());

  float sum = 0.0f;
#pragma unroll
  for (int p = 0; p < PACKS; ++p) {
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      held[p][k] = __expf(held[p][k] - highest);
      sum += held[p][k];
    }
  }
  const float share = 1.0f / over_group(sum, partial, Sum());

#pragma unroll
  for (int p = 0; p < PACKS; ++p) {
    const int first = (p * blockDim.x + threadIdx.x) * WIDTH;
    if (first < end) {
      Packed pack;
#pragma unroll
      for (int k = 0; k < WIDTH; ++k) {
        pack.values[k] = static_cast<scalar_t>(held[p][k] * share);
      }
      *reinterpret_cast<Packed*>(y + start + first) = pack;
    }
  }
}

// Where the i-th pack of columns begins: packs of WIDTH neighbours along inner, then along outer.
template <int WIDTH>
__device__ int64_t column_start(int64_t i, int length, int64_t inner) {
  const int64_t packs = inner / WIDTH;
  return i / packs * length * inner + i % packs * WIDTH;
}

template <typename scalar_t, int WIDTH>
__global__ void softmax_held_column_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int64_t count,
                                           int length, int64_t inner) {
  using Packed = Pack<scalar_t, WIDTH>;
  const int64_t i = static_cast<int64_t>(blockIdx.x) * BLOCK_THREADS + threadIdx.x;
  if (i >= count) {
    return;
  }
  const int64_t start = column_start<WIDTH>(i, length, inner);
  float held[HELD_COLUMN][WIDTH];
  float highest[WIDTH];
  float sum[WIDTH];
#pragma unroll
  for (int k = 0; k < WIDTH; ++k) {
    highest[k] = -INFINITY;
    sum[k] = 0.0f;
  }
#pragma unroll
  for (int l = 0; l < HELD_COLUMN; ++l) {
    if (l < length) {
      const Packed pack = *reinterpret_cast<const Packed*>(x + start + l * inner);
#pragma unroll
      for (int k = 0; k < WIDTH; ++k) {
        held[l][k] = static_cast<float>(pack.values[k]);
        highest[k] = fmaxf(highest[k], held[l][k]);
      }
    }
  }
#pragma unroll
  for (int l = 0; l < HELD_COLUMN; ++l) {
    if (l < length) {
#pragma unroll
      for (int k = 0; k < WIDTH; ++k) {
        held[l][k] = __expf(held[l][k] - highest[k]);
        sum[k] += held[l][k];
      }
    }
  }
#pragma unroll
  for (int k = 0; k < WIDTH; ++k) {
    sum[k] = 1.0f / sum[k];
  }
#pragma unroll
  for (int l = 0; l < HELD_COLUMN; ++l) {
    if (l < length) {
      Packed pack;
#pragma unroll
      for (int k = 0; k < WIDTH; ++k) {
        pack.values[k] = static_cast<scalar_t>(held[l][k] * sum[k]);
      }
      *reinterpret_cast<Packed*>(y + start + l * inner) = pack;
    }
  }
}

template <typename scalar_t, int WIDTH>
__global__ void softmax_online_column_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int64_t count,
                                             int length, int64_t inner) {
  using Packed = Pack<scalar_t, WIDTH>;
  const int64_t i = static_cast<int64_t>(blockIdx.x) * BLOCK_THREADS + threadIdx.x;
  if (i >= count) {
    return;
  }
  const int64_t start = column_start<WIDTH>(i, length, inner);
  float highest[WIDTH];
  float shift[WIDTH];  // the maximum, but 0 while only -inf was seen: exp(-inf - 0) is 0, exp(-inf + inf) would be NaN
  float sum[WIDTH];
#pragma unroll
  for (int k = 0; k < WIDTH; ++k) {
    highest[k] = -INFINITY;
    shift[k] = 0.0f;
    sum[k] = 0.0f;
  }
#pragma unroll 4
  for (int l = 0; l < length; ++l) {
    const Packed pack = *reinterpret_cast<const Packed*>(x + start + l * inner);
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      const float value = static_cast<float>(pack.values[k]);
      const float higher = fmaxf(highest[k], value);
      shift[k] = higher == -INFINITY ? 0.0f : higher;
      sum[k] = sum[k] * __expf(highest[k] - shift[k]) + __expf(value - shift[k]);
      highest[k] = higher;
    }
  }
#pragma unroll
  for (int k = 0; k < WIDTH; ++k) {
    sum[k] = 1.0f / sum[k];
  }
#pragma unroll 4
  for (int l = 0; l < length; ++l) {
    Packed pack = *reinterpret_cast<const Packed*>(x + start + l * inner);
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      pack.values[k] = static_cast<scalar_t>(__expf(static_cast<float>(pack.values[k]) - shift[k]) * sum[k]);
    }
    *reinterpret_cast<Packed*>(y + start + l * inner) = pack;
  }
}

template <typename scalar_t>
bool aligned(const scalar_t* x, const scalar_t* y, int64_t extent, int width) {
  const auto addresses = reinterpret_cast<uintptr_t>(x) | reinterpret_cast<uintptr_t>(y);
  return extent % width == 0 && addresses % (sizeof(scalar_t) * width) == 0;
}

template <typename scalar_t, int WIDTH, int VALUES>
void launch_rows(const scalar_t* x, scalar_t* y, int64_t rows, int length, hipStream_t stream) {
  const int needed = (length + VALUES - 1) / VALUES;
  const int group = (needed + GROUP_STEP - 1) / GROUP_STEP * GROUP_STEP;
  const int block_rows = std::max(1, BLOCK_THREADS / group);
  const dim3 blocks((rows + block_rows - 1) / block_rows);
  const dim3 threads(group, block_rows);
  softmax_row_kernel<scalar_t, WIDTH, VALUES><<<blocks, threads, 0, stream>>>(x, y, rows, length);
}

template <typename scalar_t, int WIDTH>
void launch_rows_of_length(const scalar_t* x, scalar_t* y, int64_t rows, int length, hipStream_t stream) {
  if (length <= SHORT_ROW) {
    launch_rows<scalar_t, WIDTH, FEW_VALUES>(x, y, rows, length, stream);
  } else {
    launch_rows<scalar_t, WIDTH, MANY_VALUES>(x, y, rows, length, stream);
  }
}

template <typename scalar_t, int WIDTH>
void launch_columns(const scalar_t* x, scalar_t* y, int64_t outer, int length, int64_t inner, hipStream_t stream) {
  const int64_t count = outer * (inner / WIDTH);
  const dim3 blocks((count + BLOCK_THREADS - 1) / BLOCK_THREADS);
  if (length <= HELD_COLUMN) {
    softmax_held_column_kernel<scalar_t, WIDTH><<<blocks, BLOCK_THREADS, 0, stream>>>(x, y, count, length, inner);
  } else {
    softmax_online_column_kernel<scalar_t, WIDTH><<<blocks, BLOCK_THREADS, 0, stream>>>(x, y, count, length, inner);
  }
}

template <typename scalar_t>
void launch(const scalar_t* x, scalar_t* y, int64_t outer, int length, int64_t inner, hipStream_t stream) {
  constexpr int WIDTH = PACK_BYTES / sizeof(scalar_t);
  if (inner > 1 && aligned(x, y, inner, COLUMNS)) {
    launch_columns<scalar_t, COLUMNS>(x, y, outer, length, inner, stream);
  } else if (inner > 1 || length > 1024 * MANY_VALUES) {
    launch_columns<scalar_t, 1>(x, y, outer, length, inner, stream);
  } else if (aligned(x, y, length, WIDTH)) {
    launch_rows_of_length<scalar_t, WIDTH>(x, y, outer, length, stream);
  } else {
    launch_rows_of_length<scalar_t, 1>(x, y, outer, length, stream);
  }
}

torch::Tensor forward(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  auto stream = at::hip::getCurrentHIPStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "softmax", [&] {
    launch<scalar_t>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), x.size(0), x.size(1), x.size(2), stream);
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"));
}
