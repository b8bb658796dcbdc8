// Seven linear layers with a ReLU between each two: the three wide ones by tiles of 64 by 64, sixteen sums a thread; the four
// narrow ones in one kernel, a block for each row, whose values stay in shared memory.

#include <hip/hip_runtime.h>
#include <ATen/hip/HIPContext.h>
#include <torch/extension.h>

constexpr int TILE = 64;
constexpr int DEPTH = 16;
constexpr int SIDE = 16;           // a block of a wide layer is SIDE by SIDE threads;
constexpr int EACH = TILE / SIDE;  // a thread makes every SIDE-th row and column of the tile, beginning with its own
constexpr int THREADS = 128;

// y = max(x @ weight.T + bias, 0)
__global__ void wide_kernel(const float* __restrict__ x, const float* __restrict__ weight,
                            const float* __restrict__ bias, float* __restrict__ y, int rows, int cols, int depth) {
  __shared__ float x_tile[DEPTH][TILE + 1];
  __shared__ float weight_tile[DEPTH][TILE + 1];
  const int64_t first_row = static_cast<int64_t>(blockIdx.y) * TILE;
  const int64_t first_col = static_cast<int64_t>(blockIdx.x) * TILE;
  const int across = threadIdx.x % SIDE;
  const int down = threadIdx.x / SIDE;
  float sums[EACH][EACH] = {};
  for (int start = 0; start < depth; start += DEPTH) {
    const int k = start + across;  // SIDE is DEPTH
    for (int line = down; line < TILE; line += SIDE) {
      const int64_t row = first_row + line;
      const int64_t col = first_col + line;
      x_tile[across][line] = row < rows && k < depth ? x[row * depth + k] : 0.0f;
      weight_tile[across][line] = col < cols && k < depth ? weight[col * depth + k] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < DEPTH; ++d) {
#pragma unroll
      for (int i = 0; i < EACH; ++i) {
#pragma unroll
        for (int j = 0; j < EACH; ++j) {
          sums[i][j] += x_tile[d][down + SIDE * i] * weight_tile[d][across + SIDE * j];
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < EACH; ++i) {
    for (int j = 0; j < EACH; ++j) {
      const int64_t row = first_row + down + SIDE * i;
      const int64_t col = first_col + across + SIDE * j;
      if (row < rows && col < cols) {
        y[row * cols + col] = fmaxf(sums[i][j] + bias[col], 0.0f);
      }
    }
  }
}

struct Layer {
  const float* weight;
  const float* bias;
  int outputs;
};

// One row of a narrow layer by the whole block: a thread for each output.
__device__ void narrow_layer(const float* from, float* to, Layer layer, int depth, bool relu) {
  for (int col = threadIdx.x; col < layer.outputs; col += THREADS) {
    const float* weight = layer.weight + static_cast<int64_t>(col) * depth;
    float sum = layer.bias[col];
    for (int k = 0; k < depth; ++k) {
      sum += from[k] * weight[k];
    }
    to[col] = relu ? fmaxf(sum, 0.0f) : sum;
  }
  __syncthreads();
}

__global__ void narrow_kernel(const float* __restrict__ x, float* __restrict__ y, int depth, Layer fourth,
                              Layer fifth, Layer sixth, Layer seventh) {
  extern __shared__ float values[];  // a row of each layer in turn
  float* from = values;
  for (int k = threadIdx.x; k < depth; k += THREADS) {
    from[k] = x[static_cast<int64_t>(blockIdx.x) * depth + k];
  }
  __syncthreads();
  float* after_4 = from + depth;
  narrow_layer(from, after_4, fourth, depth, true);
  float* after_5 = after_4 + fourth.outputs;
  narrow_layer(after_4, after_5, fifth, fourth.outputs, true);
  float* after_6 = after_5 + fifth.outputs;
  narrow_layer(after_5, after_6, sixth, fifth.outputs, true);
  narrow_layer(after_6, y + static_cast<int64_t>(blockIdx.x) * seventh.outputs, seventh, sixth.outputs, false);
}

torch::Tensor wide(const torch::Tensor& x, torch::Tensor weight, torch::Tensor bias) {
  weight = weight.contiguous();
  bias = bias.contiguous();
  const int rows = x.size(0);
  const int cols = weight.size(0);
  auto y = torch::empty({rows, cols}, x.options());
  const dim3 blocks((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  wide_kernel<<<blocks, SIDE * SIDE, 0, at::hip::getCurrentHIPStream()>>>(
      x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), rows, cols,
      static_cast<int>(x.size(1)));
  return y;
}

Layer layer_of(const torch::Tensor& weight, const torch::Tensor& bias) {
  return {weight.data_ptr<float>(), bias.data_ptr<float>(), static_cast<int>(weight.size(0))};
}

torch::Tensor forward(torch::Tensor x, torch::Tensor weight_1, torch::Tensor bias_1, torch::Tensor weight_2,
                      torch::Tensor bias_2, torch::Tensor weight_3, torch::Tensor bias_3, torch::Tensor weight_4,
                      torch::Tensor bias_4, torch::Tensor weight_5, torch::Tensor bias_5, torch::Tensor weight_6,
                      torch::Tensor bias_6, torch::Tensor weight_7, torch::Tensor bias_7) {
  auto values = wide(wide(wide(x.contiguous(), weight_1, bias_1), weight_2, bias_2), weight_3, bias_3);
  weight_4 = weight_4.contiguous();
  weight_5 = weight_5.contiguous();
  weight_6 = weight_6.contiguous();
  weight_7 = weight_7.contiguous();
  const int depth = values.size(1);
  const int64_t held = depth + weight_4.size(0) + weight_5.size(0) + weight_6.size(0);
  auto y = torch::empty({x.size(0), weight_7.size(0)}, x.options());
  narrow_kernel<<<dim3(x.size(0)), THREADS, held * sizeof(float), at::hip::getCurrentHIPStream()>>>(
      values.data_ptr<float>(), y.data_ptr<float>(), depth, layer_of(weight_4, bias_4), layer_of(weight_5, bias_5),
      layer_of(weight_6, bias_6), layer_of(weight_7, bias_7));
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("weight_1"), py::arg("bias_1"), py::arg("weight_2"),
        py::arg("bias_2"), py::arg("weight_3"), py::arg("bias_3"), py::arg("weight_4"), py::arg("bias_4"),
        py::arg("weight_5"), py::arg("bias_5"), py::arg("weight_6"), py::arg("bias_6"), py::arg("weight_7"),
        py::arg("bias_7"));
}
