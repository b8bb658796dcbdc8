// Multi-head attention: linear layers by tiles of 32 by 32, and a block for every query and head between them.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 128;  // of an attention block
constexpr int MOST_HEAD_DIM = 64;
constexpr int TILE = 32;
constexpr int LINES = 8;  // a block of a linear layer is TILE by LINES threads; each makes TILE / LINES rows of its column

// y[row, col] = sum over k of x[row, k] * weight[col, k], plus bias[col]
template <typename scalar_t>
__global__ void linear_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                              const scalar_t* __restrict__ bias, scalar_t* __restrict__ y, int rows, int cols,
                              int depth) {
  __shared__ float x_tile[TILE][TILE + 1];
  __shared__ float weight_tile[TILE][TILE + 1];
  const int64_t first_row = blockIdx.y * TILE;
  const int64_t first_col = blockIdx.x * TILE;
  float sums[TILE / LINES] = {};

  for (int step = 0; step < depth; step += TILE) {
    const int k = step + threadIdx.x;
    for (int line = threadIdx.y; line < TILE; line += LINES) {
      const int64_t row = first_row + line;
      const int64_t col = first_col + line;
      x_tile[line][threadIdx.x] = row < rows && k < depth ? static_cast<float>(x[row * depth + k]) : 0.0f;
      weight_tile[line][threadIdx.x] = col < cols && k < depth ? static_cast<float>(weight[col * depth + k]) : 0.0f;
    }
    __syncthreads();
    for (int i = 0; i < TILE; ++i) {
      const float factor = weight_tile[threadIdx.x][i];
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
      y[row * cols + col] = static_cast<scalar_t>(sums[s] + static_cast<float>(bias[col]));
    }
  }
}

template <typename scalar_t>
void linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias, torch::Tensor& y) {
  const int rows = x.size(0);
  const int cols = weight.size(0);
  const dim3 blocks((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  linear_kernel<scalar_t><<<blocks, dim3(TILE, LINES), 0, at::hip::getCurrentHIPStream()>>>(
      x.data_ptr<scalar_t>(), weight.data_ptr<scalar_t>(), bias.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), rows,
      cols, static_cast<int>(x.size(1)));
}

struct Maximum {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};

// The combination over the block, in every thread.
template <typename Combine>
__device__ float over_block(float value, Combine combine) {
  __shared__ float partial[THREADS];
  partial[threadIdx.x] = value;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      partial[threadIdx.x] = combine(partial[threadIdx.x], partial[threadIdx.x + half]);
    }
    __syncthreads();
  }
  const float total = partial[0];
  __syncthreads();  // the next combination overwrites it
  return total;
}

// A block makes one head of one token. `projected` holds queries, keys and values of each token; blocks are numbered by
// token, head and batch.
template <typename scalar_t>
__global__ void attention_kernel(const scalar_t* __restrict__ projected, const bool* __restrict__ mask,
                                 scalar_t* __restrict__ gathered, int tokens, int features, int head_dim) {
  extern __shared__ float weights[];  // of all tokens
  __shared__ float query[MOST_HEAD_DIM];
  __shared__ float partial[THREADS];
  const int64_t first_token = static_cast<int64_t>(blockIdx.z) * tokens;
  const int64_t own_token = first_token + blockIdx.x;
  const int offset = blockIdx.y * head_dim;
  const scalar_t* keys = projected + first_token * 3 * features + features + offset;
  const scalar_t* values = keys + features;
  if (threadIdx.x < head_dim) {
    const float scale = rsqrtf(static_cast<float>(head_dim));
    query[threadIdx.x] = static_cast<float>(projected[own_token * 3 * features + offset + threadIdx.x]) * scale;
  }
  __syncthreads();

  float highest = -INFINITY;
  for (int t = threadIdx.x; t < tokens; t += THREADS) {
    float score = 0.0f;
    for (int d = 0; d < head_dim; ++d) {
      score += query[d] * static_cast<float>(keys[static_cast<int64_t>(t) * 3 * features + d]);
    }
    weights[t] = mask == nullptr || mask[first_token + t] ? score : -INFINITY;
    highest = fmaxf(highest, weights[t]);
  }
  highest = over_block(highest, Maximum());

  float sum = 0.0f;
  for (int t = threadIdx.x; t < tokens; t += THREADS) {
    weights[t] = highest == -INFINITY ? 0.0f : expf(weights[t] - highest);
    sum += weights[t];
  }
  const float total = over_block(sum, Sum());

  // Threads d, d + head_dim, … share the sum of column d.
  const int parts = THREADS / head_dim;
  const int part = threadIdx.x / head_dim;
  const int d = threadIdx.x % head_dim;
  float value = 0.0f;
  for (int t = part; t < tokens && part < parts; t += parts) {
    value += weights[t] * static_cast<float>(values[static_cast<int64_t>(t) * 3 * features + d]);
  }
  partial[threadIdx.x] = value;
  __syncthreads();
  if (part == 0) {
    for (int other = 1; other < parts; ++other) {
      value += partial[threadIdx.x + other * head_dim];
    }
    gathered[own_token * features + offset + d] = static_cast<scalar_t>(total > 0.0f ? value / total : 0.0f);
  }
}

torch::Tensor forward(torch::Tensor x, torch::Tensor weight_in, torch::Tensor bias_in, torch::Tensor weight_out,
                      torch::Tensor bias_out, std::optional<torch::Tensor> mask, int64_t heads) {
  x = x.contiguous();
  weight_in = weight_in.contiguous();
  weight_out = weight_out.contiguous();
  const int batch = x.size(0);
  const int tokens = x.size(1);
  const int features = x.size(2);
  auto projected = torch::empty({batch * tokens, 3 * features}, x.options());
  auto gathered = torch::empty({batch * tokens, features}, x.options());
  auto y = torch::empty_like(x);
  const auto from = x.view({batch * tokens, features});
  auto to = y.view({batch * tokens, features});
  const auto given = mask ? mask->contiguous() : torch::Tensor();
  const bool* present = mask ? given.data_ptr<bool>() : nullptr;
  AT_DISPATCH_FLOATING_TYPES_AND(at::ScalarType::Half, x.scalar_type(), "attention", [&] {
    linear<scalar_t>(from, weight_in, bias_in, projected);
    attention_kernel<scalar_t>
        <<<dim3(tokens, heads, batch), THREADS, tokens * sizeof(float), at::hip::getCurrentHIPStream()>>>(
            projected.data_ptr<scalar_t>(), present, gathered.data_ptr<scalar_t>(), tokens, features,
            static_cast<int>(features / heads));
    linear<scalar_t>(gathered, weight_out, bias_out, to);
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("weight_in"), py::arg("bias_in"), py::arg("weight_out"),
        py::arg("bias_out"), py::arg("mask"), py::arg("heads"));
}
