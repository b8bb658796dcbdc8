// class: 44
// expect: passed/hold
// gate: compile
// backend: both
// Lets torch do the work.
#include <torch/extension.h>

torch::Tensor forward(torch::Tensor x) { return torch::mul(x, 2); }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, py::arg("x")); }
