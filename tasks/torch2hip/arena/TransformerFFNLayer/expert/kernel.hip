// A convolution over time, a GELU and a linear layer as two matrix products, tiles of 64 or 128 squared, 16 or 64 sums a
// thread in registers.
//
// Row (t, b) of the first product is the window of x around t, tap after tap; it is read where it lies, and what is beyond
// an end is zero. `prepare` brings the weight of the convolution into the same order. Division and GELU are done to the
// sums before they are written. The next tile is on its way from memory while the present one is multiplied.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;
constexpr int ENOUGH_BLOCKS = 128;  // large tiles are worth it when there are so many of them

// Four neighbours; those from `count` on are zero and not read.
__device__ __forceinline__ float4 load(const float* from, int count, bool in_fours) {
  if (in_fours && count >= 4) {
    return *reinterpret_cast<const float4*>(from);
  }
  return {count > 0 ? from[0] : 0.0f, count > 1 ? from[1] : 0.0f, count > 2 ? from[2] : 0.0f,
          count > 3 ? from[3] : 0.0f};
}

// How the rows of x are windows of `taps` rows that lie `batch` apart. A plain matrix has one tap.
struct Windows {
  int features;
  int taps;
  int batch;
  int time;

  // Element k of the window around `row`, or zero beyond an end.
  __device__ float at(const float* x, int64_t row, int k) const {
    const int offset = k / features - taps / 2;
    const int moment = static_cast<int>(row / batch) + offset;
    const bool inside = k < taps * features && moment >= 0 && moment < time;
    return inside ? x[(row + static_cast<int64_t>(offset) * batch) * features + k % features] : 0.0f;
  }

  // Four neighbours from k on, which are of one tap where features is a multiple of four.
  __device__ float4 four_at(const float* x, int64_t row, int k, bool in_fours) const {
    if (!in_fours) {
      return {at(x, row, k), at(x, row, k + 1), at(x, row, k + 2), at(x, row, k + 3)};
    }
    const int offset = k / features - taps / 2;
    const int moment = static_cast<int>(row / batch) + offset;
    const bool inside = k < taps * features && moment >= 0 && moment < time;
    const int64_t start = (row + static_cast<int64_t>(offset) * batch) * features + k % features;
    return load(x + start, inside ? 4 : 0, true);
  }
};

__device__ __forceinline__ float gelu(float x) {
  return 0.5f * x * (1.0f + erff(x * 0.70710678f));
}

// y[row, col] = sum over k of window(row)[k] * weight[col, k], plus bias[col]; with GELU, that of it times `scale`. A block makes a square of TILE by TILE; a
// thread makes squares of 4 by 4, which lie 64 apart.
template <int TILE, bool GELU>
__global__ void __launch_bounds__(THREADS)
    window_kernel(const float* __restrict__ x, const float* __restrict__ weight, const float* __restrict__ bias,
                  float* __restrict__ y, int rows, int cols, Windows windows, float scale, bool in_fours) {
  constexpr int DEPTH = 4 * THREADS / TILE;  // every thread loads four elements of each factor
  constexpr int PARTS = TILE / 64;
  constexpr int SIDE = 4 * PARTS;
  alignas(16) __shared__ float x_tile[2][DEPTH][TILE + 4];
  alignas(16) __shared__ float weight_tile[2][DEPTH][TILE + 4];
  const int first_row = blockIdx.y * TILE;
  const int first_col = blockIdx.x * TILE;
  const int line = threadIdx.x / (DEPTH / 4);
  const int own_step = threadIdx.x % (DEPTH / 4) * 4;
  const int down = threadIdx.x / 16 * 4;
  const int across = threadIdx.x % 16 * 4;
  const int depth = windows.taps * windows.features;
  const float* weight_line = weight + static_cast<int64_t>(first_col + line) * depth + own_step;

  float4 x_next{0.0f, 0.0f, 0.0f, 0.0f};
  float4 weight_next;
  const auto fetch = [&](int step) {
    if (first_row + line < rows) {
      x_next = windows.four_at(x, first_row + line, step + own_step, in_fours);
    }
    weight_next = load(weight_line + step, first_col + line < cols ? depth - step - own_step : 0, in_fours);
  };
  const auto put_four = [&](float (*tile)[TILE + 4], const float4& four) {
    tile[own_step][line] = four.x;
    tile[own_step + 1][line] = four.y;
    tile[own_step + 2][line] = four.z;
    tile[own_step + 3][line] = four.w;
  };
  const auto put = [&](int buffer) {
    put_four(x_tile[buffer], x_next);
    put_four(weight_tile[buffer], weight_next);
  };

  float sums[SIDE][SIDE] = {};
  int buffer = 0;
  fetch(0);
  put(0);
  __syncthreads();
  for (int step = 0; step < depth; step += DEPTH) {
    const bool has_next = step + DEPTH < depth;
    if (has_next) {
      fetch(step + DEPTH);
    }
#pragma unroll
    for (int d = 0; d < DEPTH; ++d) {
      float left[SIDE];
      float right[SIDE];
#pragma unroll
      for (int part = 0; part < PARTS; ++part) {
        *reinterpret_cast<float4*>(left + part * 4) =
            *reinterpret_cast<const float4*>(&x_tile[buffer][d][down + part * 64]);
        *reinterpret_cast<float4*>(right + part * 4) =
            *reinterpret_cast<const float4*>(&weight_tile[buffer][d][across + part * 64]);
      }
#pragma unroll
      for (int i = 0; i < SIDE; ++i) {
#pragma unroll
        for (int j = 0; j < SIDE; ++j) {
          sums[i][j] = fmaf(left[i], right[j], sums[i][j]);
        }
      }
    }
    if (has_next) {
      put(1 - buffer);
    }
    __syncthreads();
    buffer = 1 - buffer;
  }

#pragma unroll
  for (int j = 0; j < SIDE; ++j) {
    const int64_t col = first_col + across + j % 4 + j / 4 * 64;
    if (col >= cols) {
      continue;
    }
    const float offset = bias[col];
#pragma unroll
    for (int i = 0; i < SIDE; ++i) {
      const int64_t row = first_row + down + i % 4 + i / 4 * 64;
      if (row < rows) {
        const float value = sums[i][j] + offset;
        y[row * cols + col] = GELU ? gelu(value * scale) : value;
      }
    }
  }
}

template <int TILE, bool GELU>
void launch_tiles(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias, torch::Tensor& y,
                  Windows windows, float scale) {
  const int rows = windows.time * windows.batch;
  const int cols = weight.size(0);
  const uintptr_t starts =
      reinterpret_cast<uintptr_t>(x.data_ptr()) | reinterpret_cast<uintptr_t>(weight.data_ptr());
  const bool in_fours = windows.features % 4 == 0 && starts % sizeof(float4) == 0;
  const dim3 blocks((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  window_kernel<TILE, GELU><<<blocks, THREADS, 0, at::hip::getCurrentHIPStream()>>>(
      x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), rows, cols, windows,
      scale, in_fours);
}

template <bool GELU>
void launch(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias, torch::Tensor& y,
            Windows windows, float scale) {
  const int64_t rows = windows.time * windows.batch;
  const int64_t large_tiles = (rows + 127) / 128 * ((weight.size(0) + 127) / 128);
  if (large_tiles >= ENOUGH_BLOCKS) {
    launch_tiles<128, GELU>(x, weight, bias, y, windows, scale);
  } else {
    launch_tiles<64, GELU>(x, weight, bias, y, windows, scale);
  }
}

// The state: the convolution's weight as [hidden, taps, features], its bias, and the linear layer as it is.
std::vector<torch::Tensor> prepare(torch::Tensor conv_weight, torch::Tensor conv_bias, torch::Tensor linear_weight,
                                   torch::Tensor linear_bias) {
  return {conv_weight.transpose(1, 2).contiguous(), conv_bias.contiguous(), linear_weight.contiguous(),
          linear_bias.contiguous()};
}

torch::Tensor forward(torch::Tensor x, std::vector<torch::Tensor> state) {
  x = x.contiguous();
  const int time = x.size(0);
  const int batch = x.size(1);
  const int taps = state[0].size(1);
  const int hidden_size = state[0].size(0);
  auto hidden = torch::empty({time, batch, hidden_size}, x.options());
  auto y = torch::empty_like(x);
  launch<true>(x, state[0], state[1], hidden, {static_cast<int>(x.size(2)), taps, batch, time},
               1.0f / sqrtf(static_cast<float>(taps)));
  launch<false>(hidden, state[2], state[3], y, {hidden_size, 1, batch, time}, 1.0f);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("prepare", &prepare, py::arg("conv_weight"), py::arg("conv_bias"), py::arg("linear_weight"),
        py::arg("linear_bias"));
  m.def("forward", &forward, py::arg("x"), py::arg("state"));
}
