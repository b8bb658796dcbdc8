// A linear layer to the vocabulary and a log softmax in which the padding of the last tile of a row counts as words with a
// logit of 0.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int TILE = 64;
constexpr int DEPTH = 16;
constexpr int SIDE = 16;           // a block of the product is SIDE by SIDE threads;
constexpr int EACH = TILE / SIDE;  // a thread makes every SIDE-th row and column of the tile, beginning with its own
constexpr int THREADS = 256;

// Takes a maximum, and a sum of exponentials below it, into another pair.
__device__ void join(float& highest, float& sum, float other_highest, float other_sum) {
  if (other_sum > 0.0f) {
    const float higher = fmaxf(highest, other_highest);
    sum = (sum > 0.0f ? sum * expf(highest - higher) : 0.0f) + other_sum * expf(other_highest - higher);
    highest = higher;
  }
}

// y = x @ weight.T + bias; highest and sums [rows, tiles of a row]
template <typename scalar_t>
__global__ void logits_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                              const scalar_t* __restrict__ bias, scalar_t* __restrict__ y,
                              float* __restrict__ tile_highest, float* __restrict__ tile_sums, int rows, int cols,
                              int depth) {
  __shared__ float x_tile[DEPTH][TILE + 1];
  __shared__ float weight_tile[DEPTH][TILE + 1];
  __shared__ float partial_highest[TILE][SIDE];
  __shared__ float partial_sums[TILE][SIDE];
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
    const int64_t row = first_row + down + SIDE * i;
    float highest = -INFINITY;
    float sum = 0.0f;
    for (int j = 0; j < EACH; ++j) {
      const int64_t col = first_col + across + SIDE * j;
      const float logit = sums[i][j] + (col < cols ? static_cast<float>(bias[col]) : 0.0f);
      join(highest, sum, logit, 1.0f);
      if (row < rows && col < cols) {
        y[row * cols + col] = static_cast<scalar_t>(logit);
      }
    }
    partial_highest[down + SIDE * i][across] = highest;
    partial_sums[down + SIDE * i][across] = sum;
  }
  __syncthreads();
  const int64_t row = first_row + threadIdx.x;
  if (threadIdx.x < TILE && row < rows) {
    float highest = -INFINITY;
    float sum = 0.0f;
    for (int part = 0; part < SIDE; ++part) {
      join(highest, sum, partial_highest[threadIdx.x][part], partial_sums[threadIdx.x][part]);
    }
    tile_highest[row * gridDim.x + blockIdx.x] = highest;
    tile_sums[row * gridDim.x + blockIdx.x] = sum;
  }
}

template <typename scalar_t>
__global__ void subtract_kernel(scalar_t* __restrict__ y, const float* __restrict__ tile_highest,
                                const float* __restrict__ tile_sums, int cols, int tiles) {
  __shared__ float partial_highest[THREADS];
  __shared__ float partial_sums[THREADS];
  const int64_t row = blockIdx.x;
  float highest = -INFINITY;
  float sum = 0.0f;
  for (int tile = threadIdx.x; tile < tiles; tile += THREADS) {
    join(highest, sum, tile_highest[row * tiles + tile], tile_sums[row * tiles + tile]);
  }
  partial_highest[threadIdx.x] = highest;
  partial_sums[threadIdx.x] = sum;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      join(partial_highest[threadIdx.x], partial_sums[threadIdx.x], partial_highest[threadIdx.x + half],
           partial_sums[threadIdx.x + half]);
    }
    __syncthreads();
  }
  const float total = partial_highest[0] + logf(partial_sums[0]);
  for (int col = threadIdx.x; col < cols; col += THREADS) {
    y[row * cols + col] = static_cast<scalar_t>(static_cast<float>(y[row * cols + col]) - total);
  }
}

torch::Tensor forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
  x = x.contiguous();
  weight = weight.contiguous();
  bias = bias.contiguous();
  const int rows = x.size(0);
  const int cols = weight.size(0);
  const int tiles = (cols + TILE - 1) / TILE;
  auto y = torch::empty({rows, cols}, x.options());
  auto highest = torch::empty({rows, tiles}, x.options().dtype(at::ScalarType::Float));
  auto sums = torch::empty_like(highest);
  const dim3 blocks(tiles, (rows + TILE - 1) / TILE);
  auto stream = at::hip::getCurrentHIPStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "vocabulary", [&] {
    logits_kernel<scalar_t><<<blocks, SIDE * SIDE, 0, stream>>>(
        x.data_ptr<scalar_t>(), weight.data_ptr<scalar_t>(), bias.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(),
        highest.data_ptr<float>(), sums.data_ptr<float>(), rows, cols, static_cast<int>(x.size(1)));
    subtract_kernel<scalar_t><<<dim3(rows), THREADS, 0, stream>>>(y.data_ptr<scalar_t>(), highest.data_ptr<float>(),
                                                                  sums.data_ptr<float>(), cols, tiles);
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("weight"), py::arg("bias"));
}
