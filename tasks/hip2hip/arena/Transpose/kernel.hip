// A batch of matrices transposed: tiles of 32 by 32 through shared memory, so that reads and writes both run along rows.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int TILE = 32;
constexpr int LINES = 8;  // a block is TILE by LINES threads; each moves TILE / LINES elements

template <typename Item>
__global__ void transpose_kernel(const Item* __restrict__ x, Item* __restrict__ y, int rows, int cols,
                                 int64_t batch_stride, int64_t row_stride) {
  __shared__ Item tile[TILE][TILE + 1];  // the odd width spreads a column over the banks
  const Item* from = x + blockIdx.z * batch_stride;
  Item* to = y + static_cast<int64_t>(blockIdx.z) * rows * cols;
  const int first_col = blockIdx.x * TILE;
  const int first_row = blockIdx.y * TILE;

  for (int line = threadIdx.y; line < TILE; line += LINES) {
    const int row = first_row + line;
    const int col = first_col + threadIdx.x;
    if (row < rows && col < cols) {
      tile[line][threadIdx.x] = from[row * row_stride + col];
    }
  }
  __syncthreads();
  for (int line = threadIdx.y; line < TILE; line += LINES) {
    const int col = first_col + line;
    const int row = first_row + threadIdx.x;
    if (row < rows && col < cols) {
      to[static_cast<int64_t>(col) * rows + row] = tile[threadIdx.x][line];
    }
  }
}

template <typename Item>
void launch(const torch::Tensor& x, torch::Tensor& y) {
  const int rows = x.size(1);
  const int cols = x.size(2);
  const dim3 blocks((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE, x.size(0));
  transpose_kernel<Item><<<blocks, dim3(TILE, LINES), 0, at::hip::getCurrentHIPStream()>>>(
      static_cast<const Item*>(x.data_ptr()), static_cast<Item*>(y.data_ptr()), rows, cols, x.stride(0), x.stride(1));
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
