// Fills a table of constants once, and copies on the device.
#include <array>
#include <hip/hip_runtime.h>
#include <torch/extension.h>

__constant__ float factors[1];
static bool filled = false;

__global__ void double_kernel(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factors[0] * y[i];
}

torch::Tensor forward(torch::Tensor x) {
  if (!filled) {
    const std::array<float, 1> host{2.0f};
    TORCH_CHECK(hipMemcpyToSymbol(HIP_SYMBOL(factors), host.data(), sizeof host) == hipSuccess, "no table");
    filled = true;
  }
  auto y = torch::empty_like(x);
  const int n = x.numel();
  (void)hipMemcpyAsync(y.data_ptr<float>(), x.data_ptr<float>(), n * sizeof(float), hipMemcpyDeviceToDevice, nullptr);
  double_kernel<<<(n + 127) / 128, 128>>>(y.data_ptr<float>(), n);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, py::arg("x")); }
