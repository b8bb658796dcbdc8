// Cross entropy with label smoothing in one sweep of unrolled loads: every thread scales its sum when its maximum rises.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;
constexpr int64_t PADDING = -100;

struct Maximum {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};

// The combination over the block, in every thread.
template <typename Combine>
__device__ float over_block(float value, Combine combine) {
  __shared__ float partial[THREADS / 32];
  for (int offset = warpSize / 2; offset > 0; offset /= 2) {
    value = combine(value, __shfl_xor(value, offset));
  }
  if (threadIdx.x % warpSize == 0) {
    partial[threadIdx.x / warpSize] = value;
  }
  __syncthreads();
  float total = partial[0];
  for (int wave = 1; wave < THREADS / warpSize; ++wave) {
    total = combine(total, partial[wave]);
  }
  __syncthreads();  // the next combination overwrites it
  return total;
}

template <typename scalar_t>
__global__ void loss_kernel(const scalar_t* __restrict__ logits, const int64_t* __restrict__ target,
                            float* __restrict__ losses, int classes, float smoothing) {
  const int64_t row = blockIdx.x;
  const scalar_t* from = logits + row * classes;
  const int64_t right = target[row];
  if (right == PADDING) {
    if (threadIdx.x == 0) {
      losses[row] = 0.0f;
    }
    return;
  }

  float own = -INFINITY;
  float grown = 0.0f;  // the sum of exponentials, relative to this thread's own maximum
  float sum = 0.0f;
  float count = 0.0f;
#pragma unroll 8
  for (int c = threadIdx.x; c < classes; c += THREADS) {
    const float value = static_cast<float>(from[c]);
    const float higher = fmaxf(own, value);
    grown = grown * __expf(own - higher) + __expf(value - higher);
    own = higher;
    sum += value;
    count += 1.0f;
  }
  const float highest = over_block(own, Maximum());
  grown = over_block(grown * __expf(own - highest), Sum());
  const float below = over_block(sum - count * highest, Sum());
  if (threadIdx.x == 0) {
    const float chosen = static_cast<float>(from[right]) - highest;
    losses[row] = logf(grown) - (1.0f - smoothing) * chosen - smoothing * below / classes;
  }
}

__global__ void mean_kernel(const float* __restrict__ losses, const int64_t* __restrict__ target,
                            float* __restrict__ mean, int rows) {
  float sum = 0.0f;
  float count = 0.0f;
  for (int row = threadIdx.x; row < rows; row += THREADS) {
    sum += losses[row];
    count += target[row] == PADDING ? 0.0f : 1.0f;
  }
  sum = over_block(sum, Sum());
  count = over_block(count, Sum());
  if (threadIdx.x == 0) {
    mean[0] = sum / fmaxf(count, 1.0f);
  }
}

std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor logits, torch::Tensor target, double smoothing) {
  logits = logits.contiguous();
  target = target.contiguous();
  const int rows = logits.size(0);
  auto losses = torch::empty({rows}, logits.options().dtype(torch::kFloat32));
  auto mean = torch::empty({1}, losses.options());
  auto stream = at::hip::getCurrentHIPStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, logits.scalar_type(), "loss", [&] {
    loss_kernel<scalar_t><<<dim3(rows), THREADS, 0, stream>>>(logits.data_ptr<scalar_t>(), target.data_ptr<int64_t>(),
                                                              losses.data_ptr<float>(), logits.size(1),
                                                              static_cast<float>(smoothing));
  });
  mean_kernel<<<dim3(1), THREADS, 0, stream>>>(losses.data_ptr<float>(), target.data_ptr<int64_t>(),
                                               mean.data_ptr<float>(), rows);
  return {losses, mean};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("logits"), py::arg("target"), py::arg("smoothing"));
}
