// The gate of a GRU without joined rows: each product is one with x_2 and one with x_1 or reset * x_1. Blocks of both gates run
// side by side; tiles of 64 by 64, sixteen sums a thread.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int TILE = 64;
constexpr int DEPTH = 16;
constexpr int SIDE = 16;           // a block is SIDE by SIDE threads;
constexpr int EACH = TILE / SIDE;  // a thread makes every SIDE-th row and column of the tile, beginning with its own

__device__ float sigmoid(float x) {
  return 1.0f / (1.0f + expf(-x));
}

// sums += the tile of x @ weight.T, where rows of x are `size` long and those of weight lie 2 * size apart.
template <typename scalar_t>
__device__ void multiply(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight, int rows, int size,
                         float (&sums)[EACH][EACH]) {
  __shared__ float x_tile[DEPTH][TILE + 1];
  __shared__ float weight_tile[DEPTH][TILE + 1];
  const int64_t first_row = static_cast<int64_t>(blockIdx.y) * TILE;
  const int64_t first_col = static_cast<int64_t>(blockIdx.x) * TILE;
  const int across = threadIdx.x % SIDE;
  const int down = threadIdx.x / SIDE;
  for (int start = 0; start < size; start += DEPTH) {
    const int k = start + across;  // SIDE is DEPTH
    for (int line = down; line < TILE; line += SIDE) {
      const int64_t row = first_row + line;
      const int64_t col = first_col + line;
      x_tile[across][line] = row < rows && k < size ? static_cast<float>(x[row * size + k]) : 0.0f;
      weight_tile[across][line] = col < size && k < size ? static_cast<float>(weight[col * 2 * size + k]) : 0.0f;
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
}

// Calls `finish(place, col, sum)` for every element of the tile that exists.
template <typename Finish>
__device__ void for_each(int rows, int size, const float (&sums)[EACH][EACH], Finish finish) {
  for (int i = 0; i < EACH; ++i) {
    for (int j = 0; j < EACH; ++j) {
      const int64_t row = static_cast<int64_t>(blockIdx.y) * TILE + threadIdx.x / SIDE + SIDE * i;
      const int64_t col = static_cast<int64_t>(blockIdx.x) * TILE + threadIdx.x % SIDE + SIDE * j;
      if (row < rows && col < size) {
        finish(row * size + col, col, sums[i][j]);
      }
    }
  }
}

// kept = reset * x_1 where gate is 0, update where it is 1
template <typename scalar_t>
__global__ void gate_kernel(const scalar_t* __restrict__ x_1, const scalar_t* __restrict__ x_2,
                            const scalar_t* __restrict__ reset_weight, const scalar_t* __restrict__ reset_bias,
                            const scalar_t* __restrict__ update_weight, const scalar_t* __restrict__ update_bias,
                            scalar_t* __restrict__ kept, float* __restrict__ update, int rows, int size) {
  const bool resets = blockIdx.z == 0;
  const scalar_t* weight = resets ? reset_weight : update_weight;
  float sums[EACH][EACH] = {};
  multiply(x_2, weight + size, rows, size, sums);
  multiply(x_1, weight, rows, size, sums);
  for_each(rows, size, sums, [&](int64_t place, int64_t col, float sum) {
    const float gate = sigmoid(sum + static_cast<float>(resets ? reset_bias[col] : update_bias[col]));
    if (resets) {
      kept[place] = static_cast<scalar_t>(gate * static_cast<float>(x_1[place]));
    } else {
      update[place] = gate;
    }
  });
}

template <typename scalar_t>
__global__ void select_kernel(const scalar_t* __restrict__ kept, const scalar_t* __restrict__ x_2,
                              const scalar_t* __restrict__ weight, const scalar_t* __restrict__ bias,
                              const scalar_t* __restrict__ x_1, const float* __restrict__ update,
                              scalar_t* __restrict__ y, int rows, int size) {
  float sums[EACH][EACH] = {};
  multiply(x_2, weight + size, rows, size, sums);
  multiply(kept, weight, rows, size, sums);
  for_each(rows, size, sums, [&](int64_t place, int64_t col, float sum) {
    const float proposal = tanhf(sum + static_cast<float>(bias[col]));
    const float old = static_cast<float>(x_1[place]);
    y[place] = static_cast<scalar_t>((1.0f - update[place]) * old + update[place] * proposal);
  });
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
  const dim3 gates((size + TILE - 1) / TILE, (rows + TILE - 1) / TILE, 2);
  const dim3 blocks(gates.x, gates.y);
  auto stream = at::hip::getCurrentHIPStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x_1.scalar_type(), "gru_gate", [&] {
    gate_kernel<scalar_t><<<gates, SIDE * SIDE, 0, stream>>>(
        x_1.data_ptr<scalar_t>(), x_2.data_ptr<scalar_t>(), reset_weight.data_ptr<scalar_t>(),
        reset_bias.data_ptr<scalar_t>(), update_weight.data_ptr<scalar_t>(), update_bias.data_ptr<scalar_t>(),
        kept.data_ptr<scalar_t>(), update.data_ptr<float>(), rows, size);
    select_kernel<scalar_t><<<blocks, SIDE * SIDE, 0, stream>>>(
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
