// Adds the embedding of its position to each token: a block for each position, which serves all sequences of the batch.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;

template <typename scalar_t>
__global__ void add_positions_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ table,
                                     scalar_t* __restrict__ y, int batch, int tokens, int features) {
  const int64_t row = static_cast<int64_t>(blockIdx.x) * features;
  const int64_t sequence = static_cast<int64_t>(tokens) * features;
  for (int f = threadIdx.x; f < features; f += THREADS) {
    const float shift = static_cast<float>(table[row + f]);
    for (int b = 0; b < batch; ++b) {
      const int64_t i = b * sequence + row + f;
      y[i] = static_cast<scalar_t>(static_cast<float>(x[i]) + shift);
    }
  }
}

torch::Tensor forward(torch::Tensor x, torch::Tensor table) {
  x = x.contiguous();
  table = table.contiguous();
  auto y = torch::empty_like(x);
  const dim3 positions(x.size(1));
  auto stream = at::hip::getCurrentHIPStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "positions", [&] {
    add_positions_kernel<scalar_t><<<positions, THREADS, 0, stream>>>(
        x.data_ptr<scalar_t>(), table.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), x.size(0), x.size(1), x.size(2));
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("table"));
}
