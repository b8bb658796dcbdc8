// A convolution over time, a GELU and a linear layer: two products by tiles of 64 by 64, sixteen sums a thread.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int TILE = 64;
constexpr int DEPTH = 16;
constexpr int SIDE = 16;           // a block is SIDE by SIDE threads;
constexpr int EACH = TILE / SIDE;  // a thread makes every SIDE-th row and column of the tile, beginning with its own

__device__ __forceinline__ float gelu(float x) {
  return 0.5f * x * (1.0f + erff(x * 0.70710678f));
}

// Element k of the window around `row`, in the order of the weight: all taps of a feature, then those of the next.
__device__ float window_at(const float* x, int64_t row, int k, int time, int batch, int features, int taps) {
  const int offset = k % taps - taps / 2;
  const int moment = static_cast<int>(row / batch) + offset;
  const bool inside = k < features * taps && moment >= 0 && moment < time;
  return inside ? x[(row + static_cast<int64_t>(offset) * batch) * features + k / taps] : 0.0f;
}

// y[row, col] = sum over k of window(row)[k] * weight[col, k], plus bias[col]; a plain matrix has one tap.
template <bool GELU>
__global__ void window_kernel(const float* __restrict__ x, const float* __restrict__ weight,
                              const float* __restrict__ bias, float* __restrict__ y, int time, int batch, int features,
                              int taps, int cols) {
  __shared__ float x_tile[DEPTH][TILE + 1];
  __shared__ float weight_tile[DEPTH][TILE + 1];
  const int depth = features * taps;
  const int64_t rows = static_cast<int64_t>(time) * batch;
  const int64_t first_row = static_cast<int64_t>(blockIdx.y) * TILE;
  const int64_t first_col = static_cast<int64_t>(blockIdx.x) * TILE;
  const int across = threadIdx.x % SIDE;
  const int down = threadIdx.x / SIDE;
  float sums[EACH][EACH] = {};

  for (int step = 0; step < depth; step += DEPTH) {
    const int k = step + across;  // SIDE is DEPTH
#pragma unroll
    for (int line = down; line < TILE; line += SIDE) {
      const int64_t row = first_row + line;
      const int64_t col = first_col + line;
      x_tile[across][line] = row < rows ? window_at(x, row, k, time, batch, features, taps) : 0.0f;
      weight_tile[across][line] = col < cols && k < depth ? weight[col * depth + k] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < DEPTH; ++d) {
#pragma unroll
      for (int i = 0; i < EACH; ++i) {
#pragma unroll
        for (int j = 0; j < EACH; ++j) {
          sums[i][j] += x_tile[d][down + SIDE * i] * weight_tile[d][across + SIDE * j];
        }
      }
    }
    __syncthreads();
  }

  const float scale = rsqrtf(static_cast<float>(taps));
  for (int i = 0; i < EACH; ++i) {
    for (int j = 0; j < EACH; ++j) {
      const int64_t row = first_row + down + SIDE * i;
      const int64_t col = first_col + across + SIDE * j;
      if (row < rows && col < cols) {
        const float value = sums[i][j] + bias[col];
        y[row * cols + col] = GELU ? gelu(value * scale) : value;
      }
    }
  }
}

template <bool GELU>
void launch(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias, torch::Tensor& y, int time,
            int batch, int features, int taps) {
  const int cols = weight.size(0);
  const dim3 blocks((cols + TILE - 1) / TILE, (time * batch + TILE - 1) / TILE);
  window_kernel<GELU><<<blocks, SIDE * SIDE, 0, at::hip::getCurrentHIPStream()>>>(
      x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), time, batch, features,
      taps, cols);
}

torch::Tensor forward(torch::Tensor x, torch::Tensor conv_weight, torch::Tensor conv_bias, torch::Tensor linear_weight,
                      torch::Tensor linear_bias) {
  x = x.contiguous();
  conv_weight = conv_weight.contiguous();
  linear_weight = linear_weight.contiguous();
  const int time = x.size(0);
  const int batch = x.size(1);
  const int features = x.size(2);
  const int hidden_size = conv_weight.size(0);
  const int taps = conv_weight.size(2);
  auto hidden = torch::empty({time, batch, hidden_size}, x.options());
  auto y = torch::empty_like(x);
  launch<true>(x, conv_weight, conv_bias, hidden, time, batch, features, taps);
  launch<false>(hidden, linear_weight, linear_bias, y, time, batch, hidden_size, 1);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("conv_weight"), py::arg("conv_bias"), py::arg("linear_weight"),
        py::arg("linear_bias"));
}
