// What a source may do with tensors where it is compiled without torch's headers (hip/gpu/thin).
#include <torch/extension.h>

#include <limits>
#include <vector>

static_assert(std::is_same_v<torch::Dtype, at::ScalarType>);
static_assert(std::is_same_v<decltype(at::Tensor().get_device()), int8_t>);
static_assert(std::is_same_v<decltype(at::Tensor().element_size()), int64_t>);

std::vector<int64_t> facts(const torch::Tensor& x) {
  return {x.dim(), x.numel(), x.size(-1), x.stride(0), x.storage_offset(), x.is_contiguous(), int64_t(x.itemsize()),
          int64_t(x.nbytes()), x.is_cuda(), x.device().is_cpu(), x.dtype() == torch::kFloat32, x.is_floating_point(),
          x.sizes() == x.strides(), x.get_device()};
}

std::vector<int64_t> undefined_facts() {
  const torch::Tensor x;
  return {x.defined(),         x.dim(),     x.numel(),  x.size(-1), x.storage_offset(), x.sizes().back(),
          x.is_contiguous(),   x.is_cuda(), x.is_cpu(), x.is_floating_point(), x.contiguous().defined(),
          x.is_same(torch::Tensor())};
}

// Of whole numbers: as doubles the first is refused and the second changes.
std::vector<torch::Tensor> whole() {
  const int64_t largest = std::numeric_limits<int64_t>::max();
  return {torch::empty({1}, at::kByte).fill_(-1), torch::empty({1}, at::kLong).fill_(largest)};
}

std::vector<torch::Tensor> views(torch::Tensor x) {  // of 2 × 3 × 4
  return {x.view({6, 4}),       x.reshape({-1}),      x.permute({2, 0, 1}),   x.transpose(0, 1).contiguous(),
          x.select(1, 2),       x[1],                 x.slice(2, 1, 4, 2),    x.narrow(1, 1, 2),
          x.unsqueeze(0),       x[0].unsqueeze(1).squeeze(1), x.flatten(1),   x.unsqueeze(0).expand({5, 2, 3, 4}),
          x.to(torch::kFloat64), x.detach().clone(),  x.reshape_as(x.view({4, 6}))};
}

std::vector<torch::Tensor> made(torch::Tensor x, std::optional<torch::Tensor> from) {
  auto copied = torch::empty_like(x, x.options().dtype(at::kDouble));
  copied.copy_(from.has_value() ? *from : x);
  auto filled = torch::empty({2, x.size(0)}, torch::dtype(torch::kInt64).device(x.device()));
  filled.fill_(7);
  return {copied, filled, torch::zeros({3}, torch::kFloat16), torch::ones(x.sizes(), x.options()), torch::zeros_like(x)};
}

double first(torch::Tensor x) {
  TORCH_CHECK(x.dim() == 1 && x.numel() > 0, "one dimension is needed, not ", x.dim(), " of ", x.sizes());
  double value = 0;
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "first",
                                  [&] { value = double(x.data_ptr<scalar_t>()[0]); });
  return value;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("facts", &facts);
  m.def("undefined_facts", &undefined_facts);
  m.def("undefined_device", [] { return int64_t(at::Tensor().get_device()); });
  m.def("end", [](torch::Tensor x) { return int64_t(x.data_ptr<float>()); });
  m.def("whole", &whole);
  m.def("views", &views);
  m.def("made", &made, py::arg("x"), py::arg("from") = py::none());
  m.def("first", &first);
  m.def("float_of", [](torch::Tensor x) { return int64_t(x.data_ptr<float>() != nullptr); });
}
