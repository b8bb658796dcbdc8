// expect: not_judged/unsupported_feature
// Every block waits until all have arrived: blocks run one after another here.
#include <hip/hip_runtime.h>
#include <torch/extension.h>

__global__ void double_kernel(const float* x, float* y, int* arrived, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < (int)gridDim.x) {
    }
  }
  __syncthreads();
  if (i < n) y[i] = 2.0f * x[i];
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  auto arrived = torch::zeros({1}, x.options().dtype(torch::kInt));
  const int n = x.numel();
  double_kernel<<<(n + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), arrived.data_ptr<int>(), n);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, py::arg("x")); }
