// What travels between Python and a function that a source binds, where the source is compiled without Python's and
// pybind11's headers: those take longer to read than all the rest. binding.cpp, compiled once, is the other side.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace arena_binding {

// A tensor, whatever its class is called where it is used: one counted reference to what torch keeps of it. What is not
// defined here is in binding.cpp.
void retain(void* tensor);
void release(void* tensor);

class Handle {
 public:
  Handle() = default;
  explicit Handle(void* owned) : tensor(owned) {}
  Handle(const Handle& other) : tensor(other.tensor) {
    if (tensor) retain(tensor);
  }
  Handle(Handle&& other) noexcept : tensor(std::exchange(other.tensor, nullptr)) {}
  Handle& operator=(Handle other) noexcept {
    std::swap(tensor, other.tensor);
    return *this;
  }
  ~Handle() {
    if (tensor) release(tensor);
  }
  void* get() const { return tensor; }
  void* give_up() { return std::exchange(tensor, nullptr); }

 private:
  void* tensor = nullptr;  // none for an undefined tensor
};

struct Value {
  enum class Kind { none, boolean, integer, real, text, tensor, list, tuple };
  Kind kind = Kind::none;
  int64_t integer = 0;
  double real = 0;
  std::string text;
  Handle tensor;
  std::vector<Value> items;
};

// Python sees a TypeError.
struct Mismatch : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void expect(bool fits, const char* what) {
  if (!fits) throw Mismatch(std::string("incompatible function arguments: expected ") + what);
}

// How a C++ type reads a Value and becomes one. A type without an As is bound by pybind11 itself: see hip_gpu/build.py.
template <class T>
struct As;

template <>
struct As<bool> {
  using Stored = bool;
  static Stored from(const Value& value) {
    expect(value.kind == Value::Kind::boolean, "a bool");
    return value.integer != 0;
  }
  static Value to(bool given) {
    Value value;
    value.kind = Value::Kind::boolean, value.integer = given;
    return value;
  }
};

template <class T>
  requires std::is_integral_v<T>
struct As<T> {
  using Stored = T;
  static Stored from(const Value& value) {
    expect(value.kind == Value::Kind::integer || value.kind == Value::Kind::boolean, "an int");
    expect(std::in_range<T>(value.integer), "a smaller int");
    return static_cast<T>(value.integer);
  }
  static Value to(T given) {
    Value value;
    value.kind = Value::Kind::integer, value.integer = static_cast<int64_t>(given);
    return value;
  }
};

template <class T>
  requires std::is_floating_point_v<T>
struct As<T> {
  using Stored = T;
  static Stored from(const Value& value) {
    if (value.kind == Value::Kind::real) return static_cast<T>(value.real);
    expect(value.kind == Value::Kind::integer, "a float");
    return static_cast<T>(value.integer);
  }
  static Value to(T given) {
    Value value;
    value.kind = Value::Kind::real, value.real = given;
    return value;
  }
};

template <>
struct As<std::string> {
  using Stored = std::string;
  static Stored from(const Value& value) {
    expect(value.kind == Value::Kind::text, "a str");
    return value.text;
  }
  static Value to(std::string given) {
    Value value;
    value.kind = Value::Kind::text, value.text = std::move(given);
    return value;
  }
};

template <>
struct As<const char*> {
  static Value to(const char* given) { return As<std::string>::to(given); }
};

template <class T>
struct As<std::optional<T>> {
  using Stored = std::optional<T>;
  static Stored from(const Value& value) {
    if (value.kind == Value::Kind::none) return std::nullopt;
    return As<T>::from(value);
  }
  static Value to(std::optional<T> given) { return given ? As<T>::to(*std::move(given)) : Value{}; }
};

template <>
struct As<std::nullopt_t> {
  static Value to(std::nullopt_t) { return {}; }
};

template <class T>
struct As<std::vector<T>> {
  using Stored = std::vector<T>;
  static Stored from(const Value& value) {
    expect(value.kind == Value::Kind::list || value.kind == Value::Kind::tuple, "a list");
    Stored items;
    for (const Value& item : value.items) items.push_back(As<T>::from(item));
    return items;
  }
  static Value to(const std::vector<T>& given) {
    Value value;
    value.kind = Value::Kind::list;
    for (const T& item : given) value.items.push_back(As<T>::to(item));
    return value;
  }
};

template <class... T>
struct As<std::tuple<T...>> {
  static Value to(const std::tuple<T...>& given) {
    Value value;
    value.kind = Value::Kind::tuple;
    std::apply([&](const T&... item) { (value.items.push_back(As<T>::to(item)), ...); }, given);
    return value;
  }
};

template <class A, class B>
struct As<std::pair<A, B>> {
  static Value to(const std::pair<A, B>& given) { return As<std::tuple<A, B>>::to({given.first, given.second}); }
};

struct Argument {
  std::string name;
  std::optional<Value> fallback;
};

struct Function {
  std::string name, documentation;
  std::vector<Argument> arguments;  // named ones; none where the source names none
  size_t count = 0;
  std::function<Value(std::vector<Value>&)> call;
};

struct Module {
  std::vector<Function> functions;
  std::string documentation;
};

template <class R, class... A, size_t... I>
Value invoke(const std::function<R(A...)>& function, const std::vector<Value>& given, std::index_sequence<I...>) {
  std::tuple<typename As<std::decay_t<A>>::Stored...> stored{As<std::decay_t<A>>::from(given[I])...};
  if constexpr (std::is_void_v<R>) {
    function(static_cast<A>(std::get<I>(stored))...);
    return {};
  } else {
    return As<std::decay_t<R>>::to(function(static_cast<A>(std::get<I>(stored))...));
  }
}

template <class R, class... A>
Function bound(std::function<R(A...)> function) {
  Function made;
  made.count = sizeof...(A);
  made.call = [function = std::move(function)](std::vector<Value>& given) {
    return invoke(function, given, std::index_sequence_for<A...>{});
  };
  return made;
}

}  // namespace arena_binding
