// An extension with nothing special. What it uses, any source may use: the names are read from it when a toolchain is
// prepared, so that another version of torch, pybind11 or Python changes them by itself.
// With ARENA_HOST_ALONE it is plain C++, for what torch's headers leave open: g++ reads them much faster than nvcc.
#ifndef ARENA_HOST_ALONE
#include <ATen/hip/HIPContext.h>
#include <hip/hip_runtime.h>
#endif
#include <torch/extension.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#ifdef ARENA_HOST_ALONE
template <typename scalar_t>
void copy(const scalar_t* x, scalar_t* y, int64_t n) {
  if (n > 0) y[n - 1] = x[0];
}
#else
__constant__ float added[2] = {0.0f, 1.0f};

template <typename scalar_t>
__global__ void copy_kernel(const scalar_t* x, scalar_t* y, int64_t n) {
  extern __shared__ float shared[];
  const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  shared[threadIdx.x] = i < n ? float(x[i]) : 0.0f;
  __syncthreads();
  if (i < n) y[i] = scalar_t(__shfl_xor(shared[threadIdx.x], 1) + float(__ballot(i < n)) + added[i % 2]);
}

template <typename scalar_t>
void copy(const scalar_t* x, scalar_t* y, int64_t n) {
  copy_kernel<scalar_t><<<dim3((n + 255) / 256), 256, 1024, at::hip::getCurrentHIPStream()>>>(x, y, n);
  TORCH_CHECK(hipGetLastError() == hipSuccess, hipGetErrorString(hipPeekAtLastError()));
}
#endif

std::tuple<torch::Tensor, std::vector<torch::Tensor>> forward(torch::Tensor x, std::optional<torch::Tensor> bias,
                                                              double scale, int64_t count, bool flag, std::string mode,
                                                              int small, float single,
                                                              std::vector<torch::Tensor> more) {
  TORCH_CHECK(x.dim() == 2 && x.scalar_type() != torch::kInt64, "two dimensions are needed: ", x.dim(), scale, mode);
  x = x.contiguous();
  auto y = torch::empty({x.size(0), x.size(1)}, x.options().dtype(torch::kFloat32));
  auto z = torch::empty_like(x);
  const int64_t n = x.numel();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "forward", [&] {
    copy(x.data_ptr<scalar_t>(), z.data_ptr<scalar_t>(), n);
  });
  if (bias) z = bias.value().slice(0, 0, flag ? count : small)[0].narrow(0, 0, 1).select(0, int64_t(single));
  return {y, {z, y.view({-1}), more.at(0)}};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.doc() = "an extension with nothing special";
  m.def("forward", &forward, "what it does", py::arg("x"), py::arg("bias") = py::none(), py::arg("scale") = 1.0,
        py::arg("count") = 1, py::arg("flag") = false, py::arg("mode") = "sum", py::arg("small") = 1,
        py::arg("single") = 1.0f, py::arg("more") = std::vector<torch::Tensor>());
}
