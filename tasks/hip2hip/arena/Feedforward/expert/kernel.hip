// Two linear layers with a ReLU between, each one kernel: tiles of 64 or 128 squared, 16 or 64 sums a thread in registers.
//
// Both factors lie along their sum, so a tile is turned as it is put into shared memory: then four rows or columns are
// one vector. The next tile is on its way from memory while the present one is multiplied.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;
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
template <typename scalar_t, int TILE, bool RELU>
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
        const float value = sums[i][j] + offset;
        y[row * cols + col] = static_cast<scalar_t>(RELU ? fmaxf(value, 0.0f) : value);
      }
    }
  }
}

template <typename scalar_t, int TILE, bool RELU>
void launch_tiles(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias, torch::Tensor& y) {
  const int rows = x.size(0);
  const int cols = weight.size(0);
  const int depth = x.size(1);
  const uintptr_t starts =
      reinterpret_cast<uintptr_t>(x.data_ptr()) | reinterpret_cast<uintptr_t>(weight.data_ptr());
  const bool in_fours = depth % 4 == 0 && starts % sizeof(Four<scalar_t>) == 0;
  const dim3 blocks((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  linear_kernel<scalar_t, TILE, RELU><<<blocks, THREADS, 0, at::hip::getCurrentHIPStream()>>>(
      x.data_ptr<scalar_t>(), weight.data_ptr<scalar_t>(), bias.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), rows,
      cols, depth, in_fours);
}

template <typename scalar_t, bool RELU>
void launch(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias, torch::Tensor& y) {
  const int64_t large_tiles = ((x.size(0) + 127) / 128) * ((weight.size(0) + 127) / 128);
  if (large_tiles >= ENOUGH_BLOCKS) {
    launch_tiles<scalar_t, 128, RELU>(x, weight, bias, y);
  } else {
    launch_tiles<scalar_t, 64, RELU>(x, weight, bias, y);
  }
}

template <typename scalar_t>
void feedforward(const torch::Tensor& x, const torch::Tensor& weight_1, const torch::Tensor& bias_1,
                 const torch::Tensor& weight_2, const torch::Tensor& bias_2, torch::Tensor& y) {
  auto hidden = torch::empty({x.size(0), weight_1.size(0)}, x.options());
  launch<scalar_t, true>(x, weight_1, bias_1, hidden);
  launch<scalar_t, false>(hidden, weight_2, bias_2, y);
}

torch::Tensor forward(torch::Tensor x, torch::Tensor weight_1, torch::Tensor bias_1, torch::Tensor weight_2,
                      torch::Tensor bias_2) {
  x = x.contiguous();
  weight_1 = weight_1.contiguous();
  weight_2 = weight_2.contiguous();
  auto y = torch::empty_like(x);
  if (x.scalar_type() == torch::kFloat32) {
    feedforward<float>(x, weight_1, bias_1, weight_2, bias_2, y);
  } else {
    feedforward<at::Half>(x, weight_1, bias_1, weight_2, bias_2, y);
  }
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("weight_1"), py::arg("bias_1"), py::arg("weight_2"),
        py::arg("bias_2"));
}
