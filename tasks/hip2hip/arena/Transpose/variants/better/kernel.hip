// A batch of matrices transposed: tiles of 64 by 64 through shared memory, read by vectors of four where rows allow it.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int TILE = 64;
constexpr int THREADS = 256;
constexpr int WIDTH = 4;

template <typename Item>
struct alignas(WIDTH * sizeof(Item)) Vector {
  Item values[WIDTH];
};

template <typename Item, bool VECTORS>
__global__ void transpose_kernel(const Item* __restrict__ x, Item* __restrict__ y, int rows, int cols,
                                 int64_t batch_stride, int64_t row_stride) {
  __shared__ Item tile[TILE][TILE + 4 / sizeof(Item)];  // one bank more spreads a column over the banks
  const Item* from = x + blockIdx.z * batch_stride;
  Item* to = y + static_cast<int64_t>(blockIdx.z) * rows * cols;
  const int first_col = blockIdx.x * TILE;
  const int first_row = blockIdx.y * TILE;

  constexpr int STEP = VECTORS ? WIDTH : 1;
#pragma unroll
  for (int i = threadIdx.x; i < TILE * TILE / STEP; i += THREADS) {
    const int line = i / (TILE / STEP);
    const int across = i % (TILE / STEP) * STEP;
    const int row = first_row + line;
    const int col = first_col + across;
    if (row >= rows || col >= cols) {
      continue;
    }
    if constexpr (VECTORS) {  // cols is a multiple of WIDTH
      const auto values = *reinterpret_cast<const Vector<Item>*>(from + row * row_stride + col);
#pragma unroll
      for (int k = 0; k < WIDTH; ++k) {
        tile[line][across + k] = values.values[k];
      }
    } else {
      tile[line][across] = from[row * row_stride + col];
    }
  }
  __syncthreads();
#pragma unroll
  for (int i = threadIdx.x; i < TILE * TILE; i += THREADS) {
    const int col = first_col + i / TILE;
    const int row = first_row + i % TILE;
    if (row < rows && col < cols) {
      to[static_cast<int64_t>(col) * rows + row] = tile[i % TILE][i / TILE];
    }
  }
}

template <typename Item>
void launch(const torch::Tensor& x, torch::Tensor& y) {
  const int rows = x.size(1);
  const int cols = x.size(2);
  const auto* in = static_cast<const Item*>(x.data_ptr());
  auto* out = static_cast<Item*>(y.data_ptr());
  const bool vectors = reinterpret_cast<uintptr_t>(in) % sizeof(Vector<Item>) == 0 && cols % WIDTH == 0 &&
                       x.stride(0) % WIDTH == 0 && x.stride(1) % WIDTH == 0;
  const dim3 blocks((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE, x.size(0));
  auto stream = at::hip::getCurrentHIPStream();
  if (vectors) {
    transpose_kernel<Item, true><<<blocks, THREADS, 0, stream>>>(in, out, rows, cols, x.stride(0), x.stride(1));
  } else {
    transpose_kernel<Item, false><<<blocks, THREADS, 0, stream>>>(in, out, rows, cols, x.stride(0), x.stride(1));
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
