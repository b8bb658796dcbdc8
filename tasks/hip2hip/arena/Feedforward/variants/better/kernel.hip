// Two linear layers with a ReLU between: tiles of 64 by 64 through shared memory, sixteen sums a thread.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int TILE = 64;
constexpr int DEPTH = 16;
constexpr int SIDE = 16;           // a block is SIDE by SIDE threads;
constexpr int EACH = TILE / SIDE;  // a thread makes every SIDE-th row and column of the tile, beginning with its own

// y[row, col] = sum over k of x[row, k] * weight[col, k], plus bias[col]
template <typename scalar_t, bool RELU>
__global__ void linear_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                              const scalar_t* __restrict__ bias, scalar_t* __restrict__ y, int rows, int cols,
                              int depth) {
  __shared__ float x_tile[DEPTH][TILE + 1];
  __shared__ float weight_tile[DEPTH][TILE + 1];
  const int64_t first_row = blockIdx.y * TILE;
  const int64_t first_col = blockIdx.x * TILE;
  const int across = threadIdx.x % SIDE;
  const int down = threadIdx.x / SIDE;
  float sums[EACH][EACH] = {};

  for (int step = 0; step < depth; step += DEPTH) {
    const int k = step + across;  // SIDE is DEPTH
#pragma unroll
    for (int line = down; line < TILE; line += SIDE) {
      const int64_t row = first_row + line;
      const int64_t col = first_col + line;
      x_tile[across][line] = row < rows && k < depth ? static_cast<float>(x[row * depth + k]) : 0.0f;
      weight_tile[across][line] = col < cols && k < depth ? static_cast<float>(weight[col * depth + k]) : 0.0f;
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

  for (int i = 0; i < EACH; ++i) {
    for (int j = 0; j < EACH; ++j) {
      const int64_t row = first_row + down + SIDE * i;
      const int64_t col = first_col + across + SIDE * j;
      if (row < rows && col < cols) {
        const float value = sums[i][j] + static_cast<float>(bias[col]);
        y[row * cols + col] = static_cast<scalar_t>(RELU ? fmaxf(value, 0.0f) : value);
      }
    }
  }
}

template <typename scalar_t, bool RELU>
void launch(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias, torch::Tensor& y) {
  const int rows = x.size(0);
  const int cols = weight.size(0);
  const dim3 blocks((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  linear_kernel<scalar_t, RELU><<<blocks, SIDE * SIDE, 0, at::hip::getCurrentHIPStream()>>>(
      x.data_ptr<scalar_t>(), weight.data_ptr<scalar_t>(), bias.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), rows,
      cols, static_cast<int>(x.size(1)));
}

torch::Tensor forward(torch::Tensor x, torch::Tensor weight_1, torch::Tensor bias_1, torch::Tensor weight_2,
                      torch::Tensor bias_2) {
  x = x.contiguous();
  weight_1 = weight_1.contiguous();
  weight_2 = weight_2.contiguous();
  auto hidden = torch::empty({x.size(0), weight_1.size(0)}, x.options());
  auto y = torch::empty_like(x);
  AT_DISPATCH_FLOATING_TYPES_AND(at::ScalarType::Half, x.scalar_type(), "feedforward", [&] {
    launch<scalar_t, true>(x, weight_1, bias_1, hidden);
    launch<scalar_t, false>(hidden, weight_2, bias_2, y);
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("weight_1"), py::arg("bias_1"), py::arg("weight_2"),
        py::arg("bias_2"));
}
