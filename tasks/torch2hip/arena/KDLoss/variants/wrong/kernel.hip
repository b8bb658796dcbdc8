// The loss of knowledge distillation without the square of the temperature, which is easily forgotten.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;

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

// The highest value of a row, and the logarithm of the sum of exp((value - highest) / temperature).
template <typename scalar_t>
__device__ float2 softened(const scalar_t* row, int classes, float temperature) {
  float highest = Maximum::NEUTRAL;
  for (int c = threadIdx.x; c < classes; c += THREADS) {
    highest = fmaxf(highest, static_cast<float>(row[c]));
  }
  highest = combined<Maximum>(highest);
  float sum = Sum::NEUTRAL;
  for (int c = threadIdx.x; c < classes; c += THREADS) {
    sum += expf((static_cast<float>(row[c]) - highest) / temperature);
  }
  return make_float2(highest, logf(combined<Sum>(sum)));
}

template <typename scalar_t>
__global__ void losses_kernel(const scalar_t* __restrict__ student, const scalar_t* __restrict__ teacher,
                              float* __restrict__ losses, int classes, float temperature) {
  student += static_cast<int64_t>(blockIdx.x) * classes;
  teacher += static_cast<int64_t>(blockIdx.x) * classes;
  const float2 q = softened(student, classes, temperature);
  const float2 p = softened(teacher, classes, temperature);
  float divergence = Sum::NEUTRAL;
  for (int c = threadIdx.x; c < classes; c += THREADS) {
    const float log_q = (static_cast<float>(student[c]) - q.x) / temperature - q.y;
    const float log_p = (static_cast<float>(teacher[c]) - p.x) / temperature - p.y;
    divergence += expf(log_p) * (log_p - log_q);
  }
  divergence = combined<Sum>(divergence);
  if (threadIdx.x == 0) {
    losses[blockIdx.x] = divergence;
  }
}

__global__ void mean_kernel(const float* __restrict__ losses, float* __restrict__ mean, int rows) {
  float sum = Sum::NEUTRAL;
  for (int row = threadIdx.x; row < rows; row += THREADS) {
    sum += losses[row];
  }
  sum = combined<Sum>(sum);
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
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, student.scalar_type(), "kd", [&] {
    losses_kernel<scalar_t><<<dim3(rows), THREADS, 0, stream>>>(
        student.data_ptr<scalar_t>(), teacher.data_ptr<scalar_t>(), losses.data_ptr<float>(), student.size(1),
        static_cast<float>(temperature));
  });
  mean_kernel<<<dim3(1), THREADS, 0, stream>>>(losses.data_ptr<float>(), mean.data_ptr<float>(), rows);
  return {losses, mean};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("student"), py::arg("teacher"), py::arg("temperature"));
}
