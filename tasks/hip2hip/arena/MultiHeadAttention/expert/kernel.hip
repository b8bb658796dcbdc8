// Multi-head attention in three kernels: two linear layers by tiles of 64 or 128 squared with 16 or 64 sums a thread in
// registers, and between them an attention that never writes its weights: 64 queries share every key and value, and the
// softmax is kept up to date while they pass (online).

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;
constexpr int QUERIES = 64;  // of an attention block
constexpr int KEYS = 32;     // that it looks at together
constexpr int ENOUGH_BLOCKS = 128;  // large tiles are worth it when there are so many of them

template <typename scalar_t>
struct alignas(4 * sizeof(scalar_t)) Four {
  scalar_t values[4];
};

// Four neighbours as float; those from `count` on are zero and not read.
template <typename scalar_t>
__device__ __forceinline__ void load(const scalar_t* from, int count, bool in_fours, float (&to)[4]) {
  if (in_fours && count >= 4) {
    const auto four = *reinterpret_cast<const Four<scalar_t>*>(from);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      to[k] = static_cast<float>(four.values[k]);
    }
    return;
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    to[k] = k < count ? static_cast<float>(from[k]) : 0.0f;
  }
}

// y[row, col] = sum over k of x[row, k] * weight[col, k], plus bias[col]. A block makes a square of TILE by TILE; a
// thread makes squares of 4 by 4, which lie 64 apart.
template <typename scalar_t, int TILE>
__global__ void __launch_bounds__(THREADS)
    linear_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                  const scalar_t* __restrict__ bias, scalar_t* __restrict__ y, int rows, int cols, int depth,
                  bool in_fours) {
  constexpr int DEPTH = 4 * THREADS / TILE;  // every thread loads four elements of each factor
  constexpr int PARTS = TILE / 64;
  constexpr int SIDE = 4 * PARTS;
  alignas(16) __shared__ float x_tile[2][DEPTH][TILE + 4];
  alignas(16) __shared__ float weight_tile[2][DEPTH][TILE + 4];
  const int first_row = blockIdx.y * TILE;
  const int first_col = blockIdx.x * TILE;
  const int line = threadIdx.x / (DEPTH / 4);
  const int own_step = threadIdx.x % (DEPTH / 4) * 4;
  const int down = threadIdx.x / 16 * 4;
  const int across = threadIdx.x % 16 * 4;
  const scalar_t* x_line = x + static_cast<int64_t>(first_row + line) * depth + own_step;
  const scalar_t* weight_line = weight + static_cast<int64_t>(first_col + line) * depth + own_step;

  float x_next[4];
  float weight_next[4];
  const auto fetch = [&](int step) {
    const int count = depth - step - own_step;
    load(x_line + step, first_row + line < rows ? count : 0, in_fours, x_next);
    load(weight_line + step, first_col + line < cols ? count : 0, in_fours, weight_next);
  };
  const auto put = [&](int buffer) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      x_tile[buffer][own_step + i][line] = x_next[i];
      weight_tile[buffer][own_step + i][line] = weight_next[i];
    }
  };

  float sums[SIDE][SIDE] = {};
  int buffer = 0;
  fetch(0);
  put(0);
  __syncthreads();
  for (int step = 0; step < depth; step += DEPTH) {
    const bool has_next = step + DEPTH < depth;
    if (has_next) {
      fetch(step + DEPTH);
    }
#pragma unroll
    for (int d = 0; d < DEPTH; ++d) {
      float left[SIDE];
      float right[SIDE];
#pragma unroll
      for (int part = 0; part < PARTS; ++part) {
        *reinterpret_cast<float4*>(left + part * 4) =
            *reinterpret_cast<const float4*>(&x_tile[buffer][d][down + part * 64]);
        *reinterpret_cast<float4*>(right + part * 4) =
            *reinterpret_cast<const float4*>(&weight_tile[buffer][d][across + part * 64]);
      }
#pragma unroll
      for (int i = 0; i < SIDE; ++i) {
#pragma unroll
        for (int j = 0; j < SIDE; ++j) {
          sums[i][j] = fmaf(left[i], right[j], sums[i][j]);
        }
      }
    }
    if (has_next) {
      put(1 - buffer);
    }
    __syncthreads();
    buffer = 1 - buffer;
  }

#pragma unroll
  for (int j = 0; j < SIDE; ++j) {
    const int64_t col = first_col + across + j % 4 + j / 4 * 64;
    if (col >= cols) {
      continue;
    }
    const float offset = static_cast<float>(bias[col]);
#pragma unroll
    for (int i = 0; i < SIDE; ++i) {
      const int64_t row = first_row + down + i % 4 + i / 4 * 64;
      if (row < rows) {
        y[row * cols + col] = static_cast<scalar_t>(sums[i][j] + offset);
      }
    }
  }
}

template <typename scalar_t, int TILE>
void launch_tiles(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias, torch::Tensor& y) {
  const int rows = x.size(0);
  const int cols = weight.size(0);
  const int depth = x.size(1);
  const uintptr_t starts =
      reinterpret_cast<uintptr_t>(x.data_ptr()) | reinterpret_cast<uintptr_t>(weight.data_ptr());
  const bool in_fours = depth % 4 == 0 && starts % sizeof(Four<scalar_t>) == 0;
  const dim3 blocks((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  linear_kernel<scalar_t, TILE><<<blocks, THREADS, 0, at::hip::getCurrentHIPStream()>>>(
      x.data_ptr<scalar_t>(), weight.data_ptr<scalar_t>(), bias.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), rows,
      cols, depth, in_fours);
}

template <typename scalar_t>
void linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias, torch::Tensor& y) {
  const int64_t large_tiles = ((x.size(0) + 127) / 128) * ((weight.size(0) + 127) / 128);
  if (large_tiles >= ENOUGH_BLOCKS) {
    launch_tiles<scalar_t, 128>(x, weight, bias, y);
  } else {
    launch_tiles<scalar_t, 64>(x, weight, bias, y);
  }
}

struct Maximum {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};

// Over the 16 neighbouring threads that share rows of queries.
template <typename Combine>
__device__ __forceinline__ float over_row(float value, Combine combine) {
#pragma unroll
  for (int offset = 8; offset > 0; offset /= 2) {
    value = combine(value, __shfl_xor(value, offset));
  }
  return value;
}

// A block makes one head of QUERIES tokens, KEYS keys at a time; the sums are scaled down whenever a maximum rises. A
// thread has four queries; of the scores it makes those of two keys, of the result HEAD / 16 columns. HEAD is head_dim
// rounded up; what is beyond is zero.
template <typename scalar_t, int HEAD>
__global__ void __launch_bounds__(THREADS)
    attention_kernel(const scalar_t* __restrict__ projected, const bool* __restrict__ mask,
                     scalar_t* __restrict__ gathered, int tokens, int features, int head_dim) {
  constexpr int COLUMNS = HEAD / 16;
  alignas(16) __shared__ float query_tile[HEAD][QUERIES + 4];
  alignas(16) __shared__ float key_tile[HEAD][KEYS + 4];
  alignas(16) __shared__ float value_tile[KEYS][HEAD + 4];
  alignas(16) __shared__ float weight_tile[KEYS][QUERIES + 4];
  const int64_t first_token = static_cast<int64_t>(blockIdx.z) * tokens;
  const int first_query = blockIdx.x * QUERIES;
  const int offset = blockIdx.y * head_dim;
  const int64_t stride = 3 * static_cast<int64_t>(features);
  const scalar_t* queries = projected + first_token * stride + offset;
  const scalar_t* keys = queries + features;
  const scalar_t* values = keys + features;
  const int across = threadIdx.x % 16;
  const int down = threadIdx.x / 16;

  const float scale = rsqrtf(static_cast<float>(head_dim));
#pragma unroll 4
  for (int i = threadIdx.x; i < HEAD * QUERIES; i += THREADS) {
    const int token = first_query + i / HEAD;
    const int d = i % HEAD;
    query_tile[d][i / HEAD] =
        token < tokens && d < head_dim ? static_cast<float>(queries[token * stride + d]) * scale : 0.0f;
  }

  float highest[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
  float total[4] = {};
  float sums[4][COLUMNS] = {};
  for (int start = 0; start < tokens; start += KEYS) {
#pragma unroll
    for (int i = threadIdx.x; i < HEAD * KEYS; i += THREADS) {
      const int token = start + i / HEAD;
      const int d = i % HEAD;
      const bool inside = token < tokens && d < head_dim;
      key_tile[d][i / HEAD] = inside ? static_cast<float>(keys[token * stride + d]) : 0.0f;
      value_tile[i / HEAD][d] = inside ? static_cast<float>(values[token * stride + d]) : 0.0f;
    }
    __syncthreads();

    float scores[4][2] = {};
#pragma unroll 8
    for (int d = 0; d < HEAD; ++d) {
      float left[4];
      *reinterpret_cast<float4*>(left) = *reinterpret_cast<const float4*>(&query_tile[d][4 * down]);
      const float2 right = *reinterpret_cast<const float2*>(&key_tile[d][2 * across]);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        scores[i][0] = fmaf(left[i], right.x, scores[i][0]);
        scores[i][1] = fmaf(left[i], right.y, scores[i][1]);
      }
    }
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const int token = start + 2 * across + j;
      const bool counts = token < tokens && (mask == nullptr || mask[first_token + token]);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        scores[i][j] = counts ? scores[i][j] : -INFINITY;
      }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float higher = fmaxf(highest[i], over_row(fmaxf(scores[i][0], scores[i][1]), Maximum()));
      const float shift = higher == -INFINITY ? 0.0f : higher;  // exp(-inf + inf) would be NaN
      scores[i][0] = __expf(scores[i][0] - shift);
      scores[i][1] = __expf(scores[i][1] - shift);
      const float shrunk = __expf(highest[i] - shift);
      highest[i] = higher;
      total[i] = total[i] * shrunk + over_row(scores[i][0] + scores[i][1], Sum());
#pragma unroll
      for (int c = 0; c < COLUMNS; ++c) {
        sums[i][c] *= shrunk;
      }
    }
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const float4 weights{scores[0][j], scores[1][j], scores[2][j], scores[3][j]};
      *reinterpret_cast<float4*>(&weight_tile[2 * across + j][4 * down]) = weights;
    }
    __syncthreads();

#pragma unroll 8
    for (int k = 0; k < KEYS; ++k) {
      float left[4];
      *reinterpret_cast<float4*>(left) = *reinterpret_cast<const float4*>(&weight_tile[k][4 * down]);
#pragma unroll
      for (int c = 0; c < COLUMNS; ++c) {
        const float right = value_tile[k][COLUMNS * across + c];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          sums[i][c] = fmaf(left[i], right, sums[i][c]);
        }
      }
    }
    __syncthreads();  // the next tiles overwrite these
  }

#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int token = first_query + 4 * down + i;
    const float share = total[i] > 0.0f ? 1.0f / total[i] : 0.0f;
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) {
      const int d = COLUMNS * across + c;
      if (token < tokens && d < head_dim) {
        gathered[(first_token + token) * features + offset + d] = static_cast<scalar_t>(sums[i][c] * share);
      }
    }
  }
}

template <typename scalar_t, int HEAD>
void launch_attention(const torch::Tensor& projected, const bool* mask, torch::Tensor& gathered, int batch, int tokens,
                      int heads) {
  const int features = gathered.size(1);
  const dim3 blocks((tokens + QUERIES - 1) / QUERIES, heads, batch);
  attention_kernel<scalar_t, HEAD><<<blocks, THREADS, 0, at::hip::getCurrentHIPStream()>>>(
      projected.data_ptr<scalar_t>(), mask, gathered.data_ptr<scalar_t>(), tokens, features, features / heads);
}

template <typename scalar_t>
void attend(const torch::Tensor& x, const torch::Tensor& weight_in, const torch::Tensor& bias_in,
            const torch::Tensor& weight_out, const torch::Tensor& bias_out, const bool* mask, int heads,
            torch::Tensor& y) {
  const int batch = x.size(0);
  const int tokens = x.size(1);
  const int features = x.size(2);
  auto projected = torch::empty({batch * tokens, 3 * features}, x.options());
  auto gathered = torch::empty({batch * tokens, features}, x.options());
  auto to = y.view({batch * tokens, features});
  linear<scalar_t>(x.view({batch * tokens, features}), weight_in, bias_in, projected);
  if (features / heads <= 32) {
    launch_attention<scalar_t, 32>(projected, mask, gathered, batch, tokens, heads);
  } else {
    launch_attention<scalar_t, 64>(projected, mask, gathered, batch, tokens, heads);
  }
  linear<scalar_t>(gathered, weight_out, bias_out, to);
}

torch::Tensor forward(torch::Tensor x, torch::Tensor weight_in, torch::Tensor bias_in, torch::Tensor weight_out,
                      torch::Tensor bias_out, std::optional<torch::Tensor> mask, int64_t heads) {
  x = x.contiguous();
  weight_in = weight_in.contiguous();
  weight_out = weight_out.contiguous();
  auto y = torch::empty_like(x);
  const auto given = mask ? mask->contiguous() : torch::Tensor();
  const bool* present = mask ? given.data_ptr<bool>() : nullptr;
  if (x.scalar_type() == torch::kFloat32) {
    attend<float>(x, weight_in, bias_in, weight_out, bias_out, present, heads, y);
  } else {
    attend<at::Half>(x, weight_in, bias_in, weight_out, bias_out, present, heads, y);
  }
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("weight_in"), py::arg("bias_in"), py::arg("weight_out"),
        py::arg("bias_out"), py::arg("mask"), py::arg("heads"));
}
