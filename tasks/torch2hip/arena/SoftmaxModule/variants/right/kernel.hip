// Softmax over the middle dimension: one thread a column, three sweeps.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;

template <typename scalar_t>
__global__ void softmax_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int64_t columns, int length,
                               int64_t inner) {
  const int64_t column = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (column >= columns) {
    return;
  }
  const int64_t start = column / inner * length * inner + column % inner;

  float highest = -INFINITY;
  for (int l = 0; l < length; ++l) {
    highest = fmaxf(highest, static_cast<float>(x[start + l * inner]));
  }
  float sum = 0.0f;
  for (int l = 0; l < length; ++l) {
    sum += expf(static_cast<float>(x[start + l * inner]) - highest);
  }
  for (int l = 0; l < length; ++l) {
    y[start + l * inner] = static_cast<scalar_t>(expf(static_cast<float>(x[start + l * inner]) - highest) / sum);
  }
}

torch::Tensor forward(torch::Tensor x) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const int64_t columns = x.size(0) * x.size(2);
  const dim3 blocks((columns + THREADS - 1) / THREADS);
  auto stream = at::hip::getCurrentHIPStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "softmax", [&] {
    softmax_kernel<scalar_t><<<blocks, THREADS, 0, stream>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), columns,
                                                             x.size(1), x.size(2));
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"));
}
