// Multi-head attention: linear layers by blocks of 16 rows by 64 columns, and a thread for every query and head, which
// sees keys and values in tiles and keeps its softmax up to date.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int ROWS = 16;  // of a linear layer's block; each thread makes ROWS / 4 sums of one column
constexpr int COLS = 64;
constexpr int DEPTH = 16;
constexpr int THREADS = COLS * 4;
constexpr int QUERIES = 64;  // of an attention block, a thread each
constexpr int KEYS = 32;     // of a tile
constexpr int HEAD = 64;     // the largest head_dim; what is beyond a smaller one is zero

// y[row, col] = sum over k of x[row, k] * weight[col, k], plus bias[col]
template <typename scalar_t>
__global__ void linear_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                              const scalar_t* __restrict__ bias, scalar_t* __restrict__ y, int rows, int cols,
                              int depth) {
  __shared__ float x_part[ROWS][DEPTH];
  __shared__ float weight_part[COLS][DEPTH + 1];
  const int64_t first_row = static_cast<int64_t>(blockIdx.x) * ROWS;
  const int64_t first_col = static_cast<int64_t>(blockIdx.y) * COLS;
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
      y[row * cols + col] = static_cast<scalar_t>(sums[r] + static_cast<float>(bias[col]));
    }
  }
}

template <typename scalar_t>
torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
  const int rows = x.size(0);
  const int cols = weight.size(0);
  auto y = torch::empty({rows, cols}, x.options());
  const dim3 blocks((rows + ROWS - 1) / ROWS, (cols + COLS - 1) / COLS);
  linear_kernel<scalar_t><<<blocks, THREADS, 0, at::hip::getCurrentHIPStream()>>>(
      x.data_ptr<scalar_t>(), weight.data_ptr<scalar_t>(), bias.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), rows,
      cols, static_cast<int>(x.size(1)));
  return y;
}

// Blocks are numbered by tokens, head and batch. `projected` holds queries, keys and values of each token.
template <typename scalar_t>
__global__ void attention_kernel(const scalar_t* __restrict__ projected, const bool* __restrict__ mask,
                                 scalar_t* __restrict__ gathered, int tokens, int features, int head_dim) {
  __shared__ float key_tile[KEYS][HEAD];
  __shared__ float value_tile[KEYS][HEAD];
  const int64_t first_token = static_cast<int64_t>(blockIdx.z) * tokens;
  const int64_t stride = 3 * static_cast<int64_t>(features);
  const int own = blockIdx.x * QUERIES + threadIdx.x;
  const scalar_t* queries = projected + first_token * stride + blockIdx.y * head_dim;
  const scalar_t* keys = queries + features;
  const scalar_t* values = keys + features;
  const float scale = rsqrtf(static_cast<float>(head_dim));
  float query[HEAD];
  float sums[HEAD];
#pragma unroll
  for (int d = 0; d < HEAD; ++d) {
    query[d] = own < tokens && d < head_dim ? static_cast<float>(queries[own * stride + d]) * scale : 0.0f;
    sums[d] = 0.0f;
  }

  float highest = -INFINITY;
  float total = 0.0f;
  for (int start = 0; start < tokens; start += KEYS) {
    for (int i = threadIdx.x; i < KEYS * HEAD; i += QUERIES) {
      const int token = start + i / HEAD;
      const int d = i % HEAD;
      const bool inside = token < tokens && d < head_dim;
      key_tile[i / HEAD][d] = inside ? static_cast<float>(keys[token * stride + d]) : 0.0f;
      value_tile[i / HEAD][d] = inside ? static_cast<float>(values[token * stride + d]) : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < KEYS && start + k < tokens; ++k) {
      if (mask != nullptr && !mask[first_token + start + k]) {
        continue;
      }
      float score = 0.0f;
#pragma unroll
      for (int d = 0; d < HEAD; ++d) {
        score += query[d] * key_tile[k][d];
      }
      if (score > highest) {
        const float shrunk = expf(highest - score);
        total *= shrunk;
#pragma unroll
        for (int d = 0; d < HEAD; ++d) {
          sums[d] *= shrunk;
        }
        highest = score;
      }
      const float weight = expf(score - highest);
      total += weight;
#pragma unroll
      for (int d = 0; d < HEAD; ++d) {
        sums[d] += weight * value_tile[k][d];
      }
    }
    __syncthreads();
  }

  if (own < tokens) {
    const float share = total > 0.0f ? 1.0f / total : 0.0f;
#pragma unroll
    for (int d = 0; d < HEAD; ++d) {
      if (d < head_dim) {
        gathered[(first_token + own) * features + blockIdx.y * head_dim + d] = static_cast<scalar_t>(sums[d] * share);
      }
    }
  }
}

torch::Tensor forward(torch::Tensor x, torch::Tensor weight_in, torch::Tensor bias_in, torch::Tensor weight_out,
                      torch::Tensor bias_out, std::optional<torch::Tensor> mask, int64_t heads) {
  const int batch = x.size(0);
  const int tokens = x.size(1);
  const int features = x.size(2);
  const auto rows = x.contiguous().view({batch * tokens, features});
  const auto given = mask ? mask->contiguous() : torch::Tensor();
  const bool* present = mask ? given.data_ptr<bool>() : nullptr;
  auto gathered = torch::empty_like(rows);
  torch::Tensor y;
  AT_DISPATCH_FLOATING_TYPES_AND(at::ScalarType::Half, x.scalar_type(), "attention", [&] {
    const auto projected = linear<scalar_t>(rows, weight_in.contiguous(), bias_in.contiguous());
    const dim3 blocks((tokens + QUERIES - 1) / QUERIES, heads, batch);
    attention_kernel<scalar_t><<<blocks, QUERIES, 0, at::hip::getCurrentHIPStream()>>>(
        projected.data_ptr<scalar_t>(), present, gathered.data_ptr<scalar_t>(), tokens, features,
        static_cast<int>(features / heads));
    y = linear<scalar_t>(gathered, weight_out.contiguous(), bias_out.contiguous());
  });
  return y.view({batch, tokens, features});
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("weight_in"), py::arg("bias_in"), py::arg("weight_out"),
        py::arg("bias_out"), py::arg("mask"), py::arg("heads"));
}
