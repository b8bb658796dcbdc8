// Attention between pixels with an ELU, in three kernels: queries, keys and values together; the attention, whose
// weights exist only as a tile in shared memory; the last mixing of channels.
//
// Few pictures of few channels do not fill the device, so blocks share the pixels that are added up, and each leaves a
// part of the sums; the last kernel adds the parts while it reads them.
//
// `prepare` puts the weights of queries, keys and values under one another, so one product makes all three. Between the
// kernels everything is float, pixels next to one another.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

#include <algorithm>

constexpr int THREADS = 256;
constexpr int EACH = 8;        // outputs of a thread in a projection
constexpr int STAGED = 128;    // channels whose weights a projection stages at a time
constexpr int GIVERS = 32;     // pixels i of a tile of weights
constexpr int FEW_KEYS = 32;
constexpr int FEW_CHANNELS = 32;
constexpr int WANTED_BLOCKS = 1024;

// to[o, p] = sum over c of weight[o, c] * from[c, p], plus bias[o]. A thread makes EACH outputs of its pixel. `from`
// may lie in several parts, to be added.
template <typename from_t, typename weight_t, typename to_t>
__global__ void __launch_bounds__(THREADS)
    project_kernel(const from_t* __restrict__ from, const weight_t* __restrict__ weight,
                   const weight_t* __restrict__ bias, to_t* __restrict__ to, int outputs, int channels, int pixels,
                   int64_t from_stride, int parts, int64_t part_stride) {
  __shared__ float staged[EACH][STAGED];
  const int pixel = blockIdx.x * THREADS + threadIdx.x;
  const int first = blockIdx.y * EACH;
  from += blockIdx.z * from_stride;
  to += static_cast<int64_t>(blockIdx.z) * outputs * pixels;

  float sums[EACH] = {};
  for (int start = 0; start < channels; start += STAGED) {
    const int count = min(STAGED, channels - start);
    for (int i = threadIdx.x; i < EACH * STAGED; i += THREADS) {
      const int output = first + i / STAGED;
      const int c = i % STAGED;
      staged[i / STAGED][c] =
          output < outputs && c < count ? static_cast<float>(weight[output * channels + start + c]) : 0.0f;
    }
    __syncthreads();
    if (pixel < pixels) {
#pragma unroll 4
      for (int c = 0; c < count; ++c) {
        const from_t* place = from + static_cast<int64_t>(start + c) * pixels + pixel;
        float value = static_cast<float>(*place);
        for (int part = 1; part < parts; ++part) {
          value += static_cast<float>(place[part * part_stride]);
        }
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
          sums[e] = fmaf(staged[e][c], value, sums[e]);
        }
      }
    }
    __syncthreads();  // the next weights overwrite them
  }
  if (pixel < pixels) {
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
      if (first + e < outputs) {
        to[static_cast<int64_t>(first + e) * pixels + pixel] =
            static_cast<to_t>(sums[e] + static_cast<float>(bias[first + e]));
      }
    }
  }
}

__device__ __forceinline__ float elu(float energy) {
  return energy > 0.0f ? energy : expf(energy) - 1.0f;
}

// gathered[c, j] = sum over i of value[c, i] * elu(query[:, i] . key[:, j]) / pixels. A block makes CHANNELS by TAKERS
// of them, a thread 4 by 4, from `share` of the pixels i. `projected` holds queries, keys and values of one picture,
// one after the other.
template <int KEYS, int TAKERS, int CHANNELS>
__global__ void __launch_bounds__(THREADS)
    attention_kernel(const float* __restrict__ projected, float* __restrict__ gathered, int channels, int keys,
                     int pixels, int share) {
  constexpr int ACROSS = TAKERS / 4;
  constexpr int DOWN = CHANNELS / 4;
  constexpr int ROWS = GIVERS / DOWN;
  static_assert(ACROSS * DOWN == THREADS, "a thread makes 4 by 4");
  alignas(16) __shared__ float key_tile[KEYS][TAKERS];
  alignas(16) __shared__ float query_tile[KEYS][GIVERS];
  alignas(16) __shared__ float value_tile[GIVERS][CHANNELS + 4];
  alignas(16) __shared__ float weight_tile[GIVERS][TAKERS];
  const int channel_blocks = (channels + CHANNELS - 1) / CHANNELS;
  const int part = blockIdx.y / channel_blocks;
  const int first_taker = blockIdx.x * TAKERS;
  const int first_channel = (blockIdx.y % channel_blocks) * CHANNELS;
  const int end = min(pixels, (part + 1) * share);
  const float* query = projected + static_cast<int64_t>(blockIdx.z) * (2 * keys + channels) * pixels;
  const float* key = query + static_cast<int64_t>(keys) * pixels;
  const float* value = key + static_cast<int64_t>(keys) * pixels;
  gathered += (static_cast<int64_t>(part) * gridDim.z + blockIdx.z) * channels * pixels;
  const int across = threadIdx.x % ACROSS;
  const int down = threadIdx.x / ACROSS;

  for (int i = threadIdx.x; i < keys * TAKERS; i += THREADS) {
    const int j = first_taker + i % TAKERS;
    key_tile[i / TAKERS][i % TAKERS] = j < pixels ? key[static_cast<int64_t>(i / TAKERS) * pixels + j] : 0.0f;
  }

  float sums[4][4] = {};
  for (int start = part * share; start < end; start += GIVERS) {
    for (int i = threadIdx.x; i < keys * GIVERS; i += THREADS) {
      const int giver = start + i % GIVERS;
      query_tile[i / GIVERS][i % GIVERS] =
          giver < end ? query[static_cast<int64_t>(i / GIVERS) * pixels + giver] : 0.0f;
    }
#pragma unroll
    for (int i = threadIdx.x; i < CHANNELS * GIVERS; i += THREADS) {
      const int giver = start + i % GIVERS;
      const int channel = first_channel + i / GIVERS;
      value_tile[i % GIVERS][i / GIVERS] =
          giver < end && channel < channels ? value[static_cast<int64_t>(channel) * pixels + giver] : 0.0f;
    }
    __syncthreads();

    float energy[ROWS][4] = {};
    for (int d = 0; d < keys; ++d) {
      const float4 right = *reinterpret_cast<const float4*>(&key_tile[d][4 * across]);
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
        const float left = query_tile[d][down + DOWN * r];
        energy[r][0] = fmaf(left, right.x, energy[r][0]);
        energy[r][1] = fmaf(left, right.y, energy[r][1]);
        energy[r][2] = fmaf(left, right.z, energy[r][2]);
        energy[r][3] = fmaf(left, right.w, energy[r][3]);
      }
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const float4 weights{elu(energy[r][0]), elu(energy[r][1]), elu(energy[r][2]), elu(energy[r][3])};
      *reinterpret_cast<float4*>(&weight_tile[down + DOWN * r][4 * across]) = weights;
    }
    __syncthreads();

#pragma unroll 8
    for (int g = 0; g < GIVERS; ++g) {  // beyond the share's last pixel the values are zero
      float left[4];
      float right[4];
      *reinterpret_cast<float4*>(left) = *reinterpret_cast<const float4*>(&value_tile[g][4 * down]);
      *reinterpret_cast<float4*>(right) = *reinterpret_cast<const float4*>(&weight_tile[g][4 * across]);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          sums[i][j] = fmaf(left[i], right[j], sums[i][j]);
        }
      }
    }
    __syncthreads();  // the next tiles overwrite these
  }

  const float scale = 1.0f / pixels;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int channel = first_channel + 4 * down + i;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int taker = first_taker + 4 * across + j;
      if (channel < channels && taker < pixels) {
        gathered[static_cast<int64_t>(channel) * pixels + taker] = sums[i][j] * scale;
      }
    }
  }
}

// from: parts, pictures, channels, pixels.
template <typename from_t, typename weight_t, typename to_t>
void project(const torch::Tensor& from, const torch::Tensor& weight, const torch::Tensor& bias, torch::Tensor& to) {
  const int pixels = from.size(3);
  const int outputs = weight.size(0);
  const dim3 blocks((pixels + THREADS - 1) / THREADS, (outputs + EACH - 1) / EACH, from.size(1));
  project_kernel<from_t, weight_t, to_t><<<blocks, THREADS, 0, at::hip::getCurrentHIPStream()>>>(
      from.data_ptr<from_t>(), weight.data_ptr<weight_t>(), bias.data_ptr<weight_t>(), to.data_ptr<to_t>(), outputs,
      static_cast<int>(weight.size(1)), pixels, from.stride(1), static_cast<int>(from.size(0)), from.stride(0));
}

// Sums of all pixels, in as many parts as it takes to fill the device.
template <int KEYS, int TAKERS, int CHANNELS>
torch::Tensor gather(const torch::Tensor& projected, int channels, int keys) {
  const int batch = projected.size(0);
  const int pixels = projected.size(2);
  const int across = (pixels + TAKERS - 1) / TAKERS;
  const int down = (channels + CHANNELS - 1) / CHANNELS;
  const int wanted = (WANTED_BLOCKS + across * down * batch - 1) / (across * down * batch);
  const int most = std::max(1, pixels / GIVERS);
  const int each = (pixels + std::min(wanted, most) - 1) / std::min(wanted, most);
  const int share = (each + GIVERS - 1) / GIVERS * GIVERS;
  const int parts = (pixels + share - 1) / share;
  auto gathered = torch::empty({parts, batch, channels, pixels}, projected.options());
  attention_kernel<KEYS, TAKERS, CHANNELS>
      <<<dim3(across, down * parts, batch), THREADS, 0, at::hip::getCurrentHIPStream()>>>(
          projected.data_ptr<float>(), gathered.data_ptr<float>(), channels, keys, pixels, share);
  return gathered;
}

template <typename scalar_t>
void attend(const torch::Tensor& x, const std::vector<torch::Tensor>& state, torch::Tensor& y) {
  const int batch = x.size(0);
  const int channels = x.size(1);
  const int pixels = x.size(2);
  const int rows = state[0].size(0);
  auto projected = torch::empty({batch, rows, pixels}, x.options().dtype(torch::kFloat32));
  project<scalar_t, scalar_t, float>(x.unsqueeze(0), state[0], state[1], projected);
  const int keys = (rows - channels) / 2;
  const bool is_narrow = channels <= FEW_CHANNELS && keys <= FEW_KEYS;
  const auto gathered = is_narrow ? gather<FEW_KEYS, 128, FEW_CHANNELS>(projected, channels, keys)
                                  : gather<64, 64, 64>(projected, channels, keys);
  project<float, scalar_t, scalar_t>(gathered, state[2], state[3], y);
}

// The state: weights of queries, keys and values under one another, their biases, then the last weight and bias.
std::vector<torch::Tensor> prepare(torch::Tensor query_weight, torch::Tensor query_bias, torch::Tensor key_weight,
                                   torch::Tensor key_bias, torch::Tensor value_weight, torch::Tensor value_bias,
                                   torch::Tensor gamma_weight, torch::Tensor gamma_bias) {
  return {torch::cat({query_weight, key_weight, value_weight}), torch::cat({query_bias, key_bias, value_bias}),
          gamma_weight.contiguous(), gamma_bias.contiguous()};
}

torch::Tensor forward(torch::Tensor x, std::vector<torch::Tensor> state) {
  x = x.contiguous();
  auto y = torch::empty_like(x);
  const auto pixels = x.view({x.size(0), x.size(1), x.size(2) * x.size(3)});
  auto mixed = y.view(pixels.sizes());
  if (x.scalar_type() == torch::kFloat32) {
    attend<float>(pixels, state, mixed);
  } else {
    attend<at::Half>(pixels, state, mixed);
  }
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("prepare", &prepare, py::arg("query_weight"), py::arg("query_bias"), py::arg("key_weight"),
        py::arg("key_bias"), py::arg("value_weight"), py::arg("value_bias"), py::arg("gamma_weight"),
        py::arg("gamma_bias"));
  m.def("forward", &forward, py::arg("x"), py::arg("state"));
}
