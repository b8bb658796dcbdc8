// The inner product over channels: a thread for each pixel, and the weights of a batch in shared memory.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;
constexpr int CHANNELS = 512;  // whose weights are in shared memory at a time

template <typename scalar_t>
__global__ void inner_product_kernel(const scalar_t* __restrict__ image, const scalar_t* __restrict__ sound,
                                     const scalar_t* __restrict__ scale, const scalar_t* __restrict__ bias,
                                     scalar_t* __restrict__ y, int channels, int pixels) {
  const int64_t batch = blockIdx.y;
  image += batch * channels;
  sound += batch * channels * pixels;
  __shared__ float weights[CHANNELS];
  const int p = blockIdx.x * THREADS + threadIdx.x;
  float sum = static_cast<float>(bias[0]);
  for (int first = 0; first < channels; first += CHANNELS) {
    const int here = min(CHANNELS, channels - first);
    __syncthreads();
    for (int c = threadIdx.x; c < here; c += THREADS) {
      weights[c] = static_cast<float>(image[first + c]) * static_cast<float>(scale[first + c]);
    }
    __syncthreads();
    for (int c = 0; c < here && p < pixels; ++c) {
      sum += weights[c] * static_cast<float>(sound[static_cast<int64_t>(first + c) * pixels + p]);
    }
  }
  if (p < pixels) {
    y[batch * pixels + p] = static_cast<scalar_t>(sum);
  }
}

torch::Tensor forward(torch::Tensor image, torch::Tensor sound, torch::Tensor scale, torch::Tensor bias) {
  image = image.contiguous();
  sound = sound.contiguous();
  scale = scale.contiguous();
  auto y = torch::empty({sound.size(0), sound.size(2), sound.size(3)}, sound.options());
  const int pixels = sound.size(2) * sound.size(3);
  const dim3 blocks((pixels + THREADS - 1) / THREADS, sound.size(0));
  auto stream = at::hip::getCurrentHIPStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, sound.scalar_type(), "inner", [&] {
    inner_product_kernel<scalar_t><<<blocks, THREADS, 0, stream>>>(
        image.data_ptr<scalar_t>(), sound.data_ptr<scalar_t>(), scale.data_ptr<scalar_t>(), bias.data_ptr<scalar_t>(),
        y.data_ptr<scalar_t>(), static_cast<int>(sound.size(1)), pixels);
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("image"), py::arg("sound"), py::arg("scale"), py::arg("bias"));
}
