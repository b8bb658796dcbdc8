// What operations.h says of tensors, with torch itself. Compiled once on a host.
#include <ATen/ATen.h>

#include <operations.h>
#include <tensors.h>

namespace arena_binding {

namespace {

// thin/types.h has these numbers, too.
static_assert(int(at::kByte) == 0 && int(at::kChar) == 1 && int(at::kShort) == 2 && int(at::kInt) == 3);
static_assert(int(at::kLong) == 4 && int(at::kHalf) == 5 && int(at::kFloat) == 6 && int(at::kDouble) == 7);
static_assert(int(at::kBool) == 11 && int(at::kBFloat16) == 15);
static_assert(int(at::kCPU) == 0 && int(at::kCUDA) == 1);
static_assert(int(at::MemoryFormat::Contiguous) == 0 && int(at::MemoryFormat::Preserve) == 1);
static_assert(int(at::MemoryFormat::ChannelsLast) == 2 && int(at::MemoryFormat::ChannelsLast3d) == 3);

c10::TensorImpl& seen(void* tensor) {
  return tensor ? *static_cast<c10::TensorImpl*>(tensor) : *c10::UndefinedTensorImpl::singleton();
}

at::IntArrayRef list(Numbers given) { return {given.data, given.count}; }
Numbers numbers(at::IntArrayRef list) { return {list.data(), list.size()}; }
at::MemoryFormat format_of(int format) { return static_cast<at::MemoryFormat>(format); }

std::optional<at::MemoryFormat> format_of(const Options& options) {
  return options.format == kUnset ? std::nullopt : std::optional(format_of(options.format));
}

at::TensorOptions options_for(const Options& given) {
  at::TensorOptions made;
  if (given.type != kUnset) made = made.dtype(static_cast<at::ScalarType>(given.type));
  if (given.device != kUnset)
    made = made.device(at::Device(static_cast<at::DeviceType>(given.device), static_cast<at::DeviceIndex>(given.index)));
  return given.requires_grad ? made.requires_grad(true) : made;
}

}  // namespace

int64_t dimensions(void* tensor) { return seen(tensor).dim(); }
int64_t elements(void* tensor) { return seen(tensor).numel(); }
int64_t size_of(void* tensor, int64_t dimension) { return seen(tensor).size(dimension); }
int64_t stride_of(void* tensor, int64_t dimension) { return seen(tensor).stride(dimension); }
int64_t offset_of(void* tensor) { return seen(tensor).storage_offset(); }
Numbers sizes_of(void* tensor) { return numbers(seen(tensor).sizes()); }
Numbers strides_of(void* tensor) { return numbers(seen(tensor).strides()); }
bool is_contiguous(void* tensor, int format) { return seen(tensor).is_contiguous(format_of(format)); }
int type_of(void* tensor) { return static_cast<int>(c10::typeMetaToScalarType(seen(tensor).dtype())); }
bool is_on(void* tensor, int device) {
  return static_cast<at::DeviceType>(device) == at::kCUDA ? seen(tensor).is_cuda() : seen(tensor).is_cpu();
}
size_t itemsize_of(void* tensor) { return seen(tensor).itemsize(); }
size_t bytes_of_element(int type) { return c10::elementSize(static_cast<at::ScalarType>(type)); }
bool is_floating(int type) { return at::isFloatingType(static_cast<at::ScalarType>(type)); }
const char* name_of_type(int type) { return c10::toString(static_cast<at::ScalarType>(type)); }

Options options_of(void* tensor) {
  const at::Device device = seen(tensor).device();
  Options made;
  made.type = type_of(tensor);
  made.device = static_cast<int>(device.type()), made.index = device.index();
  return made;
}

void* data_of(void* tensor, int expected_type) {
  if (expected_type == kUnset) return seen(tensor).mutable_data();
  const auto type = static_cast<at::ScalarType>(type_of(tensor));
  TORCH_CHECK(static_cast<int>(type) == expected_type, "expected scalar type ",
              static_cast<at::ScalarType>(expected_type), " but found ", type);
  char* start = seen(tensor).mutable_data_ptr_impl<char>();  // has moved by the offset, taken for bytes
  return start + seen(tensor).storage_offset() * static_cast<int64_t>(itemsize_of(tensor) - 1);
}

Handle empty(Numbers sizes, const Options& options) {
  return handle_of(at::empty(list(sizes), options_for(options), format_of(options)));
}
Handle filled(Numbers sizes, double value, const Options& options) {
  if (value == 0) return handle_of(at::zeros(list(sizes), options_for(options)));
  return handle_of(at::full(list(sizes), value, options_for(options)));
}
Handle empty_like(void* tensor, const Options& options) {
  const at::Tensor like = tensor_of(tensor);
  return handle_of(at::empty_like(like, options_for(options), format_of(options)));
}
Handle filled_like(void* tensor, double value, const Options& options) {
  const at::Tensor like = tensor_of(tensor);
  if (value == 0) return handle_of(at::zeros_like(like, options_for(options), format_of(options)));
  return handle_of(at::full_like(like, value, options_for(options), format_of(options)));
}

Handle contiguous(void* tensor, int format) { return handle_of(tensor_of(tensor).contiguous(format_of(format))); }
Handle clone(void* tensor, int format) {
  const auto kept = format == kUnset ? std::nullopt : std::optional(format_of(format));
  return handle_of(tensor_of(tensor).clone(kept));
}
Handle converted(void* tensor, int type, bool non_blocking, bool copy) {
  return handle_of(tensor_of(tensor).to(static_cast<at::ScalarType>(type), non_blocking, copy));
}
Handle detached(void* tensor) { return handle_of(tensor_of(tensor).detach()); }
Handle viewed(void* tensor, Numbers sizes) { return handle_of(tensor_of(tensor).view(list(sizes))); }
Handle reshaped(void* tensor, Numbers sizes) { return handle_of(tensor_of(tensor).reshape(list(sizes))); }
Handle permuted(void* tensor, Numbers dimensions) { return handle_of(tensor_of(tensor).permute(list(dimensions))); }
Handle expanded(void* tensor, Numbers sizes) { return handle_of(tensor_of(tensor).expand(list(sizes))); }
Handle transposed(void* tensor, int64_t one, int64_t other) {
  return handle_of(tensor_of(tensor).transpose(one, other));
}
Handle selected(void* tensor, int64_t dimension, int64_t index) {
  return handle_of(tensor_of(tensor).select(dimension, index));
}
Handle sliced(void* tensor, int64_t dimension, int64_t start, int64_t end, int64_t step) {
  return handle_of(tensor_of(tensor).slice(dimension, start, end, step));
}
Handle narrowed(void* tensor, int64_t dimension, int64_t start, int64_t length) {
  return handle_of(tensor_of(tensor).narrow(dimension, start, length));
}
Handle unsqueezed(void* tensor, int64_t dimension) { return handle_of(tensor_of(tensor).unsqueeze(dimension)); }
Handle squeezed(void* tensor, int64_t dimension) { return handle_of(tensor_of(tensor).squeeze(dimension)); }
Handle flattened(void* tensor, int64_t first, int64_t last) {
  return handle_of(tensor_of(tensor).flatten(first, last));
}
void copy_into(void* tensor, void* source, bool non_blocking) {
  tensor_of(tensor).copy_(tensor_of(source), non_blocking);
}
void fill_whole(void* tensor, int64_t value) { tensor_of(tensor).fill_(value); }
void fill_real(void* tensor, double value) { tensor_of(tensor).fill_(value); }

void failed(const char* function, const char* file, unsigned line, const std::string& message) {
  throw c10::Error({function, file, line}, message);
}
void not_implemented(const char* function, const char* file, unsigned line, const std::string& message) {
  throw c10::NotImplementedError({function, file, line}, message);
}

}  // namespace arena_binding

arena_binding::Handle at::cat(void* const* tensors, size_t count, int64_t dimension) {
  std::vector<at::Tensor> list;
  for (size_t index = 0; index < count; ++index) list.push_back(arena_binding::tensor_of(tensors[index]));
  return arena_binding::handle_of(at::cat(list, dimension));
}
