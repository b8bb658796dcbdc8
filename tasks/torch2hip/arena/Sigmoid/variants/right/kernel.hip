// limit * sigmoid(gain * x) in one kernel, a thread for each element.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;

template <typename scalar_t>
__global__ void scaled_sigmoid_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int64_t count,
                                      float gain, float limit) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;
  if (i < count) {
    const float z = gain * static_cast<float>(x[i]);
    y[i] = static_cast<scalar_t>(limit / (1.0f + expf(-z)));
  }
}

torch::Tensor forward(torch::Tensor x, double gain, double limit) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int64_t count = x.numel();
  const dim3 blocks((count + THREADS - 1) / THREADS);
  auto stream = at::hip::getCurrentHIPStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "sigmoid", [&] {
    scaled_sigmoid_kernel<scalar_t><<<blocks, THREADS, 0, stream>>>(
        x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), count, static_cast<float>(gain), static_cast<float>(limit));
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("gain"), py::arg("limit"));
}
