// Layer normalisation in one sweep by sum and sum of squares, with the variance of the whole instead of the sample.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;

__device__ float block_sum(float value) {
  __shared__ float partial[THREADS / 32];
  for (int offset = warpSize / 2; offset > 0; offset /= 2) {
    value += __shfl_down(value, offset);
  }
  if (threadIdx.x % warpSize == 0) {
    partial[threadIdx.x / warpSize] = value;
  }
  __syncthreads();
  float total = 0.0f;
  for (int wave = 0; wave < THREADS / warpSize; ++wave) {
    total += partial[wave];
  }
  __syncthreads();  // the next sum overwrites it
  return total;
}

template <typename scalar_t>
__global__ void layer_norm_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                                  const scalar_t* __restrict__ bias, scalar_t* __restrict__ y, int cols, float eps) {
  const int64_t start = static_cast<int64_t>(blockIdx.x) * cols;
  float sum = 0.0f;
  float squares = 0.0f;
  for (int col = threadIdx.x; col < cols; col += THREADS) {
    const float value = static_cast<float>(x[start + col]);
    sum += value;
    squares += value * value;
  }
  const float mean = block_sum(sum) / cols;
  const float divisor = sqrtf(block_sum(squares) / cols - mean * mean) + eps;
  for (int col = threadIdx.x; col < cols; col += THREADS) {
    const float normal = (static_cast<float>(x[start + col]) - mean) / divisor;
    y[start + col] = static_cast<scalar_t>(static_cast<float>(weight[col]) * normal + static_cast<float>(bias[col]));
  }
}

torch::Tensor forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps) {
  x = x.contiguous();
  weight = weight.contiguous();
  bias = bias.contiguous();
  auto y = torch::empty_like(x);
  const dim3 rows(x.size(0));
  auto stream = at::hip::getCurrentHIPStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "layer_norm", [&] {
    layer_norm_kernel<scalar_t><<<rows, THREADS, 0, stream>>>(x.data_ptr<scalar_t>(), weight.data_ptr<scalar_t>(),
                                                              bias.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(),
                                                              x.size(1), static_cast<float>(eps));
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("weight"), py::arg("bias"), py::arg("eps"));
}
