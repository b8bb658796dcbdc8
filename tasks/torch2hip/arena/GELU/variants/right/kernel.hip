// GELU with the exact error function in one kernel: a thread for each element, the rows along the grid.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;
constexpr int MOST_ROWS = 65535;  // of the second dimension of a grid
constexpr float ROOT_OF_HALF = 0.70710678f;

template <typename scalar_t>
__global__ void gelu_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int cols) {
  const int col = blockIdx.x * THREADS + threadIdx.x;
  if (col < cols) {
    const int64_t i = static_cast<int64_t>(blockIdx.y) * cols + col;
    const float value = static_cast<float>(x[i]);
    y[i] = static_cast<scalar_t>(0.5f * value * (1.0f + erff(value * ROOT_OF_HALF)));
  }
}

torch::Tensor forward(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int rows = x.size(0);
  const int cols = x.size(1);
  auto stream = at::hip::getCurrentHIPStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "gelu", [&] {
    for (int first = 0; first < rows; first += MOST_ROWS) {
      const int64_t start = static_cast<int64_t>(first) * cols;
      const dim3 blocks((cols + THREADS - 1) / THREADS, std::min(rows - first, MOST_ROWS));
      gelu_kernel<scalar_t><<<blocks, THREADS, 0, stream>>>(
          x.data_ptr<scalar_t>() + start, y.data_ptr<scalar_t>() + start, cols);
    }
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"));
}
