// Two linear layers with a ReLU between: blocks of 16 rows by 64 columns, four sums of a column for each thread.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int ROWS = 16;  // of x that a block works on; each thread makes ROWS / 4 sums of one column
constexpr int COLS = 64;
constexpr int DEPTH = 16;
constexpr int THREADS = COLS * 4;

// y = x @ weight.T + bias, with a ReLU at the end where asked.
template <typename scalar_t>
__global__ void linear_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                              const scalar_t* __restrict__ bias, scalar_t* __restrict__ y, int rows, int cols,
                              int depth, bool relu) {
  __shared__ float x_part[ROWS][DEPTH];
  __shared__ float weight_part[COLS][DEPTH + 1];
  const int64_t first_row = static_cast<int64_t>(blockIdx.y) * ROWS;
  const int64_t first_col = static_cast<int64_t>(blockIdx.x) * COLS;
  const int own_col = threadIdx.x % COLS;
  const int own_row = threadIdx.x / COLS * (ROWS / 4);
  float sums[ROWS / 4] = {};
  for (int start = 0; start < depth; start += DEPTH) {
    for (int i = threadIdx.x; i < ROWS * DEPTH; i += THREADS) {
      const int64_t row = first_row + i / DEPTH;
      const int k = start + i % DEPTH;
      x_part[i / DEPTH][i % DEPTH] = row < rows && k < depth ? static_cast<float>(x[row * depth + k]) : 0.0f;
    }
    for (int i = threadIdx.x; i < COLS * DEPTH; i += THREADS) {
      const int64_t col = first_col + i / DEPTH;
      const int k = start + i % DEPTH;
      weight_part[i / DEPTH][i % DEPTH] = col < cols && k < depth ? static_cast<float>(weight[col * depth + k]) : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < DEPTH; ++k) {
      const float factor = weight_part[own_col][k];
      for (int r = 0; r < ROWS / 4; ++r) {
        sums[r] += x_part[own_row + r][k] * factor;
      }
    }
    __syncthreads();
  }
  const int64_t col = first_col + own_col;
  for (int r = 0; r < ROWS / 4; ++r) {
    const int64_t row = first_row + own_row + r;
    if (row < rows && col < cols) {
      const float value = sums[r] + static_cast<float>(bias[col]);
      y[row * cols + col] = static_cast<scalar_t>(relu && value < 0.0f ? 0.0f : value);
    }
  }
}

template <typename scalar_t>
torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias, bool relu) {
  const int rows = x.size(0);
  const int cols = weight.size(0);
  auto y = torch::empty({rows, cols}, x.options());
  const dim3 blocks((cols + COLS - 1) / COLS, (rows + ROWS - 1) / ROWS);
  linear_kernel<scalar_t><<<blocks, THREADS, 0, at::hip::getCurrentHIPStream()>>>(
      x.data_ptr<scalar_t>(), weight.data_ptr<scalar_t>(), bias.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), rows,
      cols, static_cast<int>(x.size(1)), relu);
  return y;
}

torch::Tensor forward(torch::Tensor x, torch::Tensor weight_1, torch::Tensor bias_1, torch::Tensor weight_2,
                      torch::Tensor bias_2) {
  torch::Tensor y;
  AT_DISPATCH_FLOATING_TYPES_AND(at::ScalarType::Half, x.scalar_type(), "feedforward", [&] {
    const auto hidden = linear<scalar_t>(x.contiguous(), weight_1.contiguous(), bias_1.contiguous(), true);
    y = linear<scalar_t>(hidden, weight_2.contiguous(), bias_2.contiguous(), false);
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("weight_1"), py::arg("bias_1"), py::arg("weight_2"),
        py::arg("bias_2"));
}
