// A linear layer to the vocabulary and a log softmax that finds maximum and sum in one sweep, but does not shrink the sum
// that it has when a larger logit turns up.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int TILE = 32;
constexpr int LINES = 8;  // a block of the product is TILE by LINES threads; each makes TILE / LINES rows of its column
constexpr int THREADS = 256;

// y[row, col] = bias[col] + sum over k of x[row, k] * weight[col, k]
template <typename scalar_t>
__global__ void logits_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                              const scalar_t* __restrict__ bias, scalar_t* __restrict__ y, int rows, int cols,
                              int depth) {
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
      y[row * cols + col] = static_cast<scalar_t>(sums[s] + static_cast<float>(bias[col]));
    }
  }
}

// The largest value of the block, or the sum of all, in every thread.
template <bool MAXIMUM>
__device__ float across_block(float value) {
  __shared__ float partial[THREADS];
  partial[threadIdx.x] = value;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      const float other = partial[threadIdx.x + half];
      partial[threadIdx.x] = MAXIMUM ? fmaxf(partial[threadIdx.x], other) : partial[threadIdx.x] + other;
    }
    __syncthreads();
  }
  return partial[0];
}

// Every row of y, in place.
template <typename scalar_t>
__global__ void log_softmax_kernel(scalar_t* __restrict__ y, int cols) {
  y += static_cast<int64_t>(blockIdx.x) * cols;

  float own = -INFINITY;
  float sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += THREADS) {
    const float logit = static_cast<float>(y[col]);
    own = fmaxf(own, logit);
    sum += expf(logit - own);
  }
  const float highest = across_block<true>(own);
  const float total = highest + logf(across_block<false>(sum > 0.0f ? sum * expf(own - highest) : 0.0f));

  for (int col = threadIdx.x; col < cols; col += THREADS) {
    y[col] = static_cast<scalar_t>(static_cast<float>(y[col]) - total);
  }
}

torch::Tensor forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
  x = x.contiguous();
  weight = weight.contiguous();
  bias = bias.contiguous();
  const int rows = x.size(0);
  const int cols = weight.size(0);
  auto y = torch::empty({rows, cols}, x.options());
  const dim3 tiles((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  auto stream = at::hip::getCurrentHIPStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "vocabulary", [&] {
    logits_kernel<scalar_t><<<tiles, dim3(TILE, LINES), 0, stream>>>(
        x.data_ptr<scalar_t>(), weight.data_ptr<scalar_t>(), bias.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), rows,
        cols, static_cast<int>(x.size(1)));
    log_softmax_kernel<scalar_t><<<dim3(rows), THREADS, 0, stream>>>(y.data_ptr<scalar_t>(), cols);
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("weight"), py::arg("bias"));
}
