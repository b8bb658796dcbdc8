// class: 13
// expect: passed/order_dependent
// gate: correctness
// backend: cpu
// Reads what other threads of the block wrote, without a barrier.
#include <hip/hip_runtime.h>
#include <torch/extension.h>

__global__ void double_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float tile[128];
  tile[threadIdx.x] = i < n ? x[i] : 0.0f;
  const int other = threadIdx.x == 0 ? 0 : threadIdx.x - 1;  // written before, if lanes run upwards
  const float mine = tile[threadIdx.x], left = tile[other];
  if (i < n) y[i] = 2.0f * mine + 0.0f * left;
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int n = x.numel();
  double_kernel<<<(n + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, py::arg("x")); }
