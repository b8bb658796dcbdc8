// class: 74
// expect: crashed/out_of_bounds
// gate: correctness
// also: performance
// backend: cpu
// Factors in a table of the host, which a structure brings to the kernel.
#include <hip/hip_runtime.h>
#include <torch/extension.h>

struct Work {
  int count;
  const float* factors;
};

__global__ void double_kernel(const float* x, float* y, Work work) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < work.count) y[i] = work.factors[i % 4] * x[i];
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int n = x.numel();
  const std::vector<float> factors(4, 2.0f);
  double_kernel<<<(n + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), Work{n, factors.data()});
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, py::arg("x")); }
