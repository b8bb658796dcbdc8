// The distillation loss in one sweep by vectors of 16 bytes.
//
// With both rows divided by the temperature the divergence is E - log Z(teacher) + log Z(student), where E is the mean of
// teacher - student under the teacher's shares and Z a sum of exponentials. All three are sums that can be scaled down
// whenever a maximum rises. Differences are taken between distances from the maxima, so common offsets cost no digits.
// Rows of up to 2048 classes are given to groups of 64 threads, four to a block, longer ones to a whole block.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int GROUP = 64;  // one wave on CDNA, two on wave32 devices
constexpr int GROUP_CLASSES = 2048;
constexpr int THREADS = 256;
constexpr int LONG_THREADS = 512;
constexpr int PACK_BYTES = 16;
constexpr int MOST_WAVES = LONG_THREADS / 32;

template <typename scalar_t, int WIDTH>
struct alignas(WIDTH * sizeof(scalar_t)) Pack {
  scalar_t values[WIDTH];
};

// What is known of the pairs seen so far, in units of the temperature. `distance` is the sum of the teacher's
// exponentials times (teacher - its highest) - (student - its highest).
struct Seen {
  float s_highest = -INFINITY;
  float t_highest = -INFINITY;
  float s_grown = 0.0f;
  float t_grown = 0.0f;
  float distance = 0.0f;

  // Measure from higher maxima: afterwards both are at least as high as given.
  __device__ void lift(float s_higher, float t_higher) {
    if (t_grown == 0.0f && s_grown == 0.0f) {  // nothing was seen
      s_highest = s_higher;
      t_highest = t_higher;
      return;
    }
    const float t_scale = __expf(t_highest - t_higher);
    distance = (distance + t_grown * ((t_highest - t_higher) - (s_highest - s_higher))) * t_scale;
    t_grown *= t_scale;
    s_grown *= __expf(s_highest - s_higher);
    s_highest = s_higher;
    t_highest = t_higher;
  }

  __device__ void add(Seen other) {
    const float s_higher = fmaxf(s_highest, other.s_highest);
    const float t_higher = fmaxf(t_highest, other.t_highest);
    lift(s_higher, t_higher);
    other.lift(s_higher, t_higher);
    s_grown += other.s_grown;
    t_grown += other.t_grown;
    distance += other.distance;
  }

  template <int WIDTH>
  __device__ void add(const float (&s)[WIDTH], const float (&t)[WIDTH]) {
    float s_higher = s_highest;
    float t_higher = t_highest;
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      s_higher = fmaxf(s_higher, s[k]);
      t_higher = fmaxf(t_higher, t[k]);
    }
    if (s_higher > s_highest || t_higher > t_highest) {
      lift(s_higher, t_higher);
    }
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      const float share = __expf(t[k] - t_highest);
      t_grown += share;
      s_grown += __expf(s[k] - s_highest);
      distance += share * ((t[k] - t_highest) - (s[k] - s_highest));
    }
  }
};

// Over the threads of a group; the total is in its first thread. `places` has room for the waves of the block.
template <int THREADS_A_ROW>
__device__ Seen over_group(Seen own, float (*places)[5]) {
  const int span = min(warpSize, THREADS_A_ROW);
  for (int offset = span / 2; offset > 0; offset /= 2) {
    Seen other;
    other.s_highest = __shfl_xor(own.s_highest, offset);
    other.t_highest = __shfl_xor(own.t_highest, offset);
    other.s_grown = __shfl_xor(own.s_grown, offset);
    other.t_grown = __shfl_xor(own.t_grown, offset);
    other.distance = __shfl_xor(own.distance, offset);
    own.add(other);
  }
  if (THREADS_A_ROW <= warpSize) {
    return own;
  }
  if (threadIdx.x % warpSize == 0) {
    float* place = places[threadIdx.x / warpSize];
    place[0] = own.s_highest;
    place[1] = own.t_highest;
    place[2] = own.s_grown;
    place[3] = own.t_grown;
    place[4] = own.distance;
  }
  __syncthreads();
  if (threadIdx.x % THREADS_A_ROW == 0) {
    for (int wave = 1; wave < THREADS_A_ROW / warpSize; ++wave) {
      const float* place = places[threadIdx.x / warpSize + wave];
      Seen other;
      other.s_highest = place[0];
      other.t_highest = place[1];
      other.s_grown = place[2];
      other.t_grown = place[3];
      other.distance = place[4];
      own.add(other);
    }
  }
  return own;
}

// THREADS_A_ROW threads take a row, a block as many rows as it has groups of them.
template <typename scalar_t, int WIDTH, int THREADS_A_ROW>
__global__ void __launch_bounds__(THREADS_A_ROW > THREADS ? LONG_THREADS : THREADS)
    loss_kernel(const scalar_t* __restrict__ student, const scalar_t* __restrict__ teacher, float* __restrict__ losses,
                int rows, int classes, float temperature) {
  using Packed = Pack<scalar_t, WIDTH>;
  __shared__ float places[MOST_WAVES][5];
  const int64_t row = static_cast<int64_t>(blockIdx.x) * (blockDim.x / THREADS_A_ROW) + threadIdx.x / THREADS_A_ROW;
  const int lane = threadIdx.x % THREADS_A_ROW;
  const int packs = row < rows ? classes / WIDTH : 0;
  const auto* s_from = reinterpret_cast<const Packed*>(student + row * classes);
  const auto* t_from = reinterpret_cast<const Packed*>(teacher + row * classes);
  const float scale = 1.0f / temperature;

  Seen own;
#pragma unroll 2
  for (int i = lane; i < packs; i += THREADS_A_ROW) {
    const Packed s_pack = s_from[i];
    const Packed t_pack = t_from[i];
    float s[WIDTH];
    float t[WIDTH];
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      s[k] = static_cast<float>(s_pack.values[k]) * scale;
      t[k] = static_cast<float>(t_pack.values[k]) * scale;
    }
    own.add(s, t);
  }
  const Seen all = over_group<THREADS_A_ROW>(own, places);
  if (lane == 0 && row < rows) {
    const float divergence = all.distance / all.t_grown - logf(all.t_grown) + logf(all.s_grown);
    losses[row] = divergence * temperature * temperature;
  }
}

__global__ void __launch_bounds__(LONG_THREADS)
    mean_kernel(const float* __restrict__ losses, float* __restrict__ mean, int rows) {
  __shared__ float sums[MOST_WAVES];
  float sum = 0.0f;
#pragma unroll 8
  for (int row = threadIdx.x; row < rows; row += LONG_THREADS) {
    sum += losses[row];
  }
  for (int offset = warpSize / 2; offset > 0; offset /= 2) {
    sum += __shfl_xor(sum, offset);
  }
  if (threadIdx.x % warpSize == 0) {
    sums[threadIdx.x / warpSize] = sum;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int wave = 1; wave < LONG_THREADS / warpSize; ++wave) {
      sum += sums[wave];
    }
    mean[0] = sum / rows;
  }
}

template <typename scalar_t, int WIDTH>
void launch(const torch::Tensor& student, const torch::Tensor& teacher, torch::Tensor& losses, float temperature) {
  const auto* s = student.data_ptr<scalar_t>();
  const auto* t = teacher.data_ptr<scalar_t>();
  auto* out = losses.data_ptr<float>();
  const int rows = student.size(0);
  const int classes = student.size(1);
  auto stream = at::hip::getCurrentHIPStream();
  if (classes <= GROUP_CLASSES) {
    const dim3 blocks((rows + THREADS / GROUP - 1) / (THREADS / GROUP));
    loss_kernel<scalar_t, WIDTH, GROUP><<<blocks, THREADS, 0, stream>>>(s, t, out, rows, classes, temperature);
  } else if (classes <= 8 * GROUP_CLASSES) {
    loss_kernel<scalar_t, WIDTH, THREADS><<<dim3(rows), THREADS, 0, stream>>>(s, t, out, rows, classes, temperature);
  } else {
    loss_kernel<scalar_t, WIDTH, LONG_THREADS>
        <<<dim3(rows), LONG_THREADS, 0, stream>>>(s, t, out, rows, classes, temperature);
  }
}

std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor student, torch::Tensor teacher, double temperature) {
  student = student.contiguous();
  teacher = teacher.contiguous();
  const int rows = student.size(0);
  const uintptr_t starts =
      reinterpret_cast<uintptr_t>(student.data_ptr()) | reinterpret_cast<uintptr_t>(teacher.data_ptr());
  auto losses = torch::empty({rows}, student.options().dtype(torch::kFloat32));
  auto mean = torch::empty({1}, losses.options());
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, student.scalar_type(), "loss", [&] {
    constexpr int WIDTH = PACK_BYTES / sizeof(scalar_t);
    if (starts % PACK_BYTES == 0 && student.size(1) % WIDTH == 0) {
      launch<scalar_t, WIDTH>(student, teacher, losses, temperature);
    } else {
      launch<scalar_t, 1>(student, teacher, losses, temperature);
    }
  });
  mean_kernel<<<dim3(1), LONG_THREADS, 0, at::hip::getCurrentHIPStream()>>>(losses.data_ptr<float>(),
                                                                            mean.data_ptr<float>(), rows);
  return {losses, mean};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("student"), py::arg("teacher"), py::arg("temperature"));
}
