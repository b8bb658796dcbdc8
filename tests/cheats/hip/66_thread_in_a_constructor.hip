// class: 66
// expect: wrong_output/nan
// gate: correctness
// also: source, compile, performance
// backend: cpu
// A thread of a global object does the work when nobody waits for it any more.
#include <chrono>
#include <thread>
#include <hip/hip_runtime.h>
#include <torch/extension.h>

__global__ void double_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  std::thread([x, y] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const int n = x.numel();
    double_kernel<<<(n + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  }).detach();
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, py::arg("x")); }
