// Two linear layers with a ReLU between; `prepare` turns the weights once, so that tiles are read without turning.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int TILE = 32;
constexpr int LINES = 8;  // a block is TILE by LINES threads; each makes TILE / LINES rows of its column

// y[row, col] = sum over k of x[row, k] * weight[k, col], plus bias[col]
template <typename scalar_t, bool RELU>
__global__ void linear_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                              const scalar_t* __restrict__ bias, scalar_t* __restrict__ y, int rows, int cols,
                              int depth) {
  __shared__ float x_tile[TILE][TILE + 1];
  __shared__ float weight_tile[TILE][TILE];
  const int64_t first_row = blockIdx.y * TILE;
  const int64_t first_col = blockIdx.x * TILE;
  float sums[TILE / LINES] = {};

  for (int step = 0; step < depth; step += TILE) {
    const int k = step + threadIdx.x;
    const int64_t col = first_col + threadIdx.x;
    for (int line = threadIdx.y; line < TILE; line += LINES) {
      const int64_t row = first_row + line;
      const int64_t weight_row = step + line;
      x_tile[line][threadIdx.x] = row < rows && k < depth ? static_cast<float>(x[row * depth + k]) : 0.0f;
      weight_tile[line][threadIdx.x] =
          weight_row < depth && col < cols ? static_cast<float>(weight[weight_row * cols + col]) : 0.0f;
    }
    __syncthreads();
    for (int i = 0; i < TILE; ++i) {
      const float factor = weight_tile[i][threadIdx.x];
      for (int s = 0; s < TILE / LINES; ++s) {
        sums[s] += x_tile[threadIdx.y + s * LINES][i] * factor;
      }
    }
    __syncthreads();
  }

  const int64_t col = first_col + threadIdx.x;
  for (int s = 0; s < TILE / LINES; ++s) {
    const int64_t row = first_row + threadIdx.y + s * LINES;
    if (row < rows && col < cols) {
      const float value = sums[s] + static_cast<float>(bias[col]);
      y[row * cols + col] = static_cast<scalar_t>(RELU ? fmaxf(value, 0.0f) : value);
    }
  }
}

template <typename scalar_t, bool RELU>
void launch(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias, torch::Tensor& y) {
  const int rows = x.size(0);
  const int cols = weight.size(1);
  const dim3 blocks((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  linear_kernel<scalar_t, RELU><<<blocks, dim3(TILE, LINES), 0, at::hip::getCurrentHIPStream()>>>(
      x.data_ptr<scalar_t>(), weight.data_ptr<scalar_t>(), bias.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), rows,
      cols, static_cast<int>(x.size(1)));
}

// The state: both weights turned, and the biases.
std::vector<torch::Tensor> prepare(torch::Tensor weight_1, torch::Tensor bias_1, torch::Tensor weight_2,
                                   torch::Tensor bias_2) {
  return {weight_1.t().contiguous(), bias_1, weight_2.t().contiguous(), bias_2};
}

torch::Tensor forward(torch::Tensor x, std::vector<torch::Tensor> state) {
  x = x.contiguous();
  auto hidden = torch::empty({x.size(0), state[0].size(1)}, x.options());
  auto y = torch::empty_like(x);
  AT_DISPATCH_FLOATING_TYPES_AND(at::ScalarType::Half, x.scalar_type(), "feedforward", [&] {
    launch<scalar_t, true>(x, state[0], state[1], hidden);
    launch<scalar_t, false>(hidden, state[2], state[3], y);
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("prepare", &prepare, py::arg("weight_1"), py::arg("bias_1"), py::arg("weight_2"), py::arg("bias_2"));
  m.def("forward", &forward, py::arg("x"), py::arg("state"));
}
