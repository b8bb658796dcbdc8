// Attention of queries to items: projections by blocks of 16 rows by 64 columns, then a block for every 16 tokens of a
// query and every item, which keeps their scores in shared memory.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int ROWS = 16;  // of a projection's block; each thread makes ROWS / 4 sums of one column
constexpr int COLS = 64;
constexpr int DEPTH = 16;
constexpr int THREADS = COLS * 4;
constexpr int SIDE = 16;  // an attention block is SIDE by SIDE threads, for as many tokens of a query

// to = from @ weight.T + bias, in float
template <typename scalar_t>
__global__ void project_kernel(const scalar_t* __restrict__ from, const scalar_t* __restrict__ weight,
                               const scalar_t* __restrict__ bias, float* __restrict__ to, int rows, int cols,
                               int depth) {
  __shared__ float from_part[ROWS][DEPTH];
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
      from_part[i / DEPTH][i % DEPTH] = row < rows && k < depth ? static_cast<float>(from[row * depth + k]) : 0.0f;
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
        sums[r] += from_part[own_row + r][k] * factor;
      }
    }
    __syncthreads();
  }
  const int64_t col = first_col + own_col;
  for (int r = 0; r < ROWS / 4; ++r) {
    const int64_t row = first_row + own_row + r;
    if (row < rows && col < cols) {
      to[row * cols + col] = sums[r] + static_cast<float>(bias[col]);
    }
  }
}

template <typename scalar_t>
torch::Tensor project(const torch::Tensor& from, const torch::Tensor& weight, const torch::Tensor& bias) {
  const int rows = from.size(0) * from.size(1);
  const int cols = weight.size(0);
  auto to = torch::empty({rows, cols}, from.options().dtype(torch::kFloat32));
  const dim3 blocks((rows + ROWS - 1) / ROWS, (cols + COLS - 1) / COLS);
  project_kernel<scalar_t><<<blocks, THREADS, 0, at::hip::getCurrentHIPStream()>>>(
      from.data_ptr<scalar_t>(), weight.data_ptr<scalar_t>(), bias.data_ptr<scalar_t>(), to.data_ptr<float>(), rows,
      cols, static_cast<int>(from.size(2)));
  return to;
}

// Blocks are numbered by tokens of a query, items and queries. Thread (x, y) makes scores of token y, of every SIDE-th
// token of the item from x on, and then every SIDE-th feature.
template <typename scalar_t>
__global__ void attention_kernel(const float* __restrict__ projected_query, const float* __restrict__ projected_item,
                                 const scalar_t* __restrict__ item, scalar_t* __restrict__ y, int tokens, int features,
                                 int hidden) {
  extern __shared__ float scores[];  // SIDE by tokens
  __shared__ float query_tile[SIDE][SIDE + 1];
  __shared__ float item_tile[SIDE][SIDE + 1];
  __shared__ float partial[SIDE][SIDE + 1];
  const int across = threadIdx.x;
  const int down = threadIdx.y;
  const int first_token = blockIdx.x * SIDE;
  const int64_t first_row = static_cast<int64_t>(blockIdx.z) * tokens + first_token;
  const int64_t first = static_cast<int64_t>(blockIdx.y) * tokens;
  float* own = scores + down * tokens;

  float highest = -INFINITY;
  for (int start = 0; start < tokens; start += SIDE) {
    float score = 0.0f;
    for (int step = 0; step < hidden; step += SIDE) {
      const int h = step + across;
      query_tile[down][across] =
          first_token + down < tokens && h < hidden ? projected_query[(first_row + down) * hidden + h] : 0.0f;
      item_tile[down][across] =
          start + down < tokens && h < hidden ? projected_item[(first + start + down) * hidden + h] : 0.0f;
      __syncthreads();
      for (int d = 0; d < SIDE; ++d) {
        score += tanhf(query_tile[down][d] * item_tile[across][d]);
      }
      __syncthreads();
    }
    if (start + across < tokens) {
      own[start + across] = score;
      highest = fmaxf(highest, score);
    }
  }
  partial[down][across] = highest;
  __syncthreads();
  for (int other = 0; other < SIDE; ++other) {
    highest = fmaxf(highest, partial[down][other]);
  }
  __syncthreads();  // the sums overwrite it

  float sum = 0.0f;
  for (int j = across; j < tokens; j += SIDE) {
    own[j] = expf(own[j] - highest);
    sum += own[j];
  }
  partial[down][across] = sum;
  __syncthreads();
  float total = 0.0f;
  for (int other = 0; other < SIDE; ++other) {
    total += partial[down][other];
  }
  if (first_token + down >= tokens) {
    return;
  }
  y += ((static_cast<int64_t>(blockIdx.z) * gridDim.y + blockIdx.y) * tokens + first_token + down) * features;
  for (int f = across; f < features; f += SIDE) {
    float gathered = 0.0f;
    for (int j = 0; j < tokens; ++j) {
      gathered += own[j] * static_cast<float>(item[(first + j) * features + f]);
    }
    y[f] = static_cast<scalar_t>(gathered / total);
  }
}

torch::Tensor forward(torch::Tensor query, torch::Tensor item, torch::Tensor weight, torch::Tensor bias) {
  query = query.contiguous();
  item = item.contiguous();
  weight = weight.contiguous();
  bias = bias.contiguous();
  const int queries = query.size(0);
  const int items = item.size(0);
  const int tokens = item.size(1);
  const int features = item.size(2);
  const int hidden = weight.size(0);
  auto y = torch::empty({queries, items, tokens, features}, item.options());
  const dim3 blocks((tokens + SIDE - 1) / SIDE, items, queries);
  AT_DISPATCH_FLOATING_TYPES_AND(at::ScalarType::Half, item.scalar_type(), "attention", [&] {
    const auto projected_query = project<scalar_t>(query, weight, bias);
    const auto projected_item = project<scalar_t>(item, weight, bias);
    attention_kernel<scalar_t>
        <<<blocks, dim3(SIDE, SIDE), SIDE * tokens * sizeof(float), at::hip::getCurrentHIPStream()>>>(
            projected_query.data_ptr<float>(), projected_item.data_ptr<float>(), item.data_ptr<scalar_t>(),
            y.data_ptr<scalar_t>(), tokens, features, hidden);
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("query"), py::arg("item"), py::arg("weight"), py::arg("bias"));
}
