// Every kind of thing that a binding passes, and the parts of HIP that CUDA has under another name or not at all.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>
#include <torch/extension.h>

#include <vector>

__global__ void scaled(const float4* x, float4* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + 0.5f * x[i];
}

__device__ float wave_sum(float value) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) value += __shfl_down(value, offset);
  return value;
}

__global__ void summed(const __half* x, float* y, int n) {
  const float sum = wave_sum(threadIdx.x < n ? __half2float(x[threadIdx.x]) : 0.0f);
  if (__any(sum > 3.0f) && !__all(sum > 3.0f)) unsafeAtomicAdd(y, sum);  // not __any(
}

torch::Tensor scaled_here(const torch::Tensor& x, double scale) {
  auto y = torch::empty_like(x);
  for (int64_t i = 0; i < x.numel(); ++i) y.data_ptr<float>()[i] = x.data_ptr<float>()[i] * scale;
  return y;
}

torch::Tensor forward(torch::Tensor x, double scale, int64_t n, bool launch) {
  TORCH_CHECK(n > 0, "n is not positive");
  if (launch) {
    hipLaunchKernelGGL(scaled, dim3(1), dim3(64), 0, 0, (const float4*)x.data_ptr(), (float4*)x.data_ptr(), n);
    summed<<<1, 64>>>((const __half*)x.data_ptr(), x.data_ptr<float>(), n);
    TORCH_CHECK(hipGetLastError() == hipSuccess, "not launched");
  }
  return scaled_here(x, scale);
}

std::vector<torch::Tensor> two(const torch::Tensor& a, torch::optional<torch::Tensor> b, std::string text) {
  return {a, b.has_value() ? *b : scaled_here(a, static_cast<double>(text.size()))};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, "what it does", py::arg("x"), py::arg("scale") = 2.0, py::arg("n") = 3,
        py::arg("launch") = false);
  m.def("two", &two);
  m.def("pair", [](int a, const std::vector<int64_t>& v) { return std::make_tuple(a + 1, v); });
}
