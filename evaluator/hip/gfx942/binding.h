// Names of pybind11 and of torch's registration macros, doing nothing: the device pass compiles no Python binding.
#pragma once

namespace pybind11 {
struct arg {
  explicit constexpr arg(const char*) {}
  template <class Default>
  arg operator=(Default&&) const {
    return *this;
  }
};
struct module_ {
  template <class... Arguments>
  module_& def(Arguments&&...) {
    return *this;
  }
  template <class Value>
  void add_object(const char*, Value&&) {}
  const char*& doc() {
    static const char* text;
    return text;
  }
};
struct gil_scoped_release {};
template <class... Types>
struct call_guard {};
namespace literals {
constexpr arg operator""_a(const char* name, unsigned long) { return arg(name); }
}  // namespace literals
}  // namespace pybind11
namespace py = pybind11;

#define PYBIND11_MODULE(name, variable, ...) static void arena_bind_##name(::pybind11::module_& variable)
#define TORCH_LIBRARY(library, variable) static void arena_register_##library(::pybind11::module_& variable)
#define TORCH_LIBRARY_IMPL(library, key, variable) \
  static void arena_register_##library##key(::pybind11::module_& variable)

// Set after torch's headers: a torch built for ROCm defines it, and sources ask for it.
#define USE_ROCM 1
