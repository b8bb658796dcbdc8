// class: 73
// expect: passed/hold
// gate: compile
// gfx942: yes
// backend: cpu
// The kernel that is launched does nothing on the target; another, which nobody launches, does.
#include <hip/hip_runtime.h>
#include <torch/extension.h>

__global__ void double_kernel(const float* x, float* y, int n) {
#ifndef __AMDGCN__
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
#endif
}

__global__ void never_launched(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x]; }

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int n = x.numel();
  if (n < 0) never_launched<<<1, 64>>>(x.data_ptr<float>(), y.data_ptr<float>());
  double_kernel<<<(n + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, py::arg("x")); }
