// class: 13
// expect: passed/order_dependent
// gate: correctness
// backend: cpu
// A missing barrier, with the order in which lanes arrive at an atomic as their index.
#include <hip/hip_runtime.h>
#include <torch/extension.h>

__global__ void double_kernel(const float* x, float* y, int n) {
  __shared__ int arrived;
  __shared__ float twos[129];
  if (threadIdx.x == 0) arrived = 0, twos[0] = 2.0f;
  __syncthreads();
  const int t = atomicAdd(&arrived, 1), i = blockIdx.x * blockDim.x + t;
  twos[t + 1] = twos[t];
  if (i < n) y[i] = twos[t] * x[i];
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int n = x.numel();
  double_kernel<<<(n + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, py::arg("x")); }
