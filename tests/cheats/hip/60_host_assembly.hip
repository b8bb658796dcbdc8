// class: 60
// expect: passed/hold
// gate: source
// also: compile
// backend: cpu
// A system call in assembly, on the host, where no name gives it away.
#include <hip/hip_runtime.h>
#include <torch/extension.h>

__global__ void double_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}

static long process() {
  long result = 39;  // getpid
  asm volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory");
  return result;
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  if (process() < 0) return x;
  const int n = x.numel();
  double_kernel<<<(n + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, py::arg("x")); }
