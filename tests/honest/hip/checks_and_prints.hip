// Checks every call, prints in the kernel and on the host, keeps a workspace.
#include <cstdio>
#include <hip/hip_runtime.h>
#include <torch/extension.h>

#define CHECK(call) \
  do { \
    hipError_t error = (call); \
    TORCH_CHECK(error == hipSuccess, "HIP: ", hipGetErrorString(error)); \
  } while (0)

__global__ void double_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) printf("n = %d\n", n);
  if (i < n) y[i] = 2.0f * x[i];
}

torch::Tensor forward(torch::Tensor x) {
  static torch::Tensor workspace;
  if (!workspace.defined() || workspace.numel() < x.numel()) workspace = torch::empty_like(x);
  const int n = x.numel();
  std::printf("doubling %d\n", n);
  double_kernel<<<(n + 127) / 128, 128>>>(x.data_ptr<float>(), workspace.data_ptr<float>(), n);
  CHECK(hipGetLastError());
  CHECK(hipDeviceSynchronize());
  return workspace.narrow(0, 0, n).clone();
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, py::arg("x")); }
