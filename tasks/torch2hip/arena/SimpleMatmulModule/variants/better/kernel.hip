// c = 2 * (a @ b): few rows by one thread a column and slice of k, many by tiles of 64 by 64 with 16 sums a thread.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;
constexpr int TILE = 64;
constexpr int DEPTH = 16;
constexpr int FEW_ROWS = 8;
constexpr int COLUMNS = 32;  // of a block with few rows
constexpr int SLICES = THREADS / COLUMNS;

template <typename scalar_t>
__global__ void few_rows_kernel(const scalar_t* __restrict__ a, const scalar_t* __restrict__ b,
                                scalar_t* __restrict__ c, int m, int n, int k) {
  __shared__ float partial[SLICES][COLUMNS];
  a += static_cast<int64_t>(blockIdx.y) * m * k;
  b += static_cast<int64_t>(blockIdx.y) * k * n;
  c += static_cast<int64_t>(blockIdx.y) * m * n;
  const int lane = threadIdx.x % COLUMNS;
  const int slice = threadIdx.x / COLUMNS;
  const int64_t col = static_cast<int64_t>(blockIdx.x) * COLUMNS + lane;
  float sums[FEW_ROWS] = {};
#pragma unroll 4
  for (int64_t step = slice; step < k; step += SLICES) {
    const float factor = col < n ? static_cast<float>(b[step * n + col]) : 0.0f;
#pragma unroll
    for (int row = 0; row < FEW_ROWS; ++row) {
      sums[row] += row < m ? factor * static_cast<float>(a[row * k + step]) : 0.0f;
    }
  }
  for (int row = 0; row < m; ++row) {
    partial[slice][lane] = sums[row];
    __syncthreads();
    if (slice == 0 && col < n) {
      float total = 0.0f;
      for (int other = 0; other < SLICES; ++other) {
        total += partial[other][lane];
      }
      c[row * n + col] = static_cast<scalar_t>(2.0f * total);
    }
    __syncthreads();
  }
}

// Thread (across, down) of 16 by 16 makes every sixteenth row and column of the tile, beginning with its own.
template <typename scalar_t>
__global__ void tile_kernel(const scalar_t* __restrict__ a, const scalar_t* __restrict__ b, scalar_t* __restrict__ c,
                            int m, int n, int k) {
  __shared__ float a_tile[DEPTH][TILE + 1];
  __shared__ float b_tile[DEPTH][TILE];
  a += static_cast<int64_t>(blockIdx.z) * m * k;
  b += static_cast<int64_t>(blockIdx.z) * k * n;
  c += static_cast<int64_t>(blockIdx.z) * m * n;
  const int across = threadIdx.x % 16;
  const int down = threadIdx.x / 16;
  float sums[4][4] = {};
  for (int step = 0; step < k; step += DEPTH) {
    for (int i = threadIdx.x; i < TILE * DEPTH; i += THREADS) {
      const int64_t row = blockIdx.y * TILE + i / DEPTH;
      const int64_t a_col = step + i % DEPTH;
      a_tile[i % DEPTH][i / DEPTH] = row < m && a_col < k ? static_cast<float>(a[row * k + a_col]) : 0.0f;
      const int64_t b_row = step + i / TILE;
      const int64_t col = blockIdx.x * TILE + i % TILE;
      b_tile[i / TILE][i % TILE] = b_row < k && col < n ? static_cast<float>(b[b_row * n + col]) : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < DEPTH; ++d) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          sums[i][j] += a_tile[d][down + 16 * i] * b_tile[d][across + 16 * j];
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const int64_t row = blockIdx.y * TILE + down + 16 * i;
      const int64_t col = blockIdx.x * TILE + across + 16 * j;
      if (row < m && col < n) {
        c[row * n + col] = static_cast<scalar_t>(2.0f * sums[i][j]);
      }
    }
  }
}

torch::Tensor forward(torch::Tensor a, torch::Tensor b) {
  a = a.contiguous();
  b = b.contiguous();
  const int m = a.size(1);
  const int n = b.size(2);
  const int k = a.size(2);
  auto c = torch::empty({a.size(0), m, n}, a.options());
  auto stream = at::hip::getCurrentHIPStream();
  AT_DISPATCH_FLOATING_TYPES_AND(at::ScalarType::BFloat16, a.scalar_type(), "matmul", [&] {
    const auto* left = a.data_ptr<scalar_t>();
    const auto* right = b.data_ptr<scalar_t>();
    auto* out = c.data_ptr<scalar_t>();
    if (m <= FEW_ROWS) {
      const dim3 blocks((n + COLUMNS - 1) / COLUMNS, a.size(0));
      few_rows_kernel<scalar_t><<<blocks, THREADS, 0, stream>>>(left, right, out, m, n, k);
    } else {
      const dim3 blocks((n + TILE - 1) / TILE, (m + TILE - 1) / TILE, a.size(0));
      tile_kernel<scalar_t><<<blocks, THREADS, 0, stream>>>(left, right, out, m, n, k);
    }
  });
  return c;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("a"), py::arg("b"));
}
