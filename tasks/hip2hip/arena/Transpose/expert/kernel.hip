// A batch of matrices transposed: tiles whose lines are 128 bytes or more for every dtype, four elements a load and store.
//
// A thread reads four neighbours along a row and writes four along a column; the turn happens between, in shared memory.
// Where rows do not begin at a multiple of four elements (odd sizes, slices), that side goes element by element.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;
constexpr int WIDTH = 4;

template <typename Item>
struct alignas(WIDTH * sizeof(Item)) Vector {
  Item values[WIDTH];
};

template <typename Item>
constexpr int tile_of() {
  return sizeof(Item) == 1 ? 128 : 64;
}

// Four neighbours from `from` on; what lies at or beyond `count` is left as it is.
template <typename Item, bool VECTORS>
__device__ __forceinline__ Vector<Item> loaded(const Item* from, int count) {
  if (VECTORS && count >= WIDTH) {
    return *reinterpret_cast<const Vector<Item>*>(from);
  }
  Vector<Item> values{};
#pragma unroll
  for (int k = 0; k < WIDTH; ++k) {
    if (k < count) {
      values.values[k] = from[k];
    }
  }
  return values;
}

template <typename Item, bool VECTORS>
__device__ __forceinline__ void store(Item* to, const Vector<Item>& values, int count) {
  if (VECTORS && count >= WIDTH) {
    *reinterpret_cast<Vector<Item>*>(to) = values;
    return;
  }
#pragma unroll
  for (int k = 0; k < WIDTH; ++k) {
    if (k < count) {
      to[k] = values.values[k];
    }
  }
}

template <typename Item, bool IN_VECTORS, bool OUT_VECTORS>
__global__ void __launch_bounds__(THREADS)
    transpose_kernel(const Item* __restrict__ x, Item* __restrict__ y, int rows, int cols, int64_t batch_stride,
                     int64_t row_stride) {
  constexpr int TILE = tile_of<Item>();
  constexpr int ACROSS = TILE / WIDTH;       // threads along a line of the tile
  constexpr int LINES = THREADS / ACROSS;    // lines that the block moves at a time
  __shared__ Item tile[TILE][TILE + 4 / sizeof(Item)];  // one bank more, which spreads a column over the banks
  const int across = threadIdx.x % ACROSS * WIDTH;
  const int down = threadIdx.x / ACROSS;
  const int first_col = blockIdx.x * TILE;
  const int first_row = blockIdx.y * TILE;
  const Item* from = x + blockIdx.z * batch_stride + first_col + across;
  Item* to = y + static_cast<int64_t>(blockIdx.z) * rows * cols + first_row + across;

  Vector<Item> held[TILE / LINES];
#pragma unroll
  for (int i = 0; i < TILE / LINES; ++i) {
    const int row = first_row + down + i * LINES;
    if (row < rows) {
      held[i] = loaded<Item, IN_VECTORS>(from + row * row_stride, cols - first_col - across);
    }
  }
#pragma unroll
  for (int i = 0; i < TILE / LINES; ++i) {
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      tile[down + i * LINES][across + k] = held[i].values[k];
    }
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < TILE / LINES; ++i) {
    const int line = down + i * LINES;
    const int col = first_col + line;
    if (col < cols) {
      Vector<Item> turned;
#pragma unroll
      for (int k = 0; k < WIDTH; ++k) {
        turned.values[k] = tile[across + k][line];
      }
      store<Item, OUT_VECTORS>(to + static_cast<int64_t>(col) * rows, turned, rows - first_row - across);
    }
  }
}

template <typename Item>
void launch(const torch::Tensor& x, torch::Tensor& y) {
  constexpr int TILE = tile_of<Item>();
  const int rows = x.size(1);
  const int cols = x.size(2);
  const auto* in = static_cast<const Item*>(x.data_ptr());
  auto* out = static_cast<Item*>(y.data_ptr());
  const int64_t batch_stride = x.stride(0);
  const int64_t row_stride = x.stride(1);
  const bool in_vectors = reinterpret_cast<uintptr_t>(in) % sizeof(Vector<Item>) == 0 && batch_stride % WIDTH == 0 &&
                          row_stride % WIDTH == 0;
  const dim3 blocks((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE, x.size(0));
  auto stream = at::hip::getCurrentHIPStream();
  if (in_vectors && rows % WIDTH == 0) {
    transpose_kernel<Item, true, true>
        <<<blocks, THREADS, 0, stream>>>(in, out, rows, cols, batch_stride, row_stride);
  } else if (in_vectors) {
    transpose_kernel<Item, true, false>
        <<<blocks, THREADS, 0, stream>>>(in, out, rows, cols, batch_stride, row_stride);
  } else if (rows % WIDTH == 0) {
    transpose_kernel<Item, false, true>
        <<<blocks, THREADS, 0, stream>>>(in, out, rows, cols, batch_stride, row_stride);
  } else {
    transpose_kernel<Item, false, false>
        <<<blocks, THREADS, 0, stream>>>(in, out, rows, cols, batch_stride, row_stride);
  }
}

torch::Tensor forward(torch::Tensor x) {
  if (x.stride(2) != 1) {
    x = x.contiguous();
  }
  auto y = torch::empty({x.size(0), x.size(2), x.size(1)}, x.options());
  if (x.element_size() == 4) {
    launch<uint32_t>(x, y);
  } else if (x.element_size() == 2) {
    launch<uint16_t>(x, y);
  } else {
    launch<uint8_t>(x, y);
  }
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"));
}
