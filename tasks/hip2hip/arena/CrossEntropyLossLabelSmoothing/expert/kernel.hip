// Cross entropy with label smoothing in one sweep by vectors of 16 bytes: maximum, sum of exponentials and plain sum are
// kept together, the exponentials scaled down whenever the maximum rises.
//
// Rows of up to 2048 classes are given to groups of 64 threads, four to a block, longer ones to a whole block. Rows of odd
// length begin anywhere between two vectors; single threads take the few elements before the first and after the last.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int64_t PADDING = -100;
constexpr int GROUP = 64;  // one wave on CDNA, two on wave32 devices
constexpr int GROUP_CLASSES = 2048;
constexpr int THREADS = 256;
constexpr int LONG_THREADS = 512;
constexpr int PACK_BYTES = 16;
constexpr int MOST_WAVES = LONG_THREADS / 32;

template <typename scalar_t>
struct alignas(PACK_BYTES) Pack {
  static constexpr int WIDTH = PACK_BYTES / sizeof(scalar_t);
  scalar_t values[WIDTH];
};

// What is known of the logits seen so far. `below` is their sum less `count` times `highest`: its terms are the size of
// the spread, so a common offset of the logits costs no digits.
struct Seen {
  float highest = -INFINITY;
  float grown = 0.0f;
  float below = 0.0f;
  float count = 0.0f;

  __device__ void add(const Seen& other) {
    if (other.count == 0.0f) {
      return;
    }
    if (count == 0.0f) {
      *this = other;
      return;
    }
    const float higher = fmaxf(highest, other.highest);
    grown = grown * __expf(highest - higher) + other.grown * __expf(other.highest - higher);
    below += count * (highest - higher) + other.below + other.count * (other.highest - higher);
    count += other.count;
    highest = higher;
  }

  template <int WIDTH>
  __device__ void add(const float (&values)[WIDTH]) {
    float higher = highest;
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      higher = fmaxf(higher, values[k]);
    }
    if (higher > highest) {
      below = count == 0.0f ? 0.0f : below + count * (highest - higher);
      grown *= __expf(highest - higher);
      highest = higher;
    }
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      grown += __expf(values[k] - highest);
      below += values[k] - highest;
    }
    count += WIDTH;
  }
};

// Over the threads of a group; the total is in its first thread. `places` has room for the waves of the block.
template <int THREADS_A_ROW>
__device__ Seen over_group(Seen own, float (*places)[4]) {
  const int span = min(warpSize, THREADS_A_ROW);
  for (int offset = span / 2; offset > 0; offset /= 2) {
    Seen other;
    other.highest = __shfl_xor(own.highest, offset);
    other.grown = __shfl_xor(own.grown, offset);
    other.below = __shfl_xor(own.below, offset);
    other.count = __shfl_xor(own.count, offset);
    own.add(other);
  }
  if (THREADS_A_ROW <= warpSize) {
    return own;
  }
  if (threadIdx.x % warpSize == 0) {
    float* place = places[threadIdx.x / warpSize];
    place[0] = own.highest;
    place[1] = own.grown;
    place[2] = own.below;
    place[3] = own.count;
  }
  __syncthreads();
  if (threadIdx.x % THREADS_A_ROW == 0) {
    for (int wave = 1; wave < THREADS_A_ROW / warpSize; ++wave) {
      const float* place = places[threadIdx.x / warpSize + wave];
      Seen other;
      other.highest = place[0];
      other.grown = place[1];
      other.below = place[2];
      other.count = place[3];
      own.add(other);
    }
  }
  return own;
}

// THREADS_A_ROW threads take a row, a block as many rows as it has groups of them.
template <typename scalar_t, int THREADS_A_ROW>
__global__ void __launch_bounds__(THREADS_A_ROW > THREADS ? LONG_THREADS : THREADS)
    loss_kernel(const scalar_t* __restrict__ logits, const int64_t* __restrict__ target, float* __restrict__ losses,
                int rows, int classes, float smoothing) {
  using Packed = Pack<scalar_t>;
  constexpr int WIDTH = Packed::WIDTH;
  __shared__ float places[MOST_WAVES][4];
  const int64_t row = static_cast<int64_t>(blockIdx.x) * (blockDim.x / THREADS_A_ROW) + threadIdx.x / THREADS_A_ROW;
  const int lane = threadIdx.x % THREADS_A_ROW;
  const int64_t right = row < rows ? target[row] : PADDING;
  Seen own;
  if (right != PADDING) {
    const int64_t start = row * classes;
    const int head = min(classes, static_cast<int>((WIDTH - start % WIDTH) % WIDTH));
    const int packs = (classes - head) / WIDTH;
    const auto* from = reinterpret_cast<const Packed*>(logits + start + head);
#pragma unroll 2
    for (int i = lane; i < packs; i += THREADS_A_ROW) {
      const Packed pack = from[i];
      float values[WIDTH];
#pragma unroll
      for (int k = 0; k < WIDTH; ++k) {
        values[k] = static_cast<float>(pack.values[k]);
      }
      own.add(values);
    }
    const int edge = lane < head ? lane : lane + packs * WIDTH;  // the one element outside the packs of this lane
    if (edge < classes) {
      const float values[1] = {static_cast<float>(logits[start + edge])};
      own.add(values);
    }
  }
  const Seen all = over_group<THREADS_A_ROW>(own, places);
  if (lane == 0 && row < rows) {
    float loss = 0.0f;
    if (right != PADDING) {
      const float chosen = static_cast<float>(logits[row * classes + right]) - all.highest;
      loss = logf(all.grown) - (1.0f - smoothing) * chosen - smoothing * all.below / classes;
    }
    losses[row] = loss;
  }
}

__global__ void __launch_bounds__(LONG_THREADS)
    mean_kernel(const float* __restrict__ losses, const int64_t* __restrict__ target, float* __restrict__ mean,
                int rows) {
  __shared__ float sums[MOST_WAVES];
  __shared__ float counts[MOST_WAVES];
  float sum = 0.0f;
  float count = 0.0f;
#pragma unroll 8
  for (int row = threadIdx.x; row < rows; row += LONG_THREADS) {
    sum += losses[row];
    count += target[row] == PADDING ? 0.0f : 1.0f;
  }
  for (int offset = warpSize / 2; offset > 0; offset /= 2) {
    sum += __shfl_xor(sum, offset);
    count += __shfl_xor(count, offset);
  }
  if (threadIdx.x % warpSize == 0) {
    sums[threadIdx.x / warpSize] = sum;
    counts[threadIdx.x / warpSize] = count;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int wave = 1; wave < LONG_THREADS / warpSize; ++wave) {
      sum += sums[wave];
      count += counts[wave];
    }
    mean[0] = sum / fmaxf(count, 1.0f);
  }
}

std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor logits, torch::Tensor target, double smoothing) {
  logits = logits.contiguous();
  if (reinterpret_cast<uintptr_t>(logits.data_ptr()) % PACK_BYTES != 0) {
    logits = logits.clone();  // a view may start anywhere; fresh storage is aligned
  }
  target = target.contiguous();
  const int rows = logits.size(0);
  const int classes = logits.size(1);
  auto losses = torch::empty({rows}, logits.options().dtype(torch::kFloat32));
  auto mean = torch::empty({1}, losses.options());
  const auto* right = target.data_ptr<int64_t>();
  auto* out = losses.data_ptr<float>();
  const float share = smoothing;
  auto stream = at::hip::getCurrentHIPStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, logits.scalar_type(), "loss", [&] {
    const auto* in = logits.data_ptr<scalar_t>();
    if (classes <= GROUP_CLASSES) {
      const dim3 blocks((rows + THREADS / GROUP - 1) / (THREADS / GROUP));
      loss_kernel<scalar_t, GROUP><<<blocks, THREADS, 0, stream>>>(in, right, out, rows, classes, share);
    } else if (classes <= 8 * GROUP_CLASSES) {
      loss_kernel<scalar_t, THREADS><<<dim3(rows), THREADS, 0, stream>>>(in, right, out, rows, classes, share);
    } else {
      loss_kernel<scalar_t, LONG_THREADS>
          <<<dim3(rows), LONG_THREADS, 0, stream>>>(in, right, out, rows, classes, share);
    }
  });
  mean_kernel<<<dim3(1), LONG_THREADS, 0, stream>>>(out, right, mean.data_ptr<float>(), rows);
  return {losses, mean};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("logits"), py::arg("target"), py::arg("smoothing"));
}
