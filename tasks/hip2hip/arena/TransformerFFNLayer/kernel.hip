// A convolution over time with a GELU, then a linear layer: a thread for each output of a few neighbouring moments.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 128;
constexpr int MOMENTS = 4;  // sums that a thread of the convolution keeps, of neighbouring moments

// hidden[t, b, h] = gelu((bias[h] + sum over taps and features of x[t + tap, b, f] * weight[h, f, tap]) / sqrt(taps))
__global__ void convolution_kernel(const float* __restrict__ x, const float* __restrict__ weight,
                                   const float* __restrict__ bias, float* __restrict__ hidden, int time, int batch,
                                   int features, int outputs, int taps) {
  const int output = blockIdx.x * THREADS + threadIdx.x;
  const int first = blockIdx.y * MOMENTS;
  const int member = blockIdx.z;
  if (output >= outputs) {
    return;
  }
  float sums[MOMENTS] = {};
  for (int f = 0; f < features; ++f) {
    for (int tap = 0; tap < taps; ++tap) {
      const float factor = weight[(static_cast<int64_t>(output) * features + f) * taps + tap];
      for (int m = 0; m < MOMENTS; ++m) {
        const int moment = first + m + tap - taps / 2;
        if (moment >= 0 && moment < time) {
          sums[m] += factor * x[(static_cast<int64_t>(moment) * batch + member) * features + f];
        }
      }
    }
  }
  for (int m = 0; m < MOMENTS && first + m < time; ++m) {
    const float value = (sums[m] + bias[output]) / sqrtf(static_cast<float>(taps));
    const int64_t row = static_cast<int64_t>(first + m) * batch + member;
    hidden[row * outputs + output] = 0.5f * value * (1.0f + erff(value * 0.70710678f));
  }
}

// y[row, o] = bias[o] + sum over h of hidden[row, h] * weight[o, h]: a block for each row, parts of it in shared memory.
__global__ void linear_kernel(const float* __restrict__ hidden, const float* __restrict__ weight,
                              const float* __restrict__ bias, float* __restrict__ y, int depth, int outputs) {
  __shared__ float part[THREADS];
  hidden += static_cast<int64_t>(blockIdx.x) * depth;
  y += static_cast<int64_t>(blockIdx.x) * outputs;
  for (int start = 0; start < outputs; start += THREADS) {
    const int output = start + threadIdx.x;
    float sum = 0.0f;
    for (int first = 0; first < depth; first += THREADS) {
      __syncthreads();  // the last part has been used
      part[threadIdx.x] = first + threadIdx.x < depth ? hidden[first + threadIdx.x] : 0.0f;
      __syncthreads();
      for (int h = 0; h < min(THREADS, depth - first) && output < outputs; ++h) {
        sum += part[h] * weight[static_cast<int64_t>(output) * depth + first + h];
      }
    }
    if (output < outputs) {
      y[output] = sum + bias[output];
    }
  }
}

torch::Tensor forward(torch::Tensor x, torch::Tensor conv_weight, torch::Tensor conv_bias, torch::Tensor linear_weight,
                      torch::Tensor linear_bias) {
  x = x.contiguous();
  conv_weight = conv_weight.contiguous();
  linear_weight = linear_weight.contiguous();
  const int time = x.size(0);
  const int batch = x.size(1);
  const int features = x.size(2);
  const int outputs = conv_weight.size(0);
  auto hidden = torch::empty({time, batch, outputs}, x.options());
  auto y = torch::empty_like(x);
  auto stream = at::hip::getCurrentHIPStream();
  const dim3 blocks((outputs + THREADS - 1) / THREADS, (time + MOMENTS - 1) / MOMENTS, batch);
  convolution_kernel<<<blocks, THREADS, 0, stream>>>(x.data_ptr<float>(), conv_weight.data_ptr<float>(),
                                                     conv_bias.data_ptr<float>(), hidden.data_ptr<float>(), time, batch,
                                                     features, outputs, static_cast<int>(conv_weight.size(2)));
  linear_kernel<<<dim3(time * batch), THREADS, 0, stream>>>(hidden.data_ptr<float>(), linear_weight.data_ptr<float>(),
                                                            linear_bias.data_ptr<float>(), y.data_ptr<float>(), outputs,
                                                            features);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("conv_weight"), py::arg("conv_bias"), py::arg("linear_weight"),
        py::arg("linear_bias"));
}
