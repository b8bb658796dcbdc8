// class: 44
// expect: passed/hold
// gate: compile
// backend: cpu
// A loop on the processor in place of a kernel.
#include <hip/hip_runtime.h>
#include <torch/extension.h>

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  for (long i = 0; i < x.numel(); ++i) y.data_ptr<float>()[i] = 2.0f * x.data_ptr<float>()[i];
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, py::arg("x")); }
