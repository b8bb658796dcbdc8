// Layer normalisation: one block a row, three sweeps by vectors of four, wave shuffles, fewer threads for short rows.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int FEW_THREADS = 64;    // for rows of up to
constexpr int SHORT_ROW = 1024;    // this many elements;
constexpr int MANY_THREADS = 256;  // for longer ones
constexpr int FOUR = 4;

template <typename scalar_t, int WIDTH>
struct alignas(WIDTH * sizeof(scalar_t)) Vector {
  scalar_t values[WIDTH];
};

// The sum over the block, in every thread.
template <int THREADS>
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

template <typename scalar_t, int WIDTH, int THREADS>
__global__ void layer_norm_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                                  const scalar_t* __restrict__ bias, scalar_t* __restrict__ y, int cols, float eps) {
  using Values = Vector<scalar_t, WIDTH>;
  const int count = cols / WIDTH;
  const int64_t start = static_cast<int64_t>(blockIdx.x) * count;
  const auto* row = reinterpret_cast<const Values*>(x) + start;

  float sum = 0.0f;
#pragma unroll 4
  for (int i = threadIdx.x; i < count; i += THREADS) {
    const Values values = row[i];
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      sum += static_cast<float>(values.values[k]);
    }
  }
  const float mean = block_sum<THREADS>(sum) / cols;

  float squares = 0.0f;
#pragma unroll 4
  for (int i = threadIdx.x; i < count; i += THREADS) {
    const Values values = row[i];
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      const float centred = static_cast<float>(values.values[k]) - mean;
      squares += centred * centred;
    }
  }
  const float scale = rsqrtf(block_sum<THREADS>(squares) / cols + eps);

#pragma unroll 4
  for (int i = threadIdx.x; i < count; i += THREADS) {
    Values values = row[i];
    const Values weights = reinterpret_cast<const Values*>(weight)[i];
    const Values biases = reinterpret_cast<const Values*>(bias)[i];
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      const float scaled = (static_cast<float>(values.values[k]) - mean) * scale * static_cast<float>(weights.values[k]);
      values.values[k] = static_cast<scalar_t>(scaled + static_cast<float>(biases.values[k]));
    }
    (reinterpret_cast<Values*>(y) + start)[i] = values;
  }
}

template <typename scalar_t, int WIDTH, int THREADS>
void launch(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias, torch::Tensor& y,
            float eps) {
  auto stream = at::hip::getCurrentHIPStream();
  layer_norm_kernel<scalar_t, WIDTH, THREADS><<<dim3(x.size(0)), THREADS, 0, stream>>>(
      x.data_ptr<scalar_t>(), weight.data_ptr<scalar_t>(), bias.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(),
      x.size(1), eps);
}

template <typename scalar_t, int WIDTH>
void launch_for_length(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                       torch::Tensor& y, float eps) {
  if (x.size(1) <= SHORT_ROW) {
    launch<scalar_t, WIDTH, FEW_THREADS>(x, weight, bias, y, eps);
  } else {
    launch<scalar_t, WIDTH, MANY_THREADS>(x, weight, bias, y, eps);
  }
}

// Fresh storage is aligned for vectors; a view may start anywhere.
torch::Tensor aligned(const torch::Tensor& tensor) {
  const auto whole = tensor.contiguous();
  const bool good = reinterpret_cast<uintptr_t>(whole.data_ptr()) % (FOUR * whole.element_size()) == 0;
  return good ? whole : whole.clone();
}

torch::Tensor forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps) {
  x = aligned(x);
  weight = aligned(weight);
  bias = aligned(bias);
  auto y = torch::empty_like(x);
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "layer_norm", [&] {
    if (x.size(1) % FOUR == 0) {
      launch_for_length<scalar_t, FOUR>(x, weight, bias, y, static_cast<float>(eps));
    } else {
      launch_for_length<scalar_t, 1>(x, weight, bias, y, static_cast<float>(eps));
    }
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("weight"), py::arg("bias"), py::arg("eps"));
}
