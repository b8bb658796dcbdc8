// Attention of queries to items: a linear layer by tiles of 32 by 32, then a block for every query token and item.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 128;  // of an attention block
constexpr int TILE = 32;
constexpr int LINES = 8;  // a linear layer's block is TILE by LINES threads; each makes TILE / LINES rows of its column

// y[row, col] = sum over k of x[row, k] * weight[col, k], plus bias[col], in float
template <typename scalar_t>
__global__ void linear_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                              const scalar_t* __restrict__ bias, float* __restrict__ y, int rows, int cols,
                              int depth) {
  __shared__ float x_tile[TILE][TILE + 1];
  __shared__ float weight_tile[TILE][TILE + 1];
  const int64_t first_row = static_cast<int64_t>(blockIdx.x) * TILE;
  const int64_t first_col = static_cast<int64_t>(blockIdx.y) * TILE;
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
      y[row * cols + col] = sums[s] + static_cast<float>(bias[col]);
    }
  }
}

template <typename scalar_t>
torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
  const int rows = x.size(0) * x.size(1);
  const int cols = weight.size(0);
  auto y = torch::empty({rows, cols}, x.options().dtype(torch::kFloat32));
  const dim3 blocks((rows + TILE - 1) / TILE, (cols + TILE - 1) / TILE);
  linear_kernel<scalar_t><<<blocks, dim3(TILE, LINES), 0, at::hip::getCurrentHIPStream()>>>(
      x.data_ptr<scalar_t>(), weight.data_ptr<scalar_t>(), bias.data_ptr<scalar_t>(), y.data_ptr<float>(), rows, cols,
      static_cast<int>(x.size(2)));
  return y;
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

// Blocks are numbered by tokens of a query, items and queries.
template <typename scalar_t>
__global__ void attention_kernel(const float* __restrict__ projected_query, const float* __restrict__ projected_item,
                                 const scalar_t* __restrict__ item, scalar_t* __restrict__ y, int tokens, int features,
                                 int hidden) {
  extern __shared__ float shared[];
  float* shares = shared;        // of the item's tokens
  float* own = shared + tokens;  // the query token, projected
  const int64_t row = static_cast<int64_t>(blockIdx.z) * tokens + blockIdx.x;
  const int64_t first = static_cast<int64_t>(blockIdx.y) * tokens;
  for (int h = threadIdx.x; h < hidden; h += THREADS) {
    own[h] = projected_query[row * hidden + h];
  }
  __syncthreads();

  float highest = -INFINITY;
  for (int j = threadIdx.x; j < tokens; j += THREADS) {
    const float* other = projected_item + (first + j) * hidden;
    float score = 0.0f;
    for (int h = 0; h < hidden; ++h) {
      score += tanhf(own[h] * other[h]);
    }
    shares[j] = score;
    highest = fmaxf(highest, score);
  }
  highest = over_block(highest, Maximum());

  float sum = 0.0f;
  for (int j = threadIdx.x; j < tokens; j += THREADS) {
    shares[j] = expf(shares[j] - highest);
    sum += shares[j];
  }
  const float total = over_block(sum, Sum());

  y += ((static_cast<int64_t>(blockIdx.z) * gridDim.y + blockIdx.y) * tokens + blockIdx.x) * features;
  for (int f = threadIdx.x; f < features; f += THREADS) {
    float gathered = 0.0f;
    for (int j = 0; j < tokens; ++j) {
      gathered += shares[j] * static_cast<float>(item[(first + j) * features + f]);
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
  AT_DISPATCH_FLOATING_TYPES_AND(at::ScalarType::Half, item.scalar_type(), "attention", [&] {
    const auto projected_query = linear<scalar_t>(query, weight, bias);
    const auto projected_item = linear<scalar_t>(item, weight, bias);
    attention_kernel<scalar_t><<<dim3(tokens, items, queries), THREADS, (tokens + hidden) * sizeof(float),
                                 at::hip::getCurrentHIPStream()>>>(
        projected_query.data_ptr<float>(), projected_item.data_ptr<float>(), item.data_ptr<scalar_t>(),
        y.data_ptr<scalar_t>(), tokens, features, hidden);
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("query"), py::arg("item"), py::arg("weight"), py::arg("bias"));
}
