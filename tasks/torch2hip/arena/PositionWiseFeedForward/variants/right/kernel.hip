// Two linear layers with a ReLU between: tiles of 64 by 64, sixteen sums a thread. The second adds the residual and writes
// float32; then a block for each row copies it to shared memory and normalises it.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int TILE = 64;
constexpr int DEPTH = 16;
constexpr int SIDE = 16;           // a block of a product is SIDE by SIDE threads;
constexpr int EACH = TILE / SIDE;  // a thread makes every SIDE-th row and column of the tile, beginning with its own
constexpr int THREADS = 128;

// Writes what `finish(row, col, sum)` makes of every sum over k of x[row, k] * weight[col, k].
template <typename scalar_t, typename Finish>
__device__ void multiply(const scalar_t* x, const scalar_t* weight, int rows, int cols, int depth, Finish finish) {
  __shared__ float x_tile[DEPTH][TILE + 1];
  __shared__ float weight_tile[DEPTH][TILE + 1];
  const int64_t first_row = static_cast<int64_t>(blockIdx.y) * TILE;
  const int64_t first_col = static_cast<int64_t>(blockIdx.x) * TILE;
  const int across = threadIdx.x % SIDE;
  const int down = threadIdx.x / SIDE;
  float sums[EACH][EACH] = {};
  for (int start = 0; start < depth; start += DEPTH) {
    const int k = start + across;  // SIDE is DEPTH
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
        finish(row, col, sums[i][j]);
      }
    }
  }
}

template <typename scalar_t>
__global__ void first_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                             const scalar_t* __restrict__ bias, scalar_t* __restrict__ hidden, int rows, int cols,
                             int depth) {
  multiply(x, weight, rows, cols, depth, [&](int64_t row, int64_t col, float sum) {
    hidden[row * cols + col] = static_cast<scalar_t>(fmaxf(sum + static_cast<float>(bias[col]), 0.0f));
  });
}

template <typename scalar_t>
__global__ void second_kernel(const scalar_t* __restrict__ hidden, const scalar_t* __restrict__ weight,
                              const scalar_t* __restrict__ bias, const scalar_t* __restrict__ x,
                              float* __restrict__ total, int rows, int cols, int depth) {
  multiply(hidden, weight, rows, cols, depth, [&](int64_t row, int64_t col, float sum) {
    const int64_t place = row * cols + col;
    total[place] = sum + static_cast<float>(bias[col]) + static_cast<float>(x[place]);
  });
}

// Normalises a row, which the block first copies into shared memory.
template <typename scalar_t>
__global__ void norm_kernel(const float* __restrict__ total, const scalar_t* __restrict__ gamma,
                            const scalar_t* __restrict__ beta, scalar_t* __restrict__ y, int cols, float eps) {
  extern __shared__ float row[];  // cols values
  __shared__ float partial[2][THREADS];
  const int64_t start = static_cast<int64_t>(blockIdx.x) * cols;
  float sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += THREADS) {
    row[col] = total[start + col];
    sum += row[col];
  }
  partial[0][threadIdx.x] = sum;
  __syncthreads();
  float mean = 0.0f;
  for (int i = 0; i < THREADS; ++i) {
    mean += partial[0][i];
  }
  mean /= cols;
  float squares = 0.0f;
  for (int col = threadIdx.x; col < cols; col += THREADS) {
    squares += (row[col] - mean) * (row[col] - mean);
  }
  partial[1][threadIdx.x] = squares;
  __syncthreads();
  float variance = 0.0f;
  for (int i = 0; i < THREADS; ++i) {
    variance += partial[1][i];
  }
  variance /= cols;
  const float scale = 1.0f / sqrtf(variance + eps);
  for (int col = threadIdx.x; col < cols; col += THREADS) {
    const float normal = (row[col] - mean) * scale;
    y[start + col] = static_cast<scalar_t>(normal * static_cast<float>(gamma[col]) + static_cast<float>(beta[col]));
  }
}

torch::Tensor forward(torch::Tensor x, torch::Tensor weight_1, torch::Tensor bias_1, torch::Tensor weight_2,
                      torch::Tensor bias_2, torch::Tensor gamma, torch::Tensor beta, double eps) {
  x = x.contiguous();
  weight_1 = weight_1.contiguous();
  weight_2 = weight_2.contiguous();
  const int rows = x.size(0);
  const int features = x.size(1);
  const int hidden_size = weight_1.size(0);
  auto hidden = torch::empty({rows, hidden_size}, x.options());
  auto total = torch::empty({rows, features}, x.options().dtype(at::ScalarType::Float));
  auto y = torch::empty_like(x);
  const int down = (rows + TILE - 1) / TILE;
  const dim3 first_blocks((hidden_size + TILE - 1) / TILE, down);
  const dim3 second_blocks((features + TILE - 1) / TILE, down);
  auto stream = at::hip::getCurrentHIPStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "feedforward", [&] {
    first_kernel<scalar_t><<<first_blocks, SIDE * SIDE, 0, stream>>>(
        x.data_ptr<scalar_t>(), weight_1.data_ptr<scalar_t>(), bias_1.data_ptr<scalar_t>(),
        hidden.data_ptr<scalar_t>(), rows, hidden_size, features);
    second_kernel<scalar_t><<<second_blocks, SIDE * SIDE, 0, stream>>>(
        hidden.data_ptr<scalar_t>(), weight_2.data_ptr<scalar_t>(), bias_2.data_ptr<scalar_t>(),
        x.data_ptr<scalar_t>(), total.data_ptr<float>(), rows, features, hidden_size);
    norm_kernel<scalar_t><<<dim3(rows), THREADS, features * sizeof(float), stream>>>(
        total.data_ptr<float>(), gamma.data_ptr<scalar_t>(), beta.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(),
        features, static_cast<float>(eps));
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("weight_1"), py::arg("bias_1"), py::arg("weight_2"),
        py::arg("bias_2"), py::arg("gamma"), py::arg("beta"), py::arg("eps"));
}
