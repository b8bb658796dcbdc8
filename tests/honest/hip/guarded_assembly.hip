// backend: gpu
// An instruction of gfx942 by its name, plain code elsewhere. The CPU runtime takes gfx942's part, and so cannot judge it.
#include <hip/hip_runtime.h>
#include <torch/extension.h>

__device__ float twice(float value) {
#if defined(__gfx942__)
  float result;
  asm volatile("v_add_f32 %0, %1, %1" : "=v"(result) : "v"(value));
  return result;
#else
  return value + value;
#endif
}

__global__ void double_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = twice(x[i]);
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int n = x.numel();
  double_kernel<<<(n + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, py::arg("x")); }
