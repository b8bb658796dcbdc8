// task: weighted
// backend: cpu
// Every block adds its part with an atomic; the output is cleared on the stream.
#include <ATen/hip/HIPContext.h>
#include <hip/hip_runtime.h>
#include <torch/extension.h>

__global__ void weighted_kernel(const float* x, const float* w, float* y, int cols) {
  const int i = blockIdx.y * blockDim.x + threadIdx.x;
  if (i < cols) atomicAdd(&y[blockIdx.x], x[blockIdx.x * cols + i] * w[i]);
}

torch::Tensor forward(torch::Tensor x, torch::Tensor w) {
  auto y = torch::empty({x.size(0)}, x.options());
  const int cols = x.size(1);
  hipStream_t stream = at::hip::getCurrentHIPStream();
  hipMemsetAsync(y.data_ptr<float>(), 0, y.numel() * sizeof(float), stream);
  const dim3 grid(x.size(0), (cols + 127) / 128);
  weighted_kernel<<<grid, 128, 0, stream>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), cols);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, py::arg("x"), py::arg("w")); }
