// Attention between pixels, normalised over those that take: a thread for every pixel that gives finds by what its
// shares are divided, then a block of 64 threads for every pixel that takes adds up values, by shares in shared memory.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int THREADS = 64;
constexpr int MOST_KEYS = 64;
constexpr int TAKERS = 16;  // whose keys are in shared memory together

// to[o, p] = sum over c of weight[o, c] * from[c, p], plus bias[o] if given
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
  float sum = bias == nullptr ? 0.0f : static_cast<float>(bias[output]);
  for (int c = 0; c < channels; ++c) {
    sum += static_cast<float>(weight[output * channels + c]) *
           static_cast<float>(from[static_cast<int64_t>(c) * pixels + pixel]);
  }
  to[(static_cast<int64_t>(blockIdx.z) * outputs + output) * pixels + pixel] = static_cast<to_t>(sum);
}

// The largest product of pixel i with a key, and the sum over all of exp(product - largest). Keys pass in tiles.
__global__ void statistics_kernel(const float* __restrict__ query, const float* __restrict__ key,
                                  float* __restrict__ largest, float* __restrict__ sums, int keys, int pixels) {
  __shared__ float key_tile[MOST_KEYS][TAKERS];
  query += static_cast<int64_t>(blockIdx.y) * keys * pixels;
  key += static_cast<int64_t>(blockIdx.y) * keys * pixels;
  const int i = blockIdx.x * THREADS + threadIdx.x;
  float highest = -INFINITY;
  float sum = 0.0f;
  for (int start = 0; start < pixels; start += TAKERS) {
    for (int e = threadIdx.x; e < keys * TAKERS; e += THREADS) {
      const int j = start + e % TAKERS;
      key_tile[e / TAKERS][e % TAKERS] = j < pixels ? key[static_cast<int64_t>(e / TAKERS) * pixels + j] : 0.0f;
    }
    __syncthreads();
    float products[TAKERS] = {};
    for (int d = 0; d < keys && i < pixels; ++d) {
      const float own = query[static_cast<int64_t>(d) * pixels + i];
      for (int t = 0; t < TAKERS; ++t) {
        products[t] += own * key_tile[d][t];
      }
    }
    const float before = highest;
    for (int t = 0; t < TAKERS && start + t < pixels; ++t) {
      highest = fmaxf(highest, products[t]);
    }
    sum *= expf(before - highest);
    for (int t = 0; t < TAKERS && start + t < pixels; ++t) {
      sum += expf(products[t] - highest);
    }
    __syncthreads();  // the next keys overwrite these
  }
  if (i < pixels) {
    largest[static_cast<int64_t>(blockIdx.y) * pixels + i] = highest;
    sums[static_cast<int64_t>(blockIdx.y) * pixels + i] = sum;
  }
}

// A block makes all channels of pixel j: shares of a block's worth of pixels i at a time, then their sums.
__global__ void attention_kernel(const float* __restrict__ query, const float* __restrict__ key,
                                 const float* __restrict__ value, const float* __restrict__ largest,
                                 const float* __restrict__ sums, float* __restrict__ gathered, int channels, int keys,
                                 int pixels) {
  __shared__ float shares[THREADS];
  const int j = blockIdx.x;
  query += static_cast<int64_t>(blockIdx.y) * keys * pixels;
  key += static_cast<int64_t>(blockIdx.y) * keys * pixels;
  value += static_cast<int64_t>(blockIdx.y) * channels * pixels;
  largest += static_cast<int64_t>(blockIdx.y) * pixels;
  sums += static_cast<int64_t>(blockIdx.y) * pixels;
  gathered += static_cast<int64_t>(blockIdx.y) * channels * pixels;
  for (int first = 0; first < channels; first += THREADS) {
    const int channel = first + threadIdx.x;
    float sum = 0.0f;
    for (int start = 0; start < pixels; start += THREADS) {
      const int i = start + threadIdx.x;
      float product = 0.0f;
      for (int d = 0; d < keys && i < pixels; ++d) {
        product += query[static_cast<int64_t>(d) * pixels + i] * key[static_cast<int64_t>(d) * pixels + j];
      }
      shares[threadIdx.x] = i < pixels ? expf(product - largest[i]) / sums[i] : 0.0f;
      __syncthreads();
      for (int g = 0; g < min(THREADS, pixels - start) && channel < channels; ++g) {
        sum += value[static_cast<int64_t>(channel) * pixels + start + g] * shares[g];
      }
      __syncthreads();
    }
    if (channel < channels) {
      gathered[static_cast<int64_t>(channel) * pixels + j] = sum;
    }
  }
}

void attend(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value, torch::Tensor& gathered) {
  const int batch = query.size(0);
  const int keys = query.size(1);
  const int pixels = query.size(2);
  const auto stream = at::hip::getCurrentHIPStream();
  auto largest = torch::empty({batch, pixels}, query.options());
  auto sums = torch::empty({batch, pixels}, query.options());
  statistics_kernel<<<dim3((pixels + THREADS - 1) / THREADS, batch), THREADS, 0, stream>>>(
      query.data_ptr<float>(), key.data_ptr<float>(), largest.data_ptr<float>(), sums.data_ptr<float>(), keys, pixels);
  attention_kernel<<<dim3(pixels, batch), THREADS, 0, stream>>>(
      query.data_ptr<float>(), key.data_ptr<float>(), value.data_ptr<float>(), largest.data_ptr<float>(),
      sums.data_ptr<float>(), gathered.data_ptr<float>(), static_cast<int>(value.size(1)), keys, pixels);
}

template <typename from_t, typename weight_t, typename to_t>
void project(const torch::Tensor& from, const torch::Tensor& weight, const std::optional<torch::Tensor>& bias,
             torch::Tensor& to) {
  const int pixels = from.size(2);
  const int outputs = weight.size(0);
  const dim3 blocks((pixels + THREADS - 1) / THREADS, outputs, from.size(0));
  project_kernel<from_t, weight_t, to_t><<<blocks, THREADS, 0, at::hip::getCurrentHIPStream()>>>(
      from.data_ptr<from_t>(), weight.data_ptr<weight_t>(), bias ? bias->data_ptr<weight_t>() : nullptr,
      to.data_ptr<to_t>(), outputs, static_cast<int>(weight.size(1)), pixels);
}

torch::Tensor forward(torch::Tensor x, torch::Tensor query_weight, torch::Tensor query_bias, torch::Tensor key_weight,
                      torch::Tensor value_weight, torch::Tensor value_bias, torch::Tensor gamma_weight,
                      torch::Tensor gamma_bias) {
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
    project<scalar_t, scalar_t, float>(from, key_weight, std::nullopt, key);
    project<scalar_t, scalar_t, float>(from, value_weight, value_bias, value);
    attend(query, key, value, gathered);
    project<float, scalar_t, scalar_t>(gathered, gamma_weight, gamma_bias, to);
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("query_weight"), py::arg("query_bias"), py::arg("key_weight"),
        py::arg("value_weight"), py::arg("value_bias"), py::arg("gamma_weight"), py::arg("gamma_bias"));
}
