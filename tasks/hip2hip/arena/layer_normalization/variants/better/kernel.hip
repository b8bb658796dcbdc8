// Layer normalisation: one block a row, which keeps the row in shared memory and reduces by wave shuffles.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;
constexpr int MOST_WAVES = THREADS / 32;
constexpr int MOST_HELD = 12000;  // floats of a row in shared memory: below the 48 KiB that every device grants

// The sum over the block, in every thread.
__device__ float block_sum(float value) {
  __shared__ float partial[MOST_WAVES];
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

// HELD: the row fits in shared memory. Longer rows are read again; few are.
template <typename scalar_t, bool HELD>
__global__ void layer_norm_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                                  const scalar_t* __restrict__ bias, scalar_t* __restrict__ y, int cols, float eps) {
  extern __shared__ float held[];
  const int64_t start = static_cast<int64_t>(blockIdx.x) * cols;

  // Every thread reads back only what it wrote itself, so no barrier is needed for `held`.
  const auto value_at = [&](int col) {
    if constexpr (HELD) {
      return held[col];
    } else {
      return static_cast<float>(x[start + col]);
    }
  };

  float sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += THREADS) {
    const float value = static_cast<float>(x[start + col]);
    if constexpr (HELD) {
      held[col] = value;
    }
    sum += value;
  }
  const float mean = block_sum(sum) / cols;

  float squares = 0.0f;
  for (int col = threadIdx.x; col < cols; col += THREADS) {
    const float centred = value_at(col) - mean;
    squares += centred * centred;
  }
  const float scale = rsqrtf(block_sum(squares) / cols + eps);

  for (int col = threadIdx.x; col < cols; col += THREADS) {
    const float centred = value_at(col) - mean;
    y[start + col] =
        static_cast<scalar_t>(centred * scale * static_cast<float>(weight[col]) + static_cast<float>(bias[col]));
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
    const auto* in = x.data_ptr<scalar_t>();
    const auto* weights = weight.data_ptr<scalar_t>();
    const auto* biases = bias.data_ptr<scalar_t>();
    auto* out = y.data_ptr<scalar_t>();
    const float epsilon = static_cast<float>(eps);
    if (cols <= MOST_HELD) {
      const size_t held_bytes = sizeof(float) * cols;
      layer_norm_kernel<scalar_t, true><<<blocks, THREADS, held_bytes, stream>>>(in, weights, biases, out, cols, epsilon);
    } else {
      layer_norm_kernel<scalar_t, false><<<blocks, THREADS, 0, stream>>>(in, weights, biases, out, cols, epsilon);
    }
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("weight"), py::arg("bias"), py::arg("eps"));
}
