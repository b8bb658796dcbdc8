// Layer normalisation by the sample's deviation: the row is read once from memory and kept in shared memory as float.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;
constexpr int MOST_KEPT = 8192;  // elements, 32 KB; longer rows are read again

__device__ float block_sum(float value) {
  __shared__ float partial[THREADS / 32];
  for (int offset = warpSize / 2; offset > 0; offset /= 2) {
    value += __shfl_xor(value, offset);
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

// Every thread reads only what it kept itself, so `kept` needs no barrier.
template <typename scalar_t, bool KEPT>
__global__ void layer_norm_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                                  const scalar_t* __restrict__ bias, scalar_t* __restrict__ y, int cols, float eps) {
  extern __shared__ float kept[];
  const int64_t start = static_cast<int64_t>(blockIdx.x) * cols;
  float sum = 0.0f;
#pragma unroll 4
  for (int col = threadIdx.x; col < cols; col += THREADS) {
    const float value = static_cast<float>(x[start + col]);
    if constexpr (KEPT) {
      kept[col] = value;
    }
    sum += value;
  }
  const float mean = block_sum(sum) / cols;
  float squares = 0.0f;
#pragma unroll 4
  for (int col = threadIdx.x; col < cols; col += THREADS) {
    const float centred = (KEPT ? kept[col] : static_cast<float>(x[start + col])) - mean;
    squares += centred * centred;
  }
  const float scale = 1.0f / (sqrtf(block_sum(squares) / (cols - 1)) + eps);
#pragma unroll 4
  for (int col = threadIdx.x; col < cols; col += THREADS) {
    const float normal = ((KEPT ? kept[col] : static_cast<float>(x[start + col])) - mean) * scale;
    y[start + col] = static_cast<scalar_t>(normal * static_cast<float>(weight[col]) + static_cast<float>(bias[col]));
  }
}

torch::Tensor forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps) {
  x = x.contiguous();
  weight = weight.contiguous();
  bias = bias.contiguous();
  auto y = torch::empty_like(x);
  const dim3 rows(x.size(0));
  const int cols = x.size(1);
  auto stream = at::hip::getCurrentHIPStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "layer_norm", [&] {
    const auto* in = x.data_ptr<scalar_t>();
    const auto* weights = weight.data_ptr<scalar_t>();
    const auto* biases = bias.data_ptr<scalar_t>();
    auto* out = y.data_ptr<scalar_t>();
    if (cols <= MOST_KEPT) {
      layer_norm_kernel<scalar_t, true>
          <<<rows, THREADS, cols * sizeof(float), stream>>>(in, weights, biases, out, cols, static_cast<float>(eps));
    } else {
      layer_norm_kernel<scalar_t, false>
          <<<rows, THREADS, 0, stream>>>(in, weights, biases, out, cols, static_cast<float>(eps));
    }
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("weight"), py::arg("bias"), py::arg("eps"));
}
