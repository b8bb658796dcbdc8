// fault: grid for one size
// task: weighted
// exposed_by: scale_up
// also: alignment, asymmetric, production
// reason: mismatch
// Four blocks, for cases of at most four rows.
#include <hip/hip_runtime.h>
#include <torch/extension.h>

__global__ void weighted_kernel(const float* x, const float* w, float* y, int rows, int cols) {
  __shared__ float partial[128];
  float total = 0.0f;
  if (blockIdx.x >= rows) return;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) total += x[blockIdx.x * cols + i] * w[i];
  partial[threadIdx.x] = total;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = partial[0];
}

torch::Tensor forward(torch::Tensor x, torch::Tensor w) {
  auto y = torch::zeros({x.size(0)}, x.options());
  weighted_kernel<<<4, 128>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), x.size(0), x.size(1));
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, py::arg("x"), py::arg("w")); }
