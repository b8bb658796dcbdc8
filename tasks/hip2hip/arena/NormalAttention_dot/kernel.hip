// Attention between pixels with an ELU: a thread for every output of the linear layers; between them blocks of 32
// channels by 32 pixels, whose weights exist only as a tile in shared memory.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 256;  // of a linear layer's block
constexpr int MOST_KEYS = 64;
constexpr int TILE = 32;
constexpr int LINES = 8;  // an attention block is TILE by LINES threads; each makes TILE / LINES channels of its pixel

// to[o, p] = sum over c of weight[o, c] * from[c, p], plus bias[o]. Blocks are numbered by pixels, outputs and batch.
template <typename from_t, typename weight_t, typename to_t>
__global__ void project_kernel(const from_t* __restrict__ from, const weight_t* __restrict__ weight,
                               const weight_t* __restrict__ bias, to_t* __restrict__ to, int channels, int pixels) {
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
  to[(static_cast<int64_t>(blockIdx.z) * gridDim.y + output) * pixels + pixel] = static_cast<to_t>(sum);
}

// gathered[c, j] = sum over i of value[c, i] * elu(query[:, i] . key[:, j]) / pixels. Blocks are numbered by pixels j,
// channels and batch. Beyond the last pixel i the values are zero.
__global__ void attention_kernel(const float* __restrict__ query, const float* __restrict__ key,
                                 const float* __restrict__ value, float* __restrict__ gathered, int channels, int keys,
                                 int pixels) {
  __shared__ float key_tile[MOST_KEYS][TILE];
  __shared__ float query_tile[MOST_KEYS][TILE];
  __shared__ float value_tile[TILE][TILE + 1];
  __shared__ float weights[TILE][TILE];  // of pixels i, for pixels j
  const int first_j = blockIdx.x * TILE;
  const int first_channel = blockIdx.y * TILE;
  query += static_cast<int64_t>(blockIdx.z) * keys * pixels;
  key += static_cast<int64_t>(blockIdx.z) * keys * pixels;
  value += static_cast<int64_t>(blockIdx.z) * channels * pixels;
  gathered += static_cast<int64_t>(blockIdx.z) * channels * pixels;
  const int j = first_j + threadIdx.x;
  for (int d = threadIdx.y; d < keys; d += LINES) {
    key_tile[d][threadIdx.x] = j < pixels ? key[static_cast<int64_t>(d) * pixels + j] : 0.0f;
  }

  float sums[TILE / LINES] = {};
  for (int start = 0; start < pixels; start += TILE) {
    const int i = start + threadIdx.x;
    for (int d = threadIdx.y; d < keys; d += LINES) {
      query_tile[d][threadIdx.x] = i < pixels ? query[static_cast<int64_t>(d) * pixels + i] : 0.0f;
    }
    for (int line = threadIdx.y; line < TILE; line += LINES) {
      const int channel = first_channel + line;
      value_tile[line][threadIdx.x] =
          i < pixels && channel < channels ? value[static_cast<int64_t>(channel) * pixels + i] : 0.0f;
    }
    __syncthreads();
    for (int line = threadIdx.y; line < TILE; line += LINES) {
      float energy = 0.0f;
      for (int d = 0; d < keys; ++d) {
        energy += query_tile[d][line] * key_tile[d][threadIdx.x];
      }
      weights[line][threadIdx.x] = energy > 0.0f ? energy : expm1f(energy);
    }
    __syncthreads();
    for (int g = 0; g < TILE; ++g) {
      const float weight = weights[g][threadIdx.x];
      for (int s = 0; s < TILE / LINES; ++s) {
        sums[s] += value_tile[threadIdx.y + s * LINES][g] * weight;
      }
    }
    __syncthreads();
  }

  for (int s = 0; s < TILE / LINES; ++s) {
    const int channel = first_channel + threadIdx.y + s * LINES;
    if (channel < channels && j < pixels) {
      gathered[static_cast<int64_t>(channel) * pixels + j] = sums[s] / pixels;
    }
  }
}

template <typename from_t, typename weight_t, typename to_t>
void project(const torch::Tensor& from, const torch::Tensor& weight, const torch::Tensor& bias, torch::Tensor& to) {
  const int pixels = from.size(2);
  const dim3 blocks((pixels + THREADS - 1) / THREADS, weight.size(0), from.size(0));
  project_kernel<from_t, weight_t, to_t><<<blocks, THREADS, 0, at::hip::getCurrentHIPStream()>>>(
      from.data_ptr<from_t>(), weight.data_ptr<weight_t>(), bias.data_ptr<weight_t>(), to.data_ptr<to_t>(),
      static_cast<int>(weight.size(1)), pixels);
}

void attend(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value, torch::Tensor& gathered) {
  const int pixels = query.size(2);
  const int channels = value.size(1);
  const dim3 blocks((pixels + TILE - 1) / TILE, (channels + TILE - 1) / TILE, query.size(0));
  attention_kernel<<<blocks, dim3(TILE, LINES), 0, at::hip::getCurrentHIPStream()>>>(
      query.data_ptr<float>(), key.data_ptr<float>(), value.data_ptr<float>(), gathered.data_ptr<float>(), channels,
      static_cast<int>(query.size(1)), pixels);
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
    project<scalar_t, scalar_t, float>(from, query_weight.contiguous(), query_bias, query);
    project<scalar_t, scalar_t, float>(from, key_weight.contiguous(), key_bias, key);
    project<scalar_t, scalar_t, float>(from, value_weight.contiguous(), value_bias, value);
    attend(query, key, value, gathered);
    project<float, scalar_t, scalar_t>(gathered, gamma_weight.contiguous(), gamma_bias, to);
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("query_weight"), py::arg("query_bias"), py::arg("key_weight"),
        py::arg("key_bias"), py::arg("value_weight"), py::arg("value_bias"), py::arg("gamma_weight"),
        py::arg("gamma_bias"));
}
