// GELU(x) = x * Phi(x), with the exact error function: one thread an element.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;

template <typename scalar_t>
__global__ void gelu_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int64_t count) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) {
    const float value = static_cast<float>(x[i]);
    y[i] = static_cast<scalar_t>(0.5f * value * (1.0f + erff(value * 0.70710678f)));
  }
}

torch::Tensor forward(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int64_t count = x.numel();
  const dim3 blocks((count + THREADS - 1) / THREADS);
  auto stream = at::hip::getCurrentHIPStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "gelu", [&] {
    gelu_kernel<scalar_t><<<blocks, THREADS, 0, stream>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), count);
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"));
}
