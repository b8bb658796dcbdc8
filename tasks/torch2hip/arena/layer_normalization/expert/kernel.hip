// Layer normalisation by the sample's deviation: vectors of 16 bytes, wave shuffles, rows of up to 4096 read once.
//
// A block takes a row, with just as many threads as the row can feed. A row that fits stays in registers: mean and
// variance are two reductions over them, so the accurate two-pass formula costs no second read. Longer rows would need so
// many registers that too few blocks run at once; they are swept three times, and the later sweeps hit the cache. Rows of
// odd length begin anywhere between two vectors; single threads take the few elements before the first and after the last.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS_STEP = 64;  // one wave on CDNA, two on wave32 devices
constexpr int MOST_THREADS = 256;
constexpr int PACK_BYTES = 16;
constexpr int HELD_VALUES = 16;  // by every thread

template <typename scalar_t>
struct alignas(PACK_BYTES) Pack {
  static constexpr int WIDTH = PACK_BYTES / sizeof(scalar_t);
  scalar_t values[WIDTH];
};

// How a row lies between the vectors: `packs` of them after `head` elements, and at `edge` the one element outside them
// that is this thread's, if it is below the row's length.
struct Parts {
  int head;
  int packs;
  int edge;
};

template <int WIDTH, bool WHOLE>
__device__ Parts parts_of(int64_t start, int cols) {
  if (WHOLE) {
    return {0, cols / WIDTH, cols};
  }
  const int lane = threadIdx.x;
  const int head = min(cols, static_cast<int>((WIDTH - start % WIDTH) % WIDTH));
  const int packs = (cols - head) / WIDTH;
  return {head, packs, lane < head ? lane : lane + packs * WIDTH};
}

// The sum over the block, in every thread.
__device__ float block_sum(float value) {
  __shared__ float partial[MOST_THREADS / 32];
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

// A pack of neighbours from `from` on, by one load where it is aligned for that.
template <typename scalar_t>
__device__ Pack<scalar_t> loaded(const scalar_t* from, bool is_aligned) {
  if (is_aligned) {
    return *reinterpret_cast<const Pack<scalar_t>*>(from);
  }
  Pack<scalar_t> pack;
#pragma unroll
  for (int k = 0; k < Pack<scalar_t>::WIDTH; ++k) {
    pack.values[k] = from[k];
  }
  return pack;
}

template <typename scalar_t>
__device__ scalar_t affine(float normal, scalar_t weight, scalar_t bias) {
  return static_cast<scalar_t>(normal * static_cast<float>(weight) + static_cast<float>(bias));
}

template <typename scalar_t, bool WHOLE>
__global__ void __launch_bounds__(MOST_THREADS)
    layer_norm_held_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                           const scalar_t* __restrict__ bias, scalar_t* __restrict__ y, int cols, float eps) {
  using Packed = Pack<scalar_t>;
  constexpr int WIDTH = Packed::WIDTH;
  constexpr int PACKS = HELD_VALUES / WIDTH;
  const int64_t start = static_cast<int64_t>(blockIdx.x) * cols;
  const Parts parts = parts_of<WIDTH, WHOLE>(start, cols);

  float held[PACKS][WIDTH];
  float held_edge = 0.0f;
  float sum = 0.0f;
#pragma unroll
  for (int p = 0; p < PACKS; ++p) {
    const int i = p * blockDim.x + threadIdx.x;
    if (i < parts.packs) {
      const Packed pack = *reinterpret_cast<const Packed*>(x + start + parts.head + i * WIDTH);
#pragma unroll
      for (int k = 0; k < WIDTH; ++k) {
        held[p][k] = static_cast<float>(pack.values[k]);
        sum += held[p][k];
      }
    }
  }
  if (parts.edge < cols) {
    held_edge = static_cast<float>(x[start + parts.edge]);
    sum += held_edge;
  }
  const float mean = block_sum(sum) / cols;

  float squares = 0.0f;
#pragma unroll
  for (int p = 0; p < PACKS; ++p) {
    const int i = p * blockDim.x + threadIdx.x;
    if (i < parts.packs) {
#pragma unroll
      for (int k = 0; k < WIDTH; ++k) {
        held[p][k] -= mean;
        squares += held[p][k] * held[p][k];
      }
    }
  }
  if (parts.edge < cols) {
    held_edge -= mean;
    squares += held_edge * held_edge;
  }
  const float scale = 1.0f / (sqrtf(block_sum(squares) / (cols - 1)) + eps);

#pragma unroll
  for (int p = 0; p < PACKS; ++p) {
    const int i = p * blockDim.x + threadIdx.x;
    if (i < parts.packs) {
      const int col = parts.head + i * WIDTH;
      const Packed weights = loaded(weight + col, WHOLE || parts.head == 0);
      const Packed biases = loaded(bias + col, WHOLE || parts.head == 0);
      Packed pack;
#pragma unroll
      for (int k = 0; k < WIDTH; ++k) {
        pack.values[k] = affine(held[p][k] * scale, weights.values[k], biases.values[k]);
      }
      *reinterpret_cast<Packed*>(y + start + col) = pack;
    }
  }
  if (parts.edge < cols) {
    y[start + parts.edge] = affine(held_edge * scale, weight[parts.edge], bias[parts.edge]);
  }
}

template <typename scalar_t, bool WHOLE>
__global__ void __launch_bounds__(MOST_THREADS)
    layer_norm_swept_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                            const scalar_t* __restrict__ bias, scalar_t* __restrict__ y, int cols, float eps) {
  using Packed = Pack<scalar_t>;
  constexpr int WIDTH = Packed::WIDTH;
  const int64_t start = static_cast<int64_t>(blockIdx.x) * cols;
  const Parts parts = parts_of<WIDTH, WHOLE>(start, cols);
  const auto* packs = reinterpret_cast<const Packed*>(x + start + parts.head);
  const float held_edge = parts.edge < cols ? static_cast<float>(x[start + parts.edge]) : 0.0f;

  float sum = held_edge;
#pragma unroll 4
  for (int i = threadIdx.x; i < parts.packs; i += MOST_THREADS) {
    const Packed pack = packs[i];
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      sum += static_cast<float>(pack.values[k]);
    }
  }
  const float mean = block_sum(sum) / cols;

  float squares = parts.edge < cols ? (held_edge - mean) * (held_edge - mean) : 0.0f;
#pragma unroll 4
  for (int i = threadIdx.x; i < parts.packs; i += MOST_THREADS) {
    const Packed pack = packs[i];
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      const float centred = static_cast<float>(pack.values[k]) - mean;
      squares += centred * centred;
    }
  }
  const float scale = 1.0f / (sqrtf(block_sum(squares) / (cols - 1)) + eps);

#pragma unroll 2
  for (int i = threadIdx.x; i < parts.packs; i += MOST_THREADS) {
    const int col = parts.head + i * WIDTH;
    const Packed weights = loaded(weight + col, WHOLE || parts.head == 0);
    const Packed biases = loaded(bias + col, WHOLE || parts.head == 0);
    Packed pack = packs[i];
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      const float normal = (static_cast<float>(pack.values[k]) - mean) * scale;
      pack.values[k] = affine(normal, weights.values[k], biases.values[k]);
    }
    *reinterpret_cast<Packed*>(y + start + col) = pack;
  }
  if (parts.edge < cols) {
    y[start + parts.edge] = affine((held_edge - mean) * scale, weight[parts.edge], bias[parts.edge]);
  }
}

template <typename scalar_t, bool WHOLE>
void launch(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias, torch::Tensor& y,
            float eps) {
  const dim3 rows(x.size(0));
  const int cols = x.size(1);
  const auto* in = x.data_ptr<scalar_t>();
  const auto* weights = weight.data_ptr<scalar_t>();
  const auto* biases = bias.data_ptr<scalar_t>();
  auto* out = y.data_ptr<scalar_t>();
  auto stream = at::hip::getCurrentHIPStream();
  if (cols <= MOST_THREADS * HELD_VALUES) {
    const int needed = (cols + HELD_VALUES - 1) / HELD_VALUES;
    const int threads = (needed + THREADS_STEP - 1) / THREADS_STEP * THREADS_STEP;
    layer_norm_held_kernel<scalar_t, WHOLE><<<rows, threads, 0, stream>>>(in, weights, biases, out, cols, eps);
  } else {
    layer_norm_swept_kernel<scalar_t, WHOLE><<<rows, MOST_THREADS, 0, stream>>>(in, weights, biases, out, cols, eps);
  }
}

// Fresh storage is aligned for vectors; a view may start anywhere.
torch::Tensor aligned(const torch::Tensor& tensor) {
  const auto whole = tensor.contiguous();
  return reinterpret_cast<uintptr_t>(whole.data_ptr()) % PACK_BYTES == 0 ? whole : whole.clone();
}

torch::Tensor forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps) {
  x = aligned(x);
  weight = aligned(weight);
  bias = aligned(bias);
  auto y = torch::empty_like(x);
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "layer_norm", [&] {
    if (x.size(1) % Pack<scalar_t>::WIDTH == 0) {
      launch<scalar_t, true>(x, weight, bias, y, static_cast<float>(eps));
    } else {
      launch<scalar_t, false>(x, weight, bias, y, static_cast<float>(eps));
    }
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("weight"), py::arg("bias"), py::arg("eps"));
}
