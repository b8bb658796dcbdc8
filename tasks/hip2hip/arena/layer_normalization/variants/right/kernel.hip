// Layer normalisation with Welford's running mean and variance, so the row is swept twice: one block a row.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;

struct Moments {
  float count;
  float mean;
  float squares;  // the sum of squared distances from the mean
};

__device__ Moments merged(Moments a, Moments b) {
  const float count = a.count + b.count;
  if (count == 0.0f) {
    return a;
  }
  const float distance = b.mean - a.mean;
  const float share = b.count / count;
  return {count, a.mean + distance * share, a.squares + b.squares + distance * distance * a.count * share};
}

template <typename scalar_t>
__global__ void layer_norm_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                                  const scalar_t* __restrict__ bias, scalar_t* __restrict__ y, int cols, float eps) {
  __shared__ Moments moments[THREADS];
  const int64_t start = static_cast<int64_t>(blockIdx.x) * cols;

  Moments own = {0.0f, 0.0f, 0.0f};
  for (int col = threadIdx.x; col < cols; col += THREADS) {
    own = merged(own, {1.0f, static_cast<float>(x[start + col]), 0.0f});
  }
  moments[threadIdx.x] = own;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      moments[threadIdx.x] = merged(moments[threadIdx.x], moments[threadIdx.x + half]);
    }
    __syncthreads();
  }
  const float mean = moments[0].mean;
  const float scale = rsqrtf(moments[0].squares / cols + eps);

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
