// Scalar types, devices, options and lists, as sources name them. A class that torch has too is in an inner namespace, so
// that nothing of the two is taken for the same when they are linked.
#pragma once
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <operations.h>

#include <array>
#include <initializer_list>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace c10 {
template <class... T>
std::string str(const T&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}
}  // namespace c10

namespace arena_binding {
inline std::string message_of(const char* otherwise) { return otherwise; }
template <class... T>
std::string message_of(const char*, const T&... parts) {
  return c10::str(parts...);
}
}  // namespace arena_binding

// With braces, as torch has it: an else after it belongs to no if.
#define TORCH_CHECK(condition, ...)                                                                                \
  if (!(condition)) [[unlikely]] {                                                                                 \
    ::arena_binding::failed(__func__, __FILE__, __LINE__,                                                          \
                            ::arena_binding::message_of(                                                           \
                                "Expected " #condition " to be true, but got false.  (Could this error message "   \
                                "be improved?  If so, please report an enhancement request to PyTorch.)"           \
                                __VA_OPT__(, ) __VA_ARGS__));                                                      \
  }

namespace c10 {
inline namespace arena_thin {

enum class ScalarType : int8_t {
  Byte = 0, Char = 1, Short = 2, Int = 3, Long = 4, Half = 5, Float = 6, Double = 7, Bool = 11, BFloat16 = 15
};
enum class DeviceType : int8_t { CPU = 0, CUDA = 1 };
enum class MemoryFormat : int8_t { Contiguous = 0, Preserve = 1, ChannelsLast = 2, ChannelsLast3d = 3 };
using DeviceIndex = int8_t;

template <class T>
inline constexpr int scalar_type_of = arena_binding::kUnset;
template <ScalarType type>
struct TypeOf;
#define ARENA_SCALAR_TYPE(Type, name)                                      \
  template <>                                                              \
  inline constexpr int scalar_type_of<Type> = int(ScalarType::name);       \
  template <>                                                              \
  struct TypeOf<ScalarType::name> {                                        \
    using type = Type;                                                     \
  };
#define ARENA_SCALAR_TYPES(_)                                                                       \
  _(uint8_t, Byte) _(int8_t, Char) _(int16_t, Short) _(int, Int) _(int64_t, Long) _(c10::Half, Half) \
  _(float, Float) _(double, Double) _(bool, Bool) _(c10::BFloat16, BFloat16)
ARENA_SCALAR_TYPES(ARENA_SCALAR_TYPE)
#undef ARENA_SCALAR_TYPE

inline const char* toString(ScalarType type) { return arena_binding::name_of_type(int(type)); }
inline std::ostream& operator<<(std::ostream& to, ScalarType type) { return to << toString(type); }

inline size_t elementSize(ScalarType type) { return arena_binding::bytes_of_element(int(type)); }

// What `tensor.dtype()` gives: torch's prints itself differently, so this one does not.
struct TypeMeta {
  ScalarType type;
  ScalarType toScalarType() const { return type; }
  size_t itemsize() const { return elementSize(type); }
  operator ScalarType() const { return type; }
  friend bool operator==(TypeMeta one, TypeMeta other) { return one.type == other.type; }
  friend bool operator==(TypeMeta one, ScalarType other) { return one.type == other; }
};
std::ostream& operator<<(std::ostream&, TypeMeta) = delete;

class Device {
 public:
  Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}
  DeviceType type() const { return type_; }
  DeviceIndex index() const { return index_; }
  bool has_index() const { return index_ >= 0; }
  bool is_cuda() const { return type_ == DeviceType::CUDA; }
  bool is_cpu() const { return type_ == DeviceType::CPU; }
  friend bool operator==(const Device&, const Device&) = default;
  friend std::ostream& operator<<(std::ostream& to, const Device& device) {
    to << (device.is_cuda() ? "cuda" : "cpu");
    return device.has_index() ? to << ':' << int(device.index()) : to;
  }

 private:
  DeviceType type_;
  DeviceIndex index_;
};

template <class T>
class ArrayRef {
 public:
  ArrayRef() = default;
  ArrayRef(const T& one) : data_(&one), size_(1) {}
  ArrayRef(const T* data, size_t size) : data_(data), size_(size) {}
  ArrayRef(std::initializer_list<T> list) : data_(list.begin()), size_(list.size()) {}
  ArrayRef(const std::vector<T>& list) : data_(list.data()), size_(list.size()) {}
  template <size_t N>
  ArrayRef(const std::array<T, N>& list) : data_(list.data()), size_(N) {}
  template <size_t N>
  ArrayRef(const T (&list)[N]) : data_(list), size_(N) {}
  const T* data() const { return data_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](size_t index) const { return data_[index]; }
  const T& front() const {
    TORCH_CHECK(!empty(), "ArrayRef: attempted to access front() of empty list");
    return data_[0];
  }
  const T& back() const {
    TORCH_CHECK(!empty(), "ArrayRef: attempted to access back() of empty list");
    return data_[size_ - 1];
  }
  std::vector<T> vec() const { return {begin(), end()}; }
  bool equals(ArrayRef other) const {
    if (size_ != other.size_) return false;
    for (size_t index = 0; index < size_; ++index)
      if (!(data_[index] == other.data_[index])) return false;
    return true;
  }
  friend bool operator==(ArrayRef one, ArrayRef other) { return one.equals(other); }
  friend std::ostream& operator<<(std::ostream& to, ArrayRef list) {
    to << '[';
    for (size_t index = 0; index < list.size_; ++index) to << (index ? ", " : "") << list[index];
    return to << ']';
  }

 private:
  const T* data_ = nullptr;
  size_t size_ = 0;
};
using IntArrayRef = ArrayRef<int64_t>;

class TensorOptions {
 public:
  TensorOptions() = default;
  TensorOptions(ScalarType type) { made_.type = int(type); }
  TensorOptions(TypeMeta type) : TensorOptions(type.type) {}
  TensorOptions(Device device) { made_.device = int(device.type()), made_.index = device.index(); }
  TensorOptions(DeviceType device) : TensorOptions(Device(device)) {}
  TensorOptions(MemoryFormat format) { made_.format = int(format); }
  explicit TensorOptions(const arena_binding::Options& made) : made_(made) {}
  TensorOptions dtype(ScalarType type) const { return with([&](auto& made) { made.type = int(type); }); }
  TensorOptions device(Device device) const {
    return with([&](auto& made) { made.device = int(device.type()), made.index = device.index(); });
  }
  TensorOptions device(DeviceType type, DeviceIndex index = -1) const { return device(Device(type, index)); }
  TensorOptions requires_grad(bool wanted) const { return with([&](auto& made) { made.requires_grad = wanted; }); }
  TensorOptions memory_format(MemoryFormat format) const {
    return with([&](auto& made) { made.format = int(format); });
  }
  arena_binding::Options made(std::optional<MemoryFormat> format = std::nullopt) const {
    TORCH_CHECK(!format || made_.format == arena_binding::kUnset,
                "Cannot set memory_format both in TensorOptions and explicit argument");
    return format ? memory_format(*format).made_ : made_;
  }

 private:
  template <class Change>
  TensorOptions with(Change change) const {
    TensorOptions other = *this;
    change(other.made_);
    return other;
  }
  arena_binding::Options made_;
};

}  // namespace arena_thin

using std::nullopt;
using std::optional;

}  // namespace c10

namespace arena_binding {

template <class T>
struct As<c10::ArrayRef<T>> {  // a view: its items are stored beside it
  using Stored = std::vector<T>;
  static Stored from(const Value& value) { return As<std::vector<T>>::from(value); }
};

}  // namespace arena_binding
