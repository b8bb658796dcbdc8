// class: 13
// expect: passed/order_dependent
// gate: correctness
// backend: cpu
// A missing barrier, with the indices turned round where a first launch finds that lanes run downwards.
#include <hip/hip_runtime.h>
#include <torch/extension.h>

__global__ void probe(int* first) {
  if (atomicAdd(first, 1) == 0) first[1] = threadIdx.x;
}

__global__ void double_kernel(const float* x, float* y, int n, const int* first) {
  const bool downwards = first[1] == 127;
  const int t = downwards ? 127 - int(threadIdx.x) : int(threadIdx.x);
  const int i = (downwards ? gridDim.x - 1 - blockIdx.x : blockIdx.x) * blockDim.x + t;
  __shared__ float twos[129];
  if (t == 0) twos[0] = 2.0f;
  twos[t + 1] = twos[t];
  if (i < n) y[i] = twos[t] * x[i];
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  auto first = torch::zeros({2}, x.options().dtype(torch::kInt32));
  const int n = x.numel();
  probe<<<1, 128>>>(first.data_ptr<int>());
  double_kernel<<<(n + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), n, first.data_ptr<int>());
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, py::arg("x")); }
