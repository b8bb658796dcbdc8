// Cross entropy with label smoothing: plain log probabilities, one after the other, as the formula says.

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
  __shared__ float partial[THREADS];
  partial[threadIdx.x] = value;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      partial[threadIdx.x] = combine(partial[threadIdx.x], partial[threadIdx.x + half]);
    }
    __syncthreads();
  }
  const float total = partial[0];
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

  float highest = -INFINITY;
  for (int c = threadIdx.x; c < classes; c += THREADS) {
    highest = fmaxf(highest, static_cast<float>(from[c]));
  }
  highest = over_block(highest, Maximum());

  float grown = 0.0f;
  for (int c = threadIdx.x; c < classes; c += THREADS) {
    grown += expf(static_cast<float>(from[c]) - highest);
  }
  const float logarithm = logf(over_block(grown, Sum()));

  const float others = smoothing / classes;
  float loss = 0.0f;
  for (int c = threadIdx.x; c < classes; c += THREADS) {
    const float wanted = c == right ? 1.0f - smoothing + others : others;
    loss -= wanted * (static_cast<float>(from[c]) - highest - logarithm);
  }
  loss = over_block(loss, Sum());
  if (threadIdx.x == 0) {
    losses[row] = loss;
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
