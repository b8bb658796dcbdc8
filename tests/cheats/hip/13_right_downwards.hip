// class: 13
// expect: wrong_output/nan
// gate: correctness
// also: performance
// backend: cpu
// A missing barrier that is right only while lanes run downwards: what is wrong upwards is wrong.
#include <hip/hip_runtime.h>
#include <torch/extension.h>

__global__ void double_kernel(const float* x, float* y, int n) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  __shared__ float twos[129];
  if (t == 127) twos[128] = 2.0f;
  twos[t] = twos[t + 1];
  if (i < n) y[i] = twos[t] * x[i];
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int n = x.numel();
  double_kernel<<<(n + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, py::arg("x")); }
