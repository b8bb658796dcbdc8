// Layer normalisation: one block a row, which sweeps the row for its mean, for its variance and for the result.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;

// The sum over the block, in every thread.
__device__ float block_sum(float value) {
  __shared__ float partial[THREADS];
  partial[threadIdx.x] = value;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      partial[threadIdx.x] += partial[threadIdx.x + half];
    }
    __syncthreads();
  }
  const float total = partial[0];
  __syncthreads();  // the next sum overwrites it
  return total;
}

template <typename scalar_t>
__global__ void layer_norm_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                                  const scalar_t* __restrict__ bias, scalar_t* __restrict__ y, int cols, float eps) {
  const int64_t start = static_cast<int64_t>(blockIdx.x) * cols;

  float sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += THREADS) {
    sum += static_cast<float>(x[start + col]);
  }
  const float mean = block_sum(sum) / cols;

  float squares = 0.0f;
  for (int col = threadIdx.x; col < cols; col += THREADS) {
    const float centred = static_cast<float>(x[start + col]) - mean;
    squares += centred * centred;
  }
  const float scale = rsqrtf(block_sum(squares) / cols + eps);

  for (int col = threadIdx.x; col < cols; col += THREADS) {
    const float normal = (static_cast<float>(x[start + col]) - mean) * scale;
    y[start + col] =
        static_cast<scalar_t>(normal * static_cast<float>(weight[col]) + static_cast<float>(bias[col]));
  }
}

torch::Tensor forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps) {
  x = x.contiguous();
  weight = weight.contiguous();
  bias = bias.contiguous();
  auto y = torch::empty_like(x);
  const dim3 blocks(x.size(0));
  const int cols = x.size(1);
  auto stream = at::hip::getCurrentHIPStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "layer_norm", [&] {
    layer_norm_kernel<scalar_t><<<blocks, THREADS, 0, stream>>>(
        x.data_ptr<scalar_t>(), weight.data_ptr<scalar_t>(), bias.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), cols,
        static_cast<float>(eps));
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("weight"), py::arg("bias"), py::arg("eps"));
}
