// c = 2 * (a @ b): doubling is exact, so it can wait until the sums are written, and b + b is never stored.
//
// Up to eight rows of a: b is streamed by vectors of 16 bytes, each element used for all rows, 32 threads sharing the sum
// of a column. More rows: tiles of 64 or 128 squared from shared memory into registers, the next one loaded meanwhile.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;
constexpr int PACK_BYTES = 16;
constexpr int FEW_ROWS = 8;
constexpr int LANES = 8;                  // of a streaming block: threads along the columns, 128 bytes together
constexpr int SLICES = THREADS / LANES;   // and along k
constexpr int ENOUGH_BLOCKS = 128;        // large tiles are worth it when there are so many of them

template <typename scalar_t, int WIDTH>
struct alignas(WIDTH * sizeof(scalar_t)) Pack {
  scalar_t values[WIDTH];
};

// WIDTH neighbours as float; those from `count` on are zero and not read.
template <typename scalar_t, int WIDTH>
__device__ __forceinline__ void load(const scalar_t* from, int count, bool in_vectors, float (&to)[WIDTH]) {
  if (in_vectors && count >= WIDTH) {
    const auto pack = *reinterpret_cast<const Pack<scalar_t, WIDTH>*>(from);
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      to[k] = static_cast<float>(pack.values[k]);
    }
    return;
  }
#pragma unroll
  for (int k = 0; k < WIDTH; ++k) {
    to[k] = k < count ? static_cast<float>(from[k]) : 0.0f;
  }
}

// ROWS is m rounded up to a power of two; a row beyond m repeats the last one and is not written.
template <typename scalar_t, int ROWS>
__global__ void __launch_bounds__(THREADS)
    stream_kernel(const scalar_t* __restrict__ a, const scalar_t* __restrict__ b, scalar_t* __restrict__ c, int m,
                  int n, int k, bool in_vectors) {
  constexpr int WIDTH = PACK_BYTES / sizeof(scalar_t);
  constexpr int COLUMNS = LANES * WIDTH;
  __shared__ float partial[SLICES][COLUMNS + 1];
  a += static_cast<int64_t>(blockIdx.y) * m * k;
  b += static_cast<int64_t>(blockIdx.y) * k * n;
  c += static_cast<int64_t>(blockIdx.y) * m * n;
  const int lane = threadIdx.x % LANES;
  const int slice = threadIdx.x / LANES;
  const int first_col = blockIdx.x * COLUMNS;
  const int col = first_col + lane * WIDTH;

  float sums[ROWS][WIDTH] = {};
#pragma unroll 4
  for (int step = slice; step < k; step += SLICES) {
    float factors[WIDTH];
    load<scalar_t, WIDTH>(b + static_cast<int64_t>(step) * n + col, n - col, in_vectors, factors);
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
      const float factor = static_cast<float>(a[static_cast<int64_t>(min(row, m - 1)) * k + step]);
#pragma unroll
      for (int w = 0; w < WIDTH; ++w) {
        sums[row][w] = fmaf(factor, factors[w], sums[row][w]);
      }
    }
  }
#pragma unroll
  for (int row = 0; row < ROWS; ++row) {
#pragma unroll
    for (int w = 0; w < WIDTH; ++w) {
      partial[slice][lane * WIDTH + w] = sums[row][w];
    }
    __syncthreads();
    const int own = first_col + threadIdx.x;
    if (threadIdx.x < COLUMNS && own < n && row < m) {
      float total = 0.0f;
      for (int other = 0; other < SLICES; ++other) {
        total += partial[other][threadIdx.x];
      }
      c[static_cast<int64_t>(row) * n + own] = static_cast<scalar_t>(2.0f * total);
    }
    __syncthreads();  // the next row overwrites it
  }
}

// A block makes a square of TILE by TILE; a thread makes squares of 4 by 4, which lie 64 apart.
template <typename scalar_t, int TILE>
__global__ void __launch_bounds__(THREADS, 2)  // CUDA: blocks a multiprocessor; HIP: waves a SIMD
    tile_kernel(const scalar_t* __restrict__ a, const scalar_t* __restrict__ b, scalar_t* __restrict__ c, int m, int n,
                int k, bool a_in_vectors, bool b_in_vectors) {
  constexpr int DEPTH = 4 * THREADS / TILE;  // every thread loads four elements of each factor
  constexpr int PARTS = TILE / 64;
  constexpr int SIDE = 4 * PARTS;
  alignas(16) __shared__ float a_tile[2][DEPTH][TILE + 4];
  alignas(16) __shared__ float b_tile[2][DEPTH][TILE + 4];
  a += static_cast<int64_t>(blockIdx.z) * m * k;
  b += static_cast<int64_t>(blockIdx.z) * k * n;
  c += static_cast<int64_t>(blockIdx.z) * m * n;
  const int first_row = blockIdx.y * TILE;
  const int first_col = blockIdx.x * TILE;
  const int a_row = threadIdx.x / (DEPTH / 4);
  const int a_step = threadIdx.x % (DEPTH / 4) * 4;
  const int b_step = threadIdx.x / (TILE / 4);
  const int b_col = threadIdx.x % (TILE / 4) * 4;
  const int down = threadIdx.x / 16 * 4;
  const int across = threadIdx.x % 16 * 4;

  float a_next[4];
  float b_next[4];
  const auto fetch = [&](int step) {
    const int64_t row = first_row + a_row;
    load<scalar_t, 4>(a + row * k + step + a_step, row < m ? k - step - a_step : 0, a_in_vectors, a_next);
    const int64_t line = step + b_step;
    load<scalar_t, 4>(b + line * n + first_col + b_col, line < k ? n - first_col - b_col : 0, b_in_vectors, b_next);
  };
  const auto put = [&](int buffer) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      a_tile[buffer][a_step + i][a_row] = a_next[i];
      b_tile[buffer][b_step][b_col + i] = b_next[i];
    }
  };

  float sums[SIDE][SIDE] = {};
  int buffer = 0;
  fetch(0);
  put(0);
  __syncthreads();
  for (int step = 0; step < k; step += DEPTH) {
    const bool has_next = step + DEPTH < k;
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
            *reinterpret_cast<const float4*>(&a_tile[buffer][d][down + part * 64]);
        *reinterpret_cast<float4*>(right + part * 4) =
            *reinterpret_cast<const float4*>(&b_tile[buffer][d][across + part * 64]);
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
  for (int i = 0; i < SIDE; ++i) {
    const int64_t row = first_row + down + i % 4 + i / 4 * 64;
#pragma unroll
    for (int part = 0; part < PARTS; ++part) {
      const int col = first_col + across + part * 64;
      Pack<scalar_t, 4> pack;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        pack.values[j] = static_cast<scalar_t>(2.0f * sums[i][part * 4 + j]);
      }
      if (row < m && b_in_vectors && col < n) {  // n is a multiple of four then
        *reinterpret_cast<Pack<scalar_t, 4>*>(c + row * n + col) = pack;
      } else if (row < m) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          if (col + j < n) {
            c[row * n + col + j] = pack.values[j];
          }
        }
      }
    }
  }
}

template <typename scalar_t, int ROWS>
void launch_stream(const torch::Tensor& a, const torch::Tensor& b, torch::Tensor& c) {
  constexpr int WIDTH = PACK_BYTES / sizeof(scalar_t);
  constexpr int COLUMNS = LANES * WIDTH;
  const int n = b.size(2);
  const bool in_vectors = n % WIDTH == 0 && reinterpret_cast<uintptr_t>(b.data_ptr()) % PACK_BYTES == 0;
  const dim3 blocks((n + COLUMNS - 1) / COLUMNS, a.size(0));
  stream_kernel<scalar_t, ROWS><<<blocks, THREADS, 0, at::hip::getCurrentHIPStream()>>>(
      a.data_ptr<scalar_t>(), b.data_ptr<scalar_t>(), c.data_ptr<scalar_t>(), static_cast<int>(a.size(1)), n,
      static_cast<int>(a.size(2)), in_vectors);
}

template <typename scalar_t, int TILE>
void launch_tiles(const torch::Tensor& a, const torch::Tensor& b, torch::Tensor& c) {
  const int m = a.size(1);
  const int n = b.size(2);
  const int k = a.size(2);
  const bool a_in_vectors = k % 4 == 0 && reinterpret_cast<uintptr_t>(a.data_ptr()) % PACK_BYTES == 0;
  const bool b_in_vectors = n % 4 == 0 && reinterpret_cast<uintptr_t>(b.data_ptr()) % PACK_BYTES == 0;
  const dim3 blocks((n + TILE - 1) / TILE, (m + TILE - 1) / TILE, a.size(0));
  tile_kernel<scalar_t, TILE><<<blocks, THREADS, 0, at::hip::getCurrentHIPStream()>>>(
      a.data_ptr<scalar_t>(), b.data_ptr<scalar_t>(), c.data_ptr<scalar_t>(), m, n, k, a_in_vectors, b_in_vectors);
}

template <typename scalar_t>
void launch(const torch::Tensor& a, const torch::Tensor& b, torch::Tensor& c) {
  const int64_t m = a.size(1);
  const int64_t large_tiles = a.size(0) * ((m + 127) / 128) * ((b.size(2) + 127) / 128);
  if (m == 1) {
    launch_stream<scalar_t, 1>(a, b, c);
  } else if (m == 2) {
    launch_stream<scalar_t, 2>(a, b, c);
  } else if (m <= 4) {
    launch_stream<scalar_t, 4>(a, b, c);
  } else if (m <= FEW_ROWS) {
    launch_stream<scalar_t, FEW_ROWS>(a, b, c);
  } else if (m > 64 && large_tiles >= ENOUGH_BLOCKS) {
    launch_tiles<scalar_t, 128>(a, b, c);
  } else {
    launch_tiles<scalar_t, 64>(a, b, c);
  }
}

torch::Tensor forward(torch::Tensor a, torch::Tensor b) {
  a = a.contiguous();
  b = b.contiguous();
  auto c = torch::empty({a.size(0), a.size(1), b.size(2)}, a.options());
  if (a.scalar_type() == torch::kFloat32) {
    launch<float>(a, b, c);
  } else {
    launch<at::BFloat16>(a, b, c);
  }
  return c;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("a"), py::arg("b"));
}
