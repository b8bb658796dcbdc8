// task: weighted
// backend: cpu
// A sum by shuffles over the 64 lanes of a wave of CDNA.
#include <hip/hip_runtime.h>
#include <torch/extension.h>

constexpr int THREADS = 64;

__global__ void weighted_kernel(const float* x, const float* w, float* y, int cols) {
  float total = 0.0f;
  for (int i = threadIdx.x; i < cols; i += THREADS) total += x[blockIdx.x * cols + i] * w[i];
  for (int offset = 32; offset > 0; offset /= 2) total += __shfl_xor(total, offset, 64);
  if (threadIdx.x == 0) y[blockIdx.x] = total;
}

torch::Tensor forward(torch::Tensor x, torch::Tensor w) {
  auto y = torch::empty({x.size(0)}, x.options());
  weighted_kernel<<<x.size(0), THREADS>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, py::arg("x"), py::arg("w")); }
