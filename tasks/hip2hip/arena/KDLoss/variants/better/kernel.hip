// The distillation loss in two sweeps with unrolled loads, wave shuffles and the fast exponential.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;

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
__global__ void loss_kernel(const scalar_t* __restrict__ student, const scalar_t* __restrict__ teacher,
                            float* __restrict__ losses, int classes, float temperature) {
  const scalar_t* s = student + static_cast<int64_t>(blockIdx.x) * classes;
  const scalar_t* t = teacher + static_cast<int64_t>(blockIdx.x) * classes;

  const float scale = 1.0f / temperature;
  float s_highest = -INFINITY;
  float t_highest = -INFINITY;
#pragma unroll 8
  for (int c = threadIdx.x; c < classes; c += THREADS) {
    s_highest = fmaxf(s_highest, static_cast<float>(s[c]));
    t_highest = fmaxf(t_highest, static_cast<float>(t[c]));
  }
  s_highest = over_block(s_highest, Maximum());
  t_highest = over_block(t_highest, Maximum());

  float s_grown = 0.0f;
  float t_grown = 0.0f;
  float distance = 0.0f;
#pragma unroll 8
  for (int c = threadIdx.x; c < classes; c += THREADS) {
    const float below_s = (static_cast<float>(s[c]) - s_highest) * scale;
    const float below_t = (static_cast<float>(t[c]) - t_highest) * scale;
    const float share = __expf(below_t);
    s_grown += __expf(below_s);
    t_grown += share;
    distance += share * (below_t - below_s);
  }
  s_grown = over_block(s_grown, Sum());
  t_grown = over_block(t_grown, Sum());
  const float divergence = over_block(distance, Sum()) / t_grown - logf(t_grown) + logf(s_grown);
  if (threadIdx.x == 0) {
    losses[blockIdx.x] = divergence * temperature * temperature;
  }
}

__global__ void mean_kernel(const float* __restrict__ losses, float* __restrict__ mean, int rows) {
  float sum = 0.0f;
  for (int row = threadIdx.x; row < rows; row += THREADS) {
    sum += losses[row];
  }
  sum = over_block(sum, Sum());
  if (threadIdx.x == 0) {
    mean[0] = sum / rows;
  }
}

std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor student, torch::Tensor teacher, double temperature) {
  student = student.contiguous();
  teacher = teacher.contiguous();
  const int rows = student.size(0);
  auto losses = torch::empty({rows}, student.options().dtype(torch::kFloat32));
  auto mean = torch::empty({1}, losses.options());
  auto stream = at::hip::getCurrentHIPStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, student.scalar_type(), "loss", [&] {
    loss_kernel<scalar_t><<<dim3(rows), THREADS, 0, stream>>>(student.data_ptr<scalar_t>(),
                                                              teacher.data_ptr<scalar_t>(), losses.data_ptr<float>(),
                                                              student.size(1), static_cast<float>(temperature));
  });
  mean_kernel<<<dim3(1), THREADS, 0, stream>>>(losses.data_ptr<float>(), mean.data_ptr<float>(), rows);
  return {losses, mean};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("student"), py::arg("teacher"), py::arg("temperature"));
}
