// Cross entropy with label smoothing: a block for the loss of each row, then one block for their mean.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;
constexpr int64_t PADDING = -100;

struct Maximum {
  static constexpr float NEUTRAL = -INFINITY;
  __device__ static float of(float a, float b) { return fmaxf(a, b); }
};

struct Sum {
  static constexpr float NEUTRAL = 0.0f;
  __device__ static float of(float a, float b) { return a + b; }
};

// What the threads' values come to over the block, in every thread.
template <typename Operation>
__device__ float combined(float value) {
  __shared__ float values[THREADS];
  __syncthreads();  // the last result has been read
  values[threadIdx.x] = value;
  __syncthreads();
  for (int others = THREADS / 2; others > 0; others /= 2) {
    if (threadIdx.x < others) {
      values[threadIdx.x] = Operation::of(values[threadIdx.x], values[threadIdx.x + others]);
    }
    __syncthreads();
  }
  return values[0];
}

template <typename scalar_t>
__global__ void losses_kernel(const scalar_t* __restrict__ logits, const int64_t* __restrict__ target,
                              float* __restrict__ losses, int classes, float smoothing) {
  const int64_t right = target[blockIdx.x];
  if (right == PADDING) {
    if (threadIdx.x == 0) {
      losses[blockIdx.x] = 0.0f;
    }
    return;
  }
  logits += static_cast<int64_t>(blockIdx.x) * classes;
  float highest = Maximum::NEUTRAL;
  for (int c = threadIdx.x; c < classes; c += THREADS) {
    highest = fmaxf(highest, static_cast<float>(logits[c]));
  }
  highest = combined<Maximum>(highest);
  float grown = Sum::NEUTRAL;
  float lower = Sum::NEUTRAL;
  for (int c = threadIdx.x; c < classes; c += THREADS) {
    const float below = highest - static_cast<float>(logits[c]);
    grown += expf(-below);
    lower += below;
  }
  grown = combined<Sum>(grown);
  lower = combined<Sum>(lower);
  if (threadIdx.x == 0) {
    const float below = highest - static_cast<float>(logits[right]);
    losses[blockIdx.x] = logf(grown) + (1.0f - smoothing) * below + smoothing * (lower / classes);
  }
}

__global__ void mean_kernel(const float* __restrict__ losses, const int64_t* __restrict__ target,
                            float* __restrict__ mean, int rows) {
  float sum = Sum::NEUTRAL;
  float counted = Sum::NEUTRAL;
  for (int row = threadIdx.x; row < rows; row += THREADS) {
    sum += losses[row];
    counted += target[row] == PADDING ? 0.0f : 1.0f;
  }
  sum = combined<Sum>(sum);
  counted = combined<Sum>(counted);
  if (threadIdx.x == 0) {
    mean[0] = sum / fmaxf(counted, 1.0f);
  }
}

std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor logits, torch::Tensor target, double smoothing) {
  logits = logits.contiguous();
  target = target.contiguous();
  const int rows = logits.size(0);
  auto losses = torch::empty({rows}, logits.options().dtype(torch::kFloat32));
  auto mean = torch::empty({1}, losses.options());
  auto stream = at::hip::getCurrentHIPStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, logits.scalar_type(), "ce", [&] {
    losses_kernel<scalar_t><<<dim3(rows), THREADS, 0, stream>>>(
        logits.data_ptr<scalar_t>(), target.data_ptr<int64_t>(), losses.data_ptr<float>(), logits.size(1),
        static_cast<float>(smoothing));
  });
  mean_kernel<<<dim3(1), THREADS, 0, stream>>>(losses.data_ptr<float>(), target.data_ptr<int64_t>(),
                                               mean.data_ptr<float>(), rows);
  return {losses, mean};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("logits"), py::arg("target"), py::arg("smoothing"));
}
