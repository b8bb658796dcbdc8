// Pointers within a structure, in a table on the device and to a variable there; one to the host that no kernel reads.
// backend: cpu
#include <hip/hip_runtime.h>
#include <torch/extension.h>

__device__ float factor = 2.0f;

struct Work {
  const float* const* table;
  const float* factor;
  const char* name;
  int count;
};

__global__ void double_kernel(Work work, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < work.count) y[i] = *work.factor * work.table[i % 2][i];
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  auto table = torch::empty({2}, x.options().dtype(torch::kInt64));
  table.fill_(reinterpret_cast<int64_t>(x.data_ptr<float>()));
  float* address = nullptr;
  TORCH_CHECK(hipGetSymbolAddress(reinterpret_cast<void**>(&address), HIP_SYMBOL(factor)) == hipSuccess);
  const int n = x.numel();
  const Work work{reinterpret_cast<const float* const*>(table.data_ptr<int64_t>()), address, "twice", n};
  double_kernel<<<(n + 127) / 128, 128>>>(work, y.data_ptr<float>());
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, py::arg("x")); }
