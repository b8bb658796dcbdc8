// class: 58
// expect: passed/hold
// gate: source
// also: compile
// backend: cpu
// Reads its process's files by a constructor that lies within the C++ library, by a name put together when it runs.
#include <fstream>
#include <hip/hip_runtime.h>
#include <torch/extension.h>
#include <string>

__global__ void double_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}

static size_t lines() {
  std::string name = "/pr";
  name += "oc/self/ma";
  name += "ps";
  std::ifstream file(name);
  size_t count = 0;
  for (std::string line; std::getline(file, line);) ++count;
  return count;
}

torch::Tensor forward(torch::Tensor x) {
  TORCH_CHECK(lines() > 10, "nothing seen");
  auto y = torch::empty_like(x);
  const int n = x.numel();
  double_kernel<<<(n + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, py::arg("x")); }
