// A convolution over time, a GELU and a linear layer: two products by tiles of 16 by 16, one sum a thread.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int TILE = 16;

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
  __shared__ float x_tile[TILE][TILE + 1];
  __shared__ float weight_tile[TILE][TILE + 1];
  const int depth = features * taps;
  const int64_t rows = static_cast<int64_t>(time) * batch;
  const int64_t row = static_cast<int64_t>(blockIdx.y) * TILE + threadIdx.y;
  const int64_t weight_row = static_cast<int64_t>(blockIdx.x) * TILE + threadIdx.y;
  const int64_t col = static_cast<int64_t>(blockIdx.x) * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int step = 0; step < depth; step += TILE) {
    const int k = step + threadIdx.x;
    x_tile[threadIdx.y][threadIdx.x] = row < rows ? window_at(x, row, k, time, batch, features, taps) : 0.0f;
    weight_tile[threadIdx.y][threadIdx.x] = weight_row < cols && k < depth ? weight[weight_row * depth + k] : 0.0f;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) {
      sum += x_tile[threadIdx.y][i] * weight_tile[threadIdx.x][i];
    }
    __syncthreads();
  }
  if (row < rows && col < cols) {
    sum += bias[col];
    y[row * cols + col] = GELU ? gelu(sum / sqrtf(static_cast<float>(taps))) : sum;
  }
}

template <bool GELU>
void launch(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias, torch::Tensor& y, int time,
            int batch, int features, int taps) {
  const int cols = weight.size(0);
  const dim3 blocks((cols + TILE - 1) / TILE, (time * batch + TILE - 1) / TILE);
  window_kernel<GELU><<<blocks, dim3(TILE, TILE), 0, at::hip::getCurrentHIPStream()>>>(
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
