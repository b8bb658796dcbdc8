// Layer normalisation with the row held in registers: read once by vectors, reduced by wave shuffles, written once.
//
// A group of at least 64 threads takes a row (one wave on CDNA, two on wave32 devices); short rows share a block. Mean
// and variance are two reductions over the registers, so the accurate two-pass formula costs no second read.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

#include <algorithm>

constexpr int GROUP_STEP = 64;
constexpr int BLOCK_THREADS = 256;  // filled with several rows if their groups are smaller
constexpr int MOST_ROWS = BLOCK_THREADS / GROUP_STEP;
constexpr int MOST_WAVES = 1024 / 32;
constexpr int PACK_BYTES = 16;
constexpr int FEW_VALUES = 8;    // a thread holds, for rows of up to
constexpr int SHORT_ROW = 2048;  // this many elements;
constexpr int MANY_VALUES = 32;  // this many for longer ones: up to 32768 with 1024 threads

template <typename scalar_t, int WIDTH>
struct alignas(sizeof(scalar_t) * WIDTH) Pack {
  scalar_t values[WIDTH];
};

// The sum over a row's group (one value of threadIdx.y), in each of its threads.
__device__ float group_sum(float value, float* partial) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) {
    value += __shfl_xor(value, offset);
  }
  const int waves = blockDim.x / warpSize;
  if (waves == 1) {
    return value;
  }
  if (threadIdx.x % warpSize == 0) {
    partial[threadIdx.x / warpSize] = value;
  }
  __syncthreads();
  float total = 0.0f;
  for (int wave = 0; wave < waves; ++wave) {
    total += partial[wave];
  }
  __syncthreads();  // the next sum overwrites it
  return total;
}

template <typename scalar_t, int WIDTH, int VALUES>
__global__ void layer_norm_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                                  const scalar_t* __restrict__ bias, scalar_t* __restrict__ y, int64_t rows, int cols,
                                  float eps) {
  using Packed = Pack<scalar_t, WIDTH>;
  constexpr int PACKS = VALUES / WIDTH;
  __shared__ float partials[MOST_ROWS][MOST_WAVES];
  float* partial = partials[threadIdx.y];
  const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
  const int64_t start = row * cols;
  const int width = row < rows ? cols : 0;  // a group without a row still takes part in the barriers

  float held[PACKS][WIDTH];
  float sum = 0.0f;
#pragma unroll
  for (int p = 0; p < PACKS; ++p) {
    const int col = (p * blockDim.x + threadIdx.x) * WIDTH;
    if (col < width) {
      const Packed pack = *reinterpret_cast<const Packed*>(x + start + col);
#pragma unroll
      for (int k = 0; k < WIDTH; ++k) {
        held[p][k] = static_cast<float>(pack.values[k]);
        sum += held[p][k];
      }
    }
  }
  const float mean = group_sum(sum, partial) / cols;

  float squares = 0.0f;
#pragma unroll
  for (int p = 0; p < PACKS; ++p) {
    if (static_cast<int>((p * blockDim.x + threadIdx.x) * WIDTH) < width) {
#pragma unroll
      for (int k = 0; k < WIDTH; ++k) {
        held[p][k] -= mean;
        squares += held[p][k] * held[p][k];
      }
    }
  }
  const float scale = rsqrtf(group_sum(squares, partial) / cols + eps);

#pragma unroll
  for (int p = 0; p < PACKS; ++p) {
    const int col = (p * blockDim.x + threadIdx.x) * WIDTH;
    if (col < width) {
      const Packed weights = *reinterpret_cast<const Packed*>(weight + col);
      const Packed biases = *reinterpret_cast<const Packed*>(bias + col);
      Packed pack;
#pragma unroll
      for (int k = 0; k < WIDTH; ++k) {
        const float scaled = held[p][k] * scale * static_cast<float>(weights.values[k]);
        pack.values[k] = static_cast<scalar_t>(scaled + static_cast<float>(biases.values[k]));
      }
      *reinterpret_cast<Packed*>(y + start + col) = pack;
    }
  }
}

template <typename scalar_t, int WIDTH, int VALUES>
void launch(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias, torch::Tensor& y,
            float eps) {
  const int64_t rows = x.size(0);
  const int cols = x.size(1);
  const int needed = (cols + VALUES - 1) / VALUES;
  const int group = (needed + GROUP_STEP - 1) / GROUP_STEP * GROUP_STEP;
  const int block_rows = std::max(1, BLOCK_THREADS / group);
  const dim3 blocks((rows + block_rows - 1) / block_rows);
  const dim3 threads(group, block_rows);
  auto stream = at::hip::getCurrentHIPStream();
  layer_norm_kernel<scalar_t, WIDTH, VALUES><<<blocks, threads, 0, stream>>>(
      x.data_ptr<scalar_t>(), weight.data_ptr<scalar_t>(), bias.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), rows,
      cols, eps);
}

template <typename scalar_t, int WIDTH>
void launch_for_length(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                       torch::Tensor& y, float eps) {
  if (x.size(1) <= SHORT_ROW) {
    launch<scalar_t, WIDTH, FEW_VALUES>(x, weight, bias, y, eps);
  } else {
    launch<scalar_t, WIDTH, MANY_VALUES>(x, weight, bias, y, eps);
  }
}

bool aligned(const torch::Tensor& tensor) { return reinterpret_cast<uintptr_t>(tensor.data_ptr()) % PACK_BYTES == 0; }

torch::Tensor forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps) {
  x = x.contiguous();
  weight = weight.contiguous();
  bias = bias.contiguous();
  auto y = torch::empty_like(x);
  TORCH_CHECK(x.size(1) <= 1024 * MANY_VALUES, "rows of more than ", 1024 * MANY_VALUES, " elements are not supported");
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "layer_norm", [&] {
    constexpr int WIDTH = PACK_BYTES / sizeof(scalar_t);
    const bool whole_packs = x.size(1) % WIDTH == 0;
    if (whole_packs && aligned(x) && aligned(weight) && aligned(bias) && aligned(y)) {
      launch_for_length<scalar_t, WIDTH>(x, weight, bias, y, eps);
    } else {
      launch_for_length<scalar_t, 1>(x, weight, bias, y, eps);
    }
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("weight"), py::arg("bias"), py::arg("eps"));
}
