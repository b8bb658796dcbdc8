// Seven linear layers whose tiles forget the columns of the inputs that do not fill a tile.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int TILE = 32;
constexpr int LINES = 8;  // a block is TILE by LINES threads; each makes TILE / LINES rows of its column

// y[row, col] = bias[col] + sum over k of x[row, k] * weight[col, k], and its ReLU where asked
__global__ void linear_kernel(const float* __restrict__ x, const float* __restrict__ weight,
                              const float* __restrict__ bias, float* __restrict__ y, int rows, int cols, int depth,
                              bool relu) {
  __shared__ float x_tile[TILE][TILE + 1];
  __shared__ float weight_tile[TILE][TILE + 1];
  const int64_t first_row = static_cast<int64_t>(blockIdx.y) * TILE;
  const int64_t first_col = static_cast<int64_t>(blockIdx.x) * TILE;
  float sums[TILE / LINES] = {};

  for (int start = 0; start + TILE <= depth || start == 0; start += TILE) {
    const int k = start + threadIdx.x;
    for (int line = threadIdx.y; line < TILE; line += LINES) {
      const int64_t row = first_row + line;
      const int64_t col = first_col + line;
      x_tile[line][threadIdx.x] = row < rows && k < depth ? x[row * depth + k] : 0.0f;
      weight_tile[line][threadIdx.x] = col < cols && k < depth ? weight[col * depth + k] : 0.0f;
    }
    __syncthreads();
    for (int i = 0; i < TILE; ++i) {
      for (int s = 0; s < TILE / LINES; ++s) {
        sums[s] += x_tile[threadIdx.y + s * LINES][i] * weight_tile[threadIdx.x][i];
      }
    }
    __syncthreads();
  }

  const int64_t col = first_col + threadIdx.x;
  for (int s = 0; s < TILE / LINES; ++s) {
    const int64_t row = first_row + threadIdx.y + s * LINES;
    if (row < rows && col < cols) {
      const float value = sums[s] + bias[col];
      y[row * cols + col] = relu ? fmaxf(value, 0.0f) : value;
    }
  }
}

torch::Tensor linear(const torch::Tensor& x, torch::Tensor weight, torch::Tensor bias, bool relu) {
  weight = weight.contiguous();
  bias = bias.contiguous();
  const int rows = x.size(0);
  const int cols = weight.size(0);
  auto y = torch::empty({rows, cols}, x.options());
  const dim3 blocks((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  linear_kernel<<<blocks, dim3(TILE, LINES), 0, at::hip::getCurrentHIPStream()>>>(
      x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), rows, cols,
      static_cast<int>(x.size(1)), relu);
  return y;
}

torch::Tensor forward(torch::Tensor x, torch::Tensor weight_1, torch::Tensor bias_1, torch::Tensor weight_2,
                      torch::Tensor bias_2, torch::Tensor weight_3, torch::Tensor bias_3, torch::Tensor weight_4,
                      torch::Tensor bias_4, torch::Tensor weight_5, torch::Tensor bias_5, torch::Tensor weight_6,
                      torch::Tensor bias_6, torch::Tensor weight_7, torch::Tensor bias_7) {
  auto values = linear(x.contiguous(), weight_1, bias_1, true);
  values = linear(values, weight_2, bias_2, true);
  values = linear(values, weight_3, bias_3, true);
  values = linear(values, weight_4, bias_4, true);
  values = linear(values, weight_5, bias_5, true);
  values = linear(values, weight_6, bias_6, true);
  return linear(values, weight_7, bias_7, false);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("weight_1"), py::arg("bias_1"), py::arg("weight_2"),
        py::arg("bias_2"), py::arg("weight_3"), py::arg("bias_3"), py::arg("weight_4"), py::arg("bias_4"),
        py::arg("weight_5"), py::arg("bias_5"), py::arg("weight_6"), py::arg("bias_6"), py::arg("weight_7"),
        py::arg("bias_7"));
}
