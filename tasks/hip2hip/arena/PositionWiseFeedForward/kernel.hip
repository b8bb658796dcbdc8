// Two linear layers with a ReLU between, tiles of 32 by 32, four sums a thread; then the layer norm of each row.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int TILE = 32;
constexpr int LINES = 8;  // a block of a product is TILE by LINES threads; each makes TILE / LINES rows of its column
constexpr int THREADS = 256;

// y[row, col] = bias[col] + sum over k of x[row, k] * weight[col, k]: the ReLU of it, or with a residual what it adds up to
template <typename scalar_t, typename result_t, bool LAST>
__global__ void linear_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                              const scalar_t* __restrict__ bias, const scalar_t* __restrict__ residual,
                              result_t* __restrict__ y, int rows, int cols, int depth) {
  __shared__ float x_tile[TILE][TILE + 1];
  __shared__ float weight_tile[TILE][TILE + 1];
  const int64_t first_row = static_cast<int64_t>(blockIdx.y) * TILE;
  const int64_t first_col = static_cast<int64_t>(blockIdx.x) * TILE;
  float sums[TILE / LINES] = {};

  for (int start = 0; start < depth; start += TILE) {
    const int k = start + threadIdx.x;
    for (int line = threadIdx.y; line < TILE; line += LINES) {
      const int64_t row = first_row + line;
      const int64_t col = first_col + line;
      x_tile[line][threadIdx.x] = row < rows && k < depth ? static_cast<float>(x[row * depth + k]) : 0.0f;
      weight_tile[line][threadIdx.x] = col < cols && k < depth ? static_cast<float>(weight[col * depth + k]) : 0.0f;
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
      const float value = sums[s] + static_cast<float>(bias[col]);
      const float result = LAST ? value + static_cast<float>(residual[row * cols + col]) : fmaxf(value, 0.0f);
      y[row * cols + col] = static_cast<result_t>(result);
    }
  }
}

// The sum over the block, in every thread.
__device__ float block_sum(float value) {
  __shared__ float partial[THREADS];
  partial[threadIdx.x] = value;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      partial[threadIdx.x] += partial[threadIdx.x + half];
    }
    __syncthreads();
  }
  const float total = partial[0];
  __syncthreads();  // the next sum overwrites it
  return total;
}

template <typename scalar_t>
__global__ void norm_kernel(const float* __restrict__ total, const scalar_t* __restrict__ gamma,
                                     const scalar_t* __restrict__ beta, scalar_t* __restrict__ y, int cols,
                                     float eps) {
  total += static_cast<int64_t>(blockIdx.x) * cols;
  y += static_cast<int64_t>(blockIdx.x) * cols;

  float sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += THREADS) {
    sum += total[col];
  }
  const float mean = block_sum(sum) / cols;

  float squares = 0.0f;
  for (int col = threadIdx.x; col < cols; col += THREADS) {
    squares += (total[col] - mean) * (total[col] - mean);
  }
  const float scale = 1.0f / sqrtf(block_sum(squares) / cols + eps);

  for (int col = threadIdx.x; col < cols; col += THREADS) {
    const float normal = (total[col] - mean) * scale;
    y[col] = static_cast<scalar_t>(normal * static_cast<float>(gamma[col]) + static_cast<float>(beta[col]));
  }
}

dim3 tiles_of(int rows, int cols) {
  return dim3((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
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
  const dim3 threads(TILE, LINES);
  auto stream = at::hip::getCurrentHIPStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "feedforward", [&] {
    const auto* from = x.data_ptr<scalar_t>();
    linear_kernel<scalar_t, scalar_t, false><<<tiles_of(rows, hidden_size), threads, 0, stream>>>(
        from, weight_1.data_ptr<scalar_t>(), bias_1.data_ptr<scalar_t>(), from, hidden.data_ptr<scalar_t>(), rows,
        hidden_size, features);
    linear_kernel<scalar_t, float, true><<<tiles_of(rows, features), threads, 0, stream>>>(
        hidden.data_ptr<scalar_t>(), weight_2.data_ptr<scalar_t>(), bias_2.data_ptr<scalar_t>(), from,
        total.data_ptr<float>(), rows, features, hidden_size);
    norm_kernel<scalar_t><<<dim3(rows), THREADS, 0, stream>>>(
        total.data_ptr<float>(), gamma.data_ptr<scalar_t>(), beta.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(),
        features, static_cast<float>(eps));
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("weight_1"), py::arg("bias_1"), py::arg("weight_2"),
        py::arg("bias_2"), py::arg("gamma"), py::arg("beta"), py::arg("eps"));
}
