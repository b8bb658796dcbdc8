// The tensor class and the functions that make tensors: what a launch of a kernel needs. A source that uses more of torch
// does not compile with it, and is compiled with torch's own headers.
#pragma once
#include <types.h>

namespace at {
using namespace c10;
inline namespace arena_thin {

class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(arena_binding::Handle handle) : handle_(std::move(handle)) {}
  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) = default;
  Tensor& operator=(const Tensor&) & = default;  // to a temporary, as in `x[0] = y`, torch's copies into it
  Tensor& operator=(Tensor&&) & = default;

  bool defined() const { return raw() != nullptr; }
  bool is_same(const Tensor& other) const { return raw() == other.raw(); }
  int64_t dim() const { return arena_binding::dimensions(raw()); }
  int64_t ndimension() const { return dim(); }
  int64_t numel() const { return arena_binding::elements(raw()); }
  int64_t size(int64_t dimension) const { return arena_binding::size_of(raw(), dimension); }
  int64_t stride(int64_t dimension) const { return arena_binding::stride_of(raw(), dimension); }
  int64_t storage_offset() const { return arena_binding::offset_of(raw()); }
  IntArrayRef sizes() const { return list(arena_binding::sizes_of(raw())); }
  IntArrayRef strides() const { return list(arena_binding::strides_of(raw())); }
  ScalarType scalar_type() const { return ScalarType(arena_binding::type_of(raw())); }
  TypeMeta dtype() const { return {scalar_type()}; }
  int64_t element_size() const { return int64_t(itemsize()); }
  size_t itemsize() const { return arena_binding::itemsize_of(raw()); }
  size_t nbytes() const { return size_t(numel()) * itemsize(); }
  TensorOptions options() const { return TensorOptions(arena_binding::options_of(raw())); }
  Device device() const {
    const auto made = arena_binding::options_of(raw());
    return {DeviceType(made.device), DeviceIndex(made.index)};
  }
  DeviceIndex get_device() const { return device().index(); }
  bool is_cuda() const { return arena_binding::is_on(raw(), int(DeviceType::CUDA)); }
  bool is_cpu() const { return arena_binding::is_on(raw(), int(DeviceType::CPU)); }
  bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const {
    return arena_binding::is_contiguous(raw(), int(format));
  }
  bool is_floating_point() const { return arena_binding::is_floating(int(scalar_type())); }

  template <class T>
  T* data_ptr() const {
    static_assert(scalar_type_of<T> != arena_binding::kUnset);
    return static_cast<T*>(arena_binding::data_of(raw(), scalar_type_of<T>));
  }
  template <class T>
  T* mutable_data_ptr() const { return data_ptr<T>(); }
  template <class T>
  const T* const_data_ptr() const { return data_ptr<std::remove_const_t<T>>(); }
  void* data_ptr() const { return arena_binding::data_of(raw(), arena_binding::kUnset); }
  void* mutable_data_ptr() const { return data_ptr(); }
  const void* const_data_ptr() const { return data_ptr(); }

  Tensor contiguous(MemoryFormat format = MemoryFormat::Contiguous) const {
    return Tensor(arena_binding::contiguous(raw(), int(format)));
  }
  Tensor clone(std::optional<MemoryFormat> format = std::nullopt) const {
    return Tensor(arena_binding::clone(raw(), format ? int(*format) : arena_binding::kUnset));
  }
  Tensor to(ScalarType type, bool non_blocking = false, bool copy = false) const {
    return Tensor(arena_binding::converted(raw(), int(type), non_blocking, copy));
  }
  Tensor detach() const { return Tensor(arena_binding::detached(raw())); }
  Tensor view(IntArrayRef sizes) const { return Tensor(arena_binding::viewed(raw(), numbers(sizes))); }
  Tensor reshape(IntArrayRef sizes) const { return Tensor(arena_binding::reshaped(raw(), numbers(sizes))); }
  Tensor view_as(const Tensor& other) const { return view(other.sizes()); }
  Tensor reshape_as(const Tensor& other) const { return reshape(other.sizes()); }
  Tensor permute(IntArrayRef order) const { return Tensor(arena_binding::permuted(raw(), numbers(order))); }
  Tensor expand(IntArrayRef sizes) const { return Tensor(arena_binding::expanded(raw(), numbers(sizes))); }
  Tensor transpose(int64_t one, int64_t other) const { return Tensor(arena_binding::transposed(raw(), one, other)); }
  Tensor select(int64_t dimension, int64_t index) const {
    return Tensor(arena_binding::selected(raw(), dimension, index));
  }
  Tensor operator[](int64_t index) const { return select(0, index); }
  Tensor slice(int64_t dimension, int64_t start, int64_t end, int64_t step = 1) const {
    return Tensor(arena_binding::sliced(raw(), dimension, start, end, step));
  }
  Tensor narrow(int64_t dimension, int64_t start, int64_t length) const {
    return Tensor(arena_binding::narrowed(raw(), dimension, start, length));
  }
  Tensor unsqueeze(int64_t dimension) const { return Tensor(arena_binding::unsqueezed(raw(), dimension)); }
  Tensor squeeze(int64_t dimension) const { return Tensor(arena_binding::squeezed(raw(), dimension)); }
  Tensor flatten(int64_t first = 0, int64_t last = -1) const {
    return Tensor(arena_binding::flattened(raw(), first, last));
  }
  const Tensor& copy_(const Tensor& source, bool non_blocking = false) const {
    arena_binding::copy_into(raw(), source.raw(), non_blocking);
    return *this;
  }
  template <class T>
    requires std::is_same_v<T, float> || std::is_same_v<T, double>
  const Tensor& fill_(T value) const {
    arena_binding::fill_real(raw(), value);
    return *this;
  }
  template <class T>
    requires std::is_integral_v<T> && (sizeof(T) < 8 || std::is_signed_v<T>)
  const Tensor& fill_(T value) const {
    arena_binding::fill_whole(raw(), int64_t(value));
    return *this;
  }
  const Tensor& zero_() const { return fill_(0); }

  const arena_binding::Handle& handle() const { return handle_; }
  static arena_binding::Numbers numbers(IntArrayRef list) { return {list.data(), list.size()}; }

 private:
  static IntArrayRef list(arena_binding::Numbers given) { return {given.data, given.count}; }
  void* raw() const { return handle_.get(); }
  arena_binding::Handle handle_;
};

using Format = std::optional<MemoryFormat>;
inline Tensor empty(IntArrayRef sizes, const TensorOptions& options = {}, Format format = std::nullopt) {
  return Tensor(arena_binding::empty(Tensor::numbers(sizes), options.made(format)));
}
inline Tensor zeros(IntArrayRef sizes, const TensorOptions& options = {}) {
  return Tensor(arena_binding::filled(Tensor::numbers(sizes), 0, options.made()));
}
inline Tensor ones(IntArrayRef sizes, const TensorOptions& options = {}) {
  return Tensor(arena_binding::filled(Tensor::numbers(sizes), 1, options.made()));
}
inline Tensor empty_like(const Tensor& like, const TensorOptions& options = {}, Format format = std::nullopt) {
  return Tensor(arena_binding::empty_like(like.handle().get(), options.made(format)));
}
inline Tensor zeros_like(const Tensor& like, const TensorOptions& options = {}, Format format = std::nullopt) {
  return Tensor(arena_binding::filled_like(like.handle().get(), 0, options.made(format)));
}
inline Tensor ones_like(const Tensor& like, const TensorOptions& options = {}, Format format = std::nullopt) {
  return Tensor(arena_binding::filled_like(like.handle().get(), 1, options.made(format)));
}
inline Tensor cat(const std::vector<Tensor>& tensors, int64_t dimension = 0) {
  std::vector<void*> list;
  for (const Tensor& one : tensors) list.push_back(one.handle().get());
  return Tensor(at::cat(list.data(), list.size(), dimension));
}

}  // namespace arena_thin

inline constexpr auto kByte = ScalarType::Byte, kChar = ScalarType::Char, kShort = ScalarType::Short,
                      kInt = ScalarType::Int, kLong = ScalarType::Long, kHalf = ScalarType::Half,
                      kFloat = ScalarType::Float, kDouble = ScalarType::Double, kBool = ScalarType::Bool,
                      kBFloat16 = ScalarType::BFloat16;
inline constexpr auto kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA;

}  // namespace at

namespace torch {
inline at::TensorOptions dtype(at::ScalarType type) { return type; }
inline at::TensorOptions device(at::Device device) { return device; }
}  // namespace torch

namespace arena_binding {

template <>
struct As<at::Tensor> {
  using Stored = at::Tensor;
  static Stored from(const Value& value) {
    expect(value.kind == Value::Kind::tensor, "a tensor");
    return at::Tensor(value.tensor);
  }
  static Value to(const at::Tensor& tensor) {
    Value value;
    if (tensor.defined()) value.kind = Value::Kind::tensor, value.tensor = tensor.handle();
    return value;
  }
};

}  // namespace arena_binding
