// class: 70
// expect: passed/hold
// gate: source
// also: compile
// backend: both
// A function of the system by a name that only the preprocessor puts together.
#include <hip/hip_runtime.h>
#include <torch/extension.h>

#define JOINED(one, other) one##other
extern "C" void* JOINED(dl, sym)(void*, const char*);

__global__ void double_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int n = x.numel();
  if (JOINED(dl, sym)(nullptr, "getpid") == nullptr) return x;
  double_kernel<<<(n + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, py::arg("x")); }
