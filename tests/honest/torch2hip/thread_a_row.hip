// task: weighted
// One thread for each row: simple, slow, right; dispatched by the type of the tensor.
#include <hip/hip_runtime.h>
#include <torch/extension.h>

template <typename T>
__global__ void weighted_kernel(const T* x, const T* w, T* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  T total = 0, lost = 0;
  for (int i = 0; i < cols; ++i) {
    const T part = x[row * cols + i] * w[i] - lost, sum = total + part;
    lost = (sum - total) - part;
    total = sum;
  }
  y[row] = total;
}

torch::Tensor forward(torch::Tensor x, torch::Tensor w) {
  auto y = torch::empty({x.size(0)}, x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "weighted", [&] {
    weighted_kernel<scalar_t><<<1 + x.size(0) / 64, 64>>>(
        x.data_ptr<scalar_t>(), w.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), x.size(0), x.size(1));
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, py::arg("x"), py::arg("w")); }
