// Softmax of every row by vectors of 16 bytes: rows of up to 8192 elements stay in registers and are read once.
//
// A block takes a row, with just as many threads as the row can feed. Longer rows are swept twice: first for maximum and
// sum together (online: the sum is scaled down whenever the maximum rises), then to write. Rows that do not begin and end
// at a vector (odd lengths, slices) go element by element, neighbouring threads on neighbouring elements.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS_STEP = 64;  // one wave on CDNA, two on wave32 devices
constexpr int MOST_THREADS = 256;
constexpr int LONG_ROW_THREADS = 1024;
constexpr int PACK_BYTES = 16;
constexpr int FEW_VALUES = 16;   // a thread holds, for rows of up to
constexpr int SHORT_ROW = 1024;  // this many elements;
constexpr int MANY_VALUES = 32;  // this many for longer ones

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
  __shared__ float partial[LONG_ROW_THREADS / 32];
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

// Where a thread holds nothing it holds -inf, which neither raises the maximum nor adds to the sum.
template <typename scalar_t, int WIDTH, int PACKS>
__global__ void __launch_bounds__(MOST_THREADS)
    softmax_held_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int cols, int64_t stride) {
  using Packed = Pack<scalar_t, WIDTH>;
  const auto* from = reinterpret_cast<const Packed*>(x + blockIdx.x * stride);
  auto* to = reinterpret_cast<Packed*>(y + static_cast<int64_t>(blockIdx.x) * cols);
  const int packs = cols / WIDTH;

  float held[PACKS][WIDTH];
  float highest = -INFINITY;
#pragma unroll
  for (int p = 0; p < PACKS; ++p) {
    const int i = p * blockDim.x + threadIdx.x;
    Packed pack;
    if (i < packs) {
      pack = from[i];
    }
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      held[p][k] = i < packs ? static_cast<float>(pack.values[k]) : -INFINITY;
      highest = fmaxf(highest, held[p][k]);
    }
  }
  highest = over_block(highest, Maximum());

  float sum = 0.0f;
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
    const int i = p * blockDim.x + threadIdx.x;
    if (i < packs) {
      Packed pack;
#pragma unroll
      for (int k = 0; k < WIDTH; ++k) {
        pack.values[k] = static_cast<scalar_t>(held[p][k] * share);
      }
      to[i] = pack;
    }
  }
}

// The maximum, but 0 while only -inf was seen: exp(-inf - 0) is 0, exp(-inf + inf) would be NaN.
__device__ float shift_of(float highest) {
  return highest == -INFINITY ? 0.0f : highest;
}

template <typename scalar_t, int WIDTH>
__global__ void __launch_bounds__(LONG_ROW_THREADS)
    softmax_online_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int cols, int64_t stride) {
  using Packed = Pack<scalar_t, WIDTH>;
  const auto* from = reinterpret_cast<const Packed*>(x + blockIdx.x * stride);
  auto* to = reinterpret_cast<Packed*>(y + static_cast<int64_t>(blockIdx.x) * cols);
  const int packs = cols / WIDTH;

  float highest = -INFINITY;
  float sum = 0.0f;
#pragma unroll 2
  for (int i = threadIdx.x; i < packs; i += LONG_ROW_THREADS) {
    const Packed pack = from[i];
    float higher = highest;
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      higher = fmaxf(higher, static_cast<float>(pack.values[k]));
    }
    const float shift = shift_of(higher);
    sum *= __expf(highest - shift);
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      sum += __expf(static_cast<float>(pack.values[k]) - shift);
    }
    highest = higher;
  }
  const float shift = shift_of(over_block(highest, Maximum()));
  const float share = 1.0f / over_block(sum * __expf(highest - shift), Sum());

#pragma unroll 2
  for (int i = threadIdx.x; i < packs; i += LONG_ROW_THREADS) {
    Packed pack = from[i];
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      pack.values[k] = static_cast<scalar_t>(__expf(static_cast<float>(pack.values[k]) - shift) * share);
    }
    to[i] = pack;
  }
}

template <typename scalar_t, int WIDTH>
void launch(const torch::Tensor& x, torch::Tensor& y) {
  const auto* in = x.data_ptr<scalar_t>();
  auto* out = y.data_ptr<scalar_t>();
  const dim3 rows(x.size(0));
  const int cols = x.size(1);
  const int64_t stride = x.stride(0);
  auto stream = at::hip::getCurrentHIPStream();
  const auto threads_for = [&](int values) {
    return (cols + values * THREADS_STEP - 1) / (values * THREADS_STEP) * THREADS_STEP;
  };
  if (cols <= SHORT_ROW) {
    softmax_held_kernel<scalar_t, WIDTH, FEW_VALUES / WIDTH>
        <<<rows, threads_for(FEW_VALUES), 0, stream>>>(in, out, cols, stride);
  } else if (cols <= MOST_THREADS * MANY_VALUES) {
    softmax_held_kernel<scalar_t, WIDTH, MANY_VALUES / WIDTH>
        <<<rows, threads_for(MANY_VALUES), 0, stream>>>(in, out, cols, stride);
  } else {
    softmax_online_kernel<scalar_t, WIDTH><<<rows, LONG_ROW_THREADS, 0, stream>>>(in, out, cols, stride);
  }
}

torch::Tensor forward(torch::Tensor x) {
  if (x.stride(1) != 1) {
    x = x.contiguous();
  }
  auto y = torch::empty({x.size(0), x.size(1)}, x.options());
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "softmax", [&] {
    constexpr int WIDTH = PACK_BYTES / sizeof(scalar_t);
    const bool is_aligned = reinterpret_cast<uintptr_t>(x.data_ptr()) % PACK_BYTES == 0;
    if (is_aligned && x.size(1) % WIDTH == 0 && x.stride(0) % WIDTH == 0) {
      launch<scalar_t, WIDTH>(x, y);
    } else {
      launch<scalar_t, 1>(x, y);
    }
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"));
}
