// A bias for each channel, a leaky ReLU and a gain, with the channel counted as if channels came last.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;

template <typename scalar_t>
__global__ void bias_leaky_relu_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ bias,
                                       scalar_t* __restrict__ y, int channels, int pixels, int64_t count,
                                       float slope, float gain) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;
  if (i < count) {
    const float value = static_cast<float>(x[i]) + static_cast<float>(bias[i % channels]);
    y[i] = static_cast<scalar_t>(gain * (value < 0.0f ? slope * value : value));
  }
}

torch::Tensor forward(torch::Tensor x, torch::Tensor bias, double slope, double gain) {
  x = x.contiguous();
  bias = bias.contiguous();
  auto y = torch::empty_like(x);
  const int64_t count = x.numel();
  const dim3 blocks((count + THREADS - 1) / THREADS);
  auto stream = at::hip::getCurrentHIPStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "leaky_relu", [&] {
    bias_leaky_relu_kernel<scalar_t><<<blocks, THREADS, 0, stream>>>(
        x.data_ptr<scalar_t>(), bias.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), x.size(1), x.size(2) * x.size(3),
        count, static_cast<float>(slope), static_cast<float>(gain));
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("bias"), py::arg("slope"), py::arg("gain"));
}
