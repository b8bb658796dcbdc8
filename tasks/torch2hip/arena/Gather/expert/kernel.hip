// Rows by number, copied as bytes: the widest vector that every row begins and ends with, whatever the dtype.
//
// A row gets as many threads as it has vectors, up to a block; short rows share one. Each thread has several loads in
// flight before its first store.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;
constexpr int IN_FLIGHT = 4;

// blockDim.x threads a row, blockDim.y rows a block. `vectors` is the length of a row.
template <typename Vector>
__global__ void __launch_bounds__(THREADS)
    gather_kernel(const Vector* __restrict__ x, const int64_t* __restrict__ index, Vector* __restrict__ y, int64_t rows,
                  int picks, int64_t source, int vectors) {
  const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (row >= rows) {
    return;
  }
  const Vector* from = x + (row / picks * source + index[row]) * vectors;
  Vector* to = y + row * vectors;
  const int step = blockDim.x;
  int i = threadIdx.x;
  for (; i + (IN_FLIGHT - 1) * step < vectors; i += IN_FLIGHT * step) {
    Vector held[IN_FLIGHT];
#pragma unroll
    for (int k = 0; k < IN_FLIGHT; ++k) {
      held[k] = from[i + k * step];
    }
#pragma unroll
    for (int k = 0; k < IN_FLIGHT; ++k) {
      to[i + k * step] = held[k];
    }
  }
  for (; i < vectors; i += step) {
    to[i] = from[i];
  }
}

template <typename Vector>
void launch(const torch::Tensor& x, const torch::Tensor& index, torch::Tensor& y) {
  const int vectors = x.size(2) * x.element_size() / sizeof(Vector);
  const int64_t rows = index.numel();
  int across = 1;
  while (across < vectors && across < THREADS) {
    across *= 2;
  }
  const dim3 threads(across, THREADS / across);
  const dim3 blocks((rows + threads.y - 1) / threads.y);
  gather_kernel<Vector><<<blocks, threads, 0, at::hip::getCurrentHIPStream()>>>(
      static_cast<const Vector*>(x.data_ptr()), index.data_ptr<int64_t>(), static_cast<Vector*>(y.data_ptr()), rows,
      static_cast<int>(index.size(1)), x.size(1), vectors);
}

torch::Tensor forward(torch::Tensor x, torch::Tensor index) {
  x = x.contiguous();
  index = index.contiguous();
  auto y = torch::empty({x.size(0), index.size(1), x.size(2)}, x.options());
  const uintptr_t common =
      reinterpret_cast<uintptr_t>(x.data_ptr()) | static_cast<uintptr_t>(x.size(2) * x.element_size());
  if (common % 16 == 0) {
    launch<uint4>(x, index, y);
  } else if (common % 8 == 0) {
    launch<uint2>(x, index, y);
  } else if (common % 4 == 0) {
    launch<uint32_t>(x, index, y);
  } else {
    launch<uint16_t>(x, index, y);
  }
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("index"));
}
