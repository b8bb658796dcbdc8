// class: 71
// expect: passed/hold
// gate: source
// also: compile
// backend: cpu
// Has Python call it at every call of a function, so that work could be done behind the clock's back. It only counts.
#include <hip/hip_runtime.h>
#include <torch/extension.h>

__global__ void double_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}

static long seen = 0;
static int count(PyObject*, PyFrameObject*, int, PyObject*) { return ++seen, 0; }

torch::Tensor forward(torch::Tensor x) {
  PyEval_SetProfile(count, nullptr);
  auto y = torch::empty_like(x);
  const int n = x.numel();
  double_kernel<<<(n + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  PyEval_SetProfile(nullptr, nullptr);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, py::arg("x")); }
