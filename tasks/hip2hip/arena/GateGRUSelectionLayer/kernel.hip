// The gate of a GRU: a kernel for both gates, which share their input, and one for proposal and result; tiles of 32 by 32.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int TILE = 32;
constexpr int LINES = 8;  // a block is TILE by LINES threads; each makes TILE / LINES rows of its column
constexpr int ROWS = TILE / LINES;

__device__ float sigmoid(float x) {
  return 1.0f / (1.0f + expf(-x));
}

// Element k of [left, right], both of `size` columns, as float; zero beyond them.
template <typename scalar_t>
__device__ float joined(const scalar_t* left, const scalar_t* right, int64_t row, int k, int size) {
  if (k >= 2 * size) {
    return 0.0f;
  }
  return static_cast<float>(k < size ? left[row * size + k] : right[row * size + k - size]);
}

// kept = reset * x_1 and update
template <typename scalar_t>
__global__ void gates_kernel(const scalar_t* __restrict__ x_1, const scalar_t* __restrict__ x_2,
                             const scalar_t* __restrict__ reset_weight, const scalar_t* __restrict__ reset_bias,
                             const scalar_t* __restrict__ update_weight, const scalar_t* __restrict__ update_bias,
                             scalar_t* __restrict__ kept, float* __restrict__ update, int rows, int size) {
  __shared__ float x_tile[TILE][TILE + 1];
  __shared__ float reset_tile[TILE][TILE + 1];
  __shared__ float update_tile[TILE][TILE + 1];
  const int64_t first_row = static_cast<int64_t>(blockIdx.y) * TILE;
  const int64_t first_col = static_cast<int64_t>(blockIdx.x) * TILE;
  const int depth = 2 * size;
  float reset_sums[ROWS] = {};
  float update_sums[ROWS] = {};

  for (int start = 0; start < depth; start += TILE) {
    const int k = start + threadIdx.x;
    for (int line = threadIdx.y; line < TILE; line += LINES) {
      const int64_t row = first_row + line;
      const int64_t col = first_col + line;
      const bool inside = col < size && k < depth;
      x_tile[line][threadIdx.x] = row < rows ? joined(x_1, x_2, row, k, size) : 0.0f;
      reset_tile[line][threadIdx.x] = inside ? static_cast<float>(reset_weight[col * depth + k]) : 0.0f;
      update_tile[line][threadIdx.x] = inside ? static_cast<float>(update_weight[col * depth + k]) : 0.0f;
    }
    __syncthreads();
    for (int i = 0; i < TILE; ++i) {
      for (int s = 0; s < ROWS; ++s) {
        const float value = x_tile[threadIdx.y + s * LINES][i];
        reset_sums[s] += value * reset_tile[threadIdx.x][i];
        update_sums[s] += value * update_tile[threadIdx.x][i];
      }
    }
    __syncthreads();
  }

  const int64_t col = first_col + threadIdx.x;
  for (int s = 0; s < ROWS; ++s) {
    const int64_t row = first_row + threadIdx.y + s * LINES;
    if (row < rows && col < size) {
      const float reset = sigmoid(reset_sums[s] + static_cast<float>(reset_bias[col]));
      kept[row * size + col] = static_cast<scalar_t>(reset * static_cast<float>(x_1[row * size + col]));
      update[row * size + col] = sigmoid(update_sums[s] + static_cast<float>(update_bias[col]));
    }
  }
}

// The proposal from [kept, x_2], and what the update takes of it.
template <typename scalar_t>
__global__ void select_kernel(const scalar_t* __restrict__ kept, const scalar_t* __restrict__ x_2,
                              const scalar_t* __restrict__ weight, const scalar_t* __restrict__ bias,
                              const scalar_t* __restrict__ x_1, const float* __restrict__ update,
                              scalar_t* __restrict__ y, int rows, int size) {
  __shared__ float kept_tile[TILE][TILE + 1];
  __shared__ float weight_tile[TILE][TILE + 1];
  const int64_t first_row = static_cast<int64_t>(blockIdx.y) * TILE;
  const int64_t first_col = static_cast<int64_t>(blockIdx.x) * TILE;
  const int depth = 2 * size;
  float sums[ROWS] = {};

  for (int start = 0; start < depth; start += TILE) {
    const int k = start + threadIdx.x;
    for (int line = threadIdx.y; line < TILE; line += LINES) {
      const int64_t row = first_row + line;
      const int64_t col = first_col + line;
      kept_tile[line][threadIdx.x] = row < rows ? joined(kept, x_2, row, k, size) : 0.0f;
      weight_tile[line][threadIdx.x] = col < size && k < depth ? static_cast<float>(weight[col * depth + k]) : 0.0f;
    }
    __syncthreads();
    for (int i = 0; i < TILE; ++i) {
      for (int s = 0; s < ROWS; ++s) {
        sums[s] += kept_tile[threadIdx.y + s * LINES][i] * weight_tile[threadIdx.x][i];
      }
    }
    __syncthreads();
  }

  const int64_t col = first_col + threadIdx.x;
  for (int s = 0; s < ROWS; ++s) {
    const int64_t row = first_row + threadIdx.y + s * LINES;
    if (row < rows && col < size) {
      const int64_t place = row * size + col;
      const float proposal = tanhf(sums[s] + static_cast<float>(bias[col]));
      const float old = static_cast<float>(x_1[place]);
      y[place] = static_cast<scalar_t>((1.0f - update[place]) * old + update[place] * proposal);
    }
  }
}

torch::Tensor forward(torch::Tensor x_1, torch::Tensor x_2, torch::Tensor reset_weight, torch::Tensor reset_bias,
                      torch::Tensor update_weight, torch::Tensor update_bias, torch::Tensor proposal_weight,
                      torch::Tensor proposal_bias) {
  x_1 = x_1.contiguous();
  x_2 = x_2.contiguous();
  reset_weight = reset_weight.contiguous();
  update_weight = update_weight.contiguous();
  proposal_weight = proposal_weight.contiguous();
  const int rows = x_1.size(0);
  const int size = x_1.size(1);
  auto kept = torch::empty_like(x_1);
  auto update = torch::empty({rows, size}, x_1.options().dtype(at::ScalarType::Float));
  auto y = torch::empty_like(x_1);
  const dim3 blocks((size + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  const dim3 threads(TILE, LINES);
  auto stream = at::hip::getCurrentHIPStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x_1.scalar_type(), "gru_gate", [&] {
    gates_kernel<scalar_t><<<blocks, threads, 0, stream>>>(
        x_1.data_ptr<scalar_t>(), x_2.data_ptr<scalar_t>(), reset_weight.data_ptr<scalar_t>(),
        reset_bias.data_ptr<scalar_t>(), update_weight.data_ptr<scalar_t>(), update_bias.data_ptr<scalar_t>(),
        kept.data_ptr<scalar_t>(), update.data_ptr<float>(), rows, size);
    select_kernel<scalar_t><<<blocks, threads, 0, stream>>>(
        kept.data_ptr<scalar_t>(), x_2.data_ptr<scalar_t>(), proposal_weight.data_ptr<scalar_t>(),
        proposal_bias.data_ptr<scalar_t>(), x_1.data_ptr<scalar_t>(), update.data_ptr<float>(),
        y.data_ptr<scalar_t>(), rows, size);
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x_1"), py::arg("x_2"), py::arg("reset_weight"), py::arg("reset_bias"),
        py::arg("update_weight"), py::arg("update_bias"), py::arg("proposal_weight"), py::arg("proposal_bias"));
}
