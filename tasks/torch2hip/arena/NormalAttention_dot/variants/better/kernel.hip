// Attention between pixels with an ELU: weights as tiles of 16 by 16 in shared memory, used for 64 channels.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;

// to[o, p] = sum over c of weight[o, c] * from[c, p], plus bias[o]
template <typename from_t, typename weight_t, typename to_t>
__global__ void project_kernel(const from_t* __restrict__ from, const weight_t* __restrict__ weight,
                               const weight_t* __restrict__ bias, to_t* __restrict__ to, int outputs, int channels,
                               int pixels) {
  const int pixel = blockIdx.x * THREADS + threadIdx.x;
  const int output = blockIdx.y;
  if (pixel >= pixels) {
    return;
  }
  from += static_cast<int64_t>(blockIdx.z) * channels * pixels;
  float sum = static_cast<float>(bias[output]);
  for (int c = 0; c < channels; ++c) {
    sum += static_cast<float>(weight[output * channels + c]) *
           static_cast<float>(from[static_cast<int64_t>(c) * pixels + pixel]);
  }
  to[(static_cast<int64_t>(blockIdx.z) * outputs + output) * pixels + pixel] = static_cast<to_t>(sum);
}

constexpr int TILE = 16;      // pixels i and j of a tile
constexpr int CHANNELS = 64;  // a block makes so many of TILE pixels j, a thread four

__global__ void attention_kernel(const float* __restrict__ query, const float* __restrict__ key,
                                 const float* __restrict__ value, float* __restrict__ gathered, int channels, int keys,
                                 int pixels) {
  __shared__ float weight_tile[TILE][TILE];
  __shared__ float value_tile[CHANNELS][TILE + 1];
  query += static_cast<int64_t>(blockIdx.z) * keys * pixels;
  key += static_cast<int64_t>(blockIdx.z) * keys * pixels;
  value += static_cast<int64_t>(blockIdx.z) * channels * pixels;
  gathered += static_cast<int64_t>(blockIdx.z) * channels * pixels;
  const int across = threadIdx.x % TILE;
  const int down = threadIdx.x / TILE;
  const int j = blockIdx.x * TILE + across;
  const int first_channel = blockIdx.y * CHANNELS;
  float sums[CHANNELS / TILE] = {};
  for (int start = 0; start < pixels; start += TILE) {
    const int i = start + down;
    float energy = 0.0f;
    if (i < pixels && j < pixels) {
      for (int d = 0; d < keys; ++d) {
        energy += query[static_cast<int64_t>(d) * pixels + i] * key[static_cast<int64_t>(d) * pixels + j];
      }
    }
    weight_tile[down][across] = energy > 0.0f ? energy : expm1f(energy);
#pragma unroll
    for (int line = down; line < CHANNELS; line += TILE) {
      const int channel = first_channel + line;
      const int giver = start + across;
      value_tile[line][across] =
          channel < channels && giver < pixels ? value[static_cast<int64_t>(channel) * pixels + giver] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int g = 0; g < TILE; ++g) {
#pragma unroll
      for (int s = 0; s < CHANNELS / TILE; ++s) {
        sums[s] += value_tile[down + TILE * s][g] * weight_tile[g][across];
      }
    }
    __syncthreads();
  }
  for (int s = 0; s < CHANNELS / TILE; ++s) {
    const int channel = first_channel + down + TILE * s;
    if (channel < channels && j < pixels) {
      gathered[static_cast<int64_t>(channel) * pixels + j] = sums[s] / pixels;
    }
  }
}

void attend(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value, torch::Tensor& gathered) {
  const int pixels = query.size(2);
  const int channels = value.size(1);
  const dim3 blocks((pixels + TILE - 1) / TILE, (channels + CHANNELS - 1) / CHANNELS, query.size(0));
  attention_kernel<<<blocks, THREADS, 0, at::hip::getCurrentHIPStream()>>>(
      query.data_ptr<float>(), key.data_ptr<float>(), value.data_ptr<float>(), gathered.data_ptr<float>(), channels,
      static_cast<int>(query.size(1)), pixels);
}

template <typename from_t, typename weight_t, typename to_t>
void project(const torch::Tensor& from, const torch::Tensor& weight, const torch::Tensor& bias, torch::Tensor& to) {
  const int pixels = from.size(2);
  const int outputs = weight.size(0);
  const dim3 blocks((pixels + THREADS - 1) / THREADS, outputs, from.size(0));
  project_kernel<from_t, weight_t, to_t><<<blocks, THREADS, 0, at::hip::getCurrentHIPStream()>>>(
      from.data_ptr<from_t>(), weight.data_ptr<weight_t>(), bias.data_ptr<weight_t>(), to.data_ptr<to_t>(), outputs,
      static_cast<int>(weight.size(1)), pixels);
}

torch::Tensor forward(torch::Tensor x, torch::Tensor query_weight, torch::Tensor query_bias, torch::Tensor key_weight,
                      torch::Tensor key_bias, torch::Tensor value_weight, torch::Tensor value_bias,
                      torch::Tensor gamma_weight, torch::Tensor gamma_bias) {
  x = x.contiguous();
  const int batch = x.size(0);
  const int channels = x.size(1);
  const int pixels = x.size(2) * x.size(3);
  const int keys = query_weight.size(0);
  const auto options = x.options().dtype(torch::kFloat32);
  auto query = torch::empty({batch, keys, pixels}, options);
  auto key = torch::empty({batch, keys, pixels}, options);
  auto value = torch::empty({batch, channels, pixels}, options);
  auto gathered = torch::empty({batch, channels, pixels}, options);
  auto y = torch::empty_like(x);
  const auto from = x.view({batch, channels, pixels});
  auto to = y.view({batch, channels, pixels});
  AT_DISPATCH_FLOATING_TYPES_AND(at::ScalarType::Half, x.scalar_type(), "attention", [&] {
    project<scalar_t, scalar_t, float>(from, query_weight, query_bias, query);
    project<scalar_t, scalar_t, float>(from, key_weight, key_bias, key);
    project<scalar_t, scalar_t, float>(from, value_weight, value_bias, value);
    attend(query, key, value, gathered);
    project<float, scalar_t, scalar_t>(gathered, gamma_weight, gamma_bias, to);
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("query_weight"), py::arg("query_bias"), py::arg("key_weight"),
        py::arg("key_bias"), py::arg("value_weight"), py::arg("value_bias"), py::arg("gamma_weight"),
        py::arg("gamma_bias"));
}
