// Softmax over the middle dimension of [outer, length, inner], three ways, each of which reads neighbours together:
//
// - inner = 1: a block holds a row in registers, with just as many threads as it can feed, and reduces by wave shuffles;
// - length up to 24: a thread holds one or two whole columns in registers;
// - else: a thread takes one or two columns and keeps their maximum and sum together (online), so it reads them twice.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS_STEP = 64;  // one wave on CDNA, two on wave32 devices
constexpr int MOST_THREADS = 256;
constexpr int PACK_BYTES = 16;
constexpr int FEW_VALUES = 16;   // a thread holds, for rows of up to
constexpr int SHORT_ROW = 1024;  // this many elements;
constexpr int MANY_VALUES = 32;  // this many for longer ones
constexpr int SHORT_COLUMN = 8;
constexpr int HELD_COLUMN = 24;

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

// The combination over the block, in every thread.
template <typename Combine>
__device__ float over_block(float value, Combine combine) {
  __shared__ float partial[MOST_THREADS / 32];
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

// Rows of odd length (not WHOLE) begin anywhere between two packs; single lanes take the few elements before the first
// and after the last. Where a lane holds nothing it holds -inf, which neither raises the maximum nor adds to the sum.
template <typename scalar_t, int PACKS, bool WHOLE>
__global__ void __launch_bounds__(MOST_THREADS)
    softmax_row_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int length) {
  constexpr int WIDTH = PACK_BYTES / sizeof(scalar_t);
  using Packed = Pack<scalar_t, WIDTH>;
  const int64_t start = static_cast<int64_t>(blockIdx.x) * length;
  const int head = WHOLE ? 0 : min(length, static_cast<int>((WIDTH - start % WIDTH) % WIDTH));
  const int packs = (length - head) / WIDTH;
  const int lane = threadIdx.x;
  const int edge = lane < head ? lane : lane + packs * WIDTH;  // the one element outside the packs that is this lane's
  const bool has_edge = !WHOLE && edge < length;

  float held[PACKS][WIDTH];
  float held_edge = has_edge ? static_cast<float>(x[start + edge]) : -INFINITY;
  float highest = held_edge;
#pragma unroll
  for (int p = 0; p < PACKS; ++p) {
    const int pack = p * blockDim.x + lane;
    Packed values;
    if (pack < packs) {
      values = *reinterpret_cast<const Packed*>(x + start + head + pack * WIDTH);
    }
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      held[p][k] = pack < packs ? static_cast<float>(values.values[k]) : -INFINITY;
      highest = fmaxf(highest, held[p][k]);
    }
  }
  highest = over_block(highest, Maximum());

  held_edge = __expf(held_edge - highest);
  float sum = held_edge;
#pragma unroll
  for (int p = 0; p < PACKS; ++p) {
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      held[p][k] = __expf(held[p][k] - highest);
      sum += held[p][k];
    }
  }
  const float share = 1.0f / over_block(sum, Sum());

#pragma unroll
  for (int p = 0; p < PACKS; ++p) {
    const int pack = p * blockDim.x + lane;
    if (pack < packs) {
      Packed values;
#pragma unroll
      for (int k = 0; k < WIDTH; ++k) {
        values.values[k] = static_cast<scalar_t>(held[p][k] * share);
      }
      *reinterpret_cast<Packed*>(y + start + head + pack * WIDTH) = values;
    }
  }
  if (has_edge) {
    y[start + edge] = static_cast<scalar_t>(held_edge * share);
  }
}

// Where the i-th pack of columns begins: packs of WIDTH neighbours along inner, then along outer.
template <int WIDTH>
__device__ int64_t column_start(int64_t i, int length, int64_t inner) {
  const int64_t packs = inner / WIDTH;
  return i / packs * length * inner + i % packs * WIDTH;
}

// All loads come first and none is conditional, so that they are in flight together: beyond the column's end its last
// element is read again and left out of the sum.
template <typename scalar_t, int WIDTH, int MOST>
__global__ void __launch_bounds__(MOST_THREADS)
    softmax_held_column_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int64_t count, int length,
                               int64_t inner) {
  using Packed = Pack<scalar_t, WIDTH>;
  const int64_t i = static_cast<int64_t>(blockIdx.x) * MOST_THREADS + threadIdx.x;
  if (i >= count) {
    return;
  }
  const int64_t start = column_start<WIDTH>(i, length, inner);
  Packed packs[MOST];
#pragma unroll
  for (int l = 0; l < MOST; ++l) {
    packs[l] = *reinterpret_cast<const Packed*>(x + start + min(l, length - 1) * inner);
  }
#pragma unroll
  for (int k = 0; k < WIDTH; ++k) {
    float highest = -INFINITY;
#pragma unroll
    for (int l = 0; l < MOST; ++l) {
      highest = fmaxf(highest, static_cast<float>(packs[l].values[k]));
    }
    float held[MOST];
    float sum = 0.0f;
#pragma unroll
    for (int l = 0; l < MOST; ++l) {
      held[l] = l < length ? __expf(static_cast<float>(packs[l].values[k]) - highest) : 0.0f;
      sum += held[l];
    }
    const float share = 1.0f / sum;
#pragma unroll
    for (int l = 0; l < MOST; ++l) {
      packs[l].values[k] = static_cast<scalar_t>(held[l] * share);
    }
  }
#pragma unroll
  for (int l = 0; l < MOST; ++l) {
    if (l < length) {
      *reinterpret_cast<Packed*>(y + start + l * inner) = packs[l];
    }
  }
}

template <typename scalar_t, int WIDTH>
__global__ void __launch_bounds__(MOST_THREADS)
    softmax_online_column_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int64_t count, int length,
                                 int64_t inner) {
  using Packed = Pack<scalar_t, WIDTH>;
  const int64_t i = static_cast<int64_t>(blockIdx.x) * MOST_THREADS + threadIdx.x;
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

template <typename scalar_t, int VALUES>
void launch_rows(const scalar_t* x, scalar_t* y, int64_t rows, int length, hipStream_t stream) {
  constexpr int WIDTH = PACK_BYTES / sizeof(scalar_t);
  constexpr int PACKS = VALUES / WIDTH;
  const int needed = (length + VALUES - 1) / VALUES;
  const int threads = (needed + THREADS_STEP - 1) / THREADS_STEP * THREADS_STEP;
  if (length % WIDTH == 0) {
    softmax_row_kernel<scalar_t, PACKS, true><<<dim3(rows), threads, 0, stream>>>(x, y, length);
  } else {
    softmax_row_kernel<scalar_t, PACKS, false><<<dim3(rows), threads, 0, stream>>>(x, y, length);
  }
}

template <typename scalar_t, int WIDTH>
void launch_columns(const scalar_t* x, scalar_t* y, int64_t outer, int length, int64_t inner, hipStream_t stream) {
  const int64_t count = outer * (inner / WIDTH);
  const dim3 blocks((count + MOST_THREADS - 1) / MOST_THREADS);
  if (length <= SHORT_COLUMN) {
    softmax_held_column_kernel<scalar_t, WIDTH, SHORT_COLUMN>
        <<<blocks, MOST_THREADS, 0, stream>>>(x, y, count, length, inner);
  } else if (length <= HELD_COLUMN) {
    softmax_held_column_kernel<scalar_t, WIDTH, HELD_COLUMN>
        <<<blocks, MOST_THREADS, 0, stream>>>(x, y, count, length, inner);
  } else {
    softmax_online_column_kernel<scalar_t, WIDTH><<<blocks, MOST_THREADS, 0, stream>>>(x, y, count, length, inner);
  }
}

template <typename scalar_t>
void launch(const scalar_t* x, scalar_t* y, int64_t outer, int length, int64_t inner, hipStream_t stream) {
  if (inner > 1 && inner % 2 == 0) {
    launch_columns<scalar_t, 2>(x, y, outer, length, inner, stream);
  } else if (inner > 1 || length > MOST_THREADS * MANY_VALUES) {
    launch_columns<scalar_t, 1>(x, y, outer, length, inner, stream);
  } else if (length <= SHORT_ROW) {
    launch_rows<scalar_t, FEW_VALUES>(x, y, outer, length, stream);
  } else {
    launch_rows<scalar_t, MANY_VALUES>(x, y, outer, length, stream);
  }
}

torch::Tensor forward(torch::Tensor x) {
  x = x.contiguous();
  if (reinterpret_cast<uintptr_t>(x.data_ptr()) % PACK_BYTES != 0) {
    x = x.clone();  // a view may start anywhere; fresh storage is aligned
  }
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
