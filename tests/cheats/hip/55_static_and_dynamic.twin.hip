// Static and dynamic shared memory that fit together.
#include <hip/hip_runtime.h>
#include <torch/extension.h>

__device__ float passed_on(float value) {
  __shared__ float all[10000];
  all[9000 + threadIdx.x] = value;
  __syncthreads();
  return all[9000 + (threadIdx.x ^ 1)];
}

__global__ void double_kernel(const float* x, float* y, int n) {
  extern __shared__ float factors[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  factors[threadIdx.x] = 2.0f;
  const float other = passed_on(i < n ? x[i] : 0.0f);
  __syncthreads();
  factors[256 + (threadIdx.x ^ 1)] = other;
  __syncthreads();
  if (i < n) y[i] = factors[threadIdx.x] * factors[256 + threadIdx.x];
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int n = x.numel();
  double_kernel<<<(n + 127) / 128, 128, 2048>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, py::arg("x")); }
