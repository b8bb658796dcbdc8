// The names of pybind11 that a binding of functions uses, collecting what is bound for binding.cpp.
#pragma once
#include <values.h>

namespace arena_binding {

struct none {};
template <>
struct As<none> {
  static Value to(none) { return {}; }
};

struct arg {
  Argument argument;
  explicit arg(const char* name) : argument{name, std::nullopt} {}
  template <class T>
  arg operator=(T&& fallback) const {
    arg made(*this);
    made.argument.fallback = As<std::decay_t<T>>::to(std::forward<T>(fallback));
    return made;
  }
};

struct gil_scoped_release {};
template <class... Types>
struct call_guard {};
enum class return_value_policy { automatic, automatic_reference, copy, move, reference };

inline void refine(Function& function, const arg& named) { function.arguments.push_back(named.argument); }
inline void refine(Function& function, const char* text) { function.documentation = text; }
inline void refine(Function&, return_value_policy) {}
template <class... Types>
void refine(Function&, call_guard<Types...>) {}

struct module_ : Module {
  template <class Callable, class... Refinements>
  module_& def(const char* name, Callable&& callable, const Refinements&... refinements) {
    Function function = bound(std::function{std::forward<Callable>(callable)});
    function.name = name;
    (refine(function, refinements), ...);
    functions.push_back(std::move(function));
    return *this;
  }
  std::string& doc() { return documentation; }
};

namespace literals {
inline arg operator""_a(const char* name, size_t) { return arg(name); }
}  // namespace literals

}  // namespace arena_binding

namespace pybind11 {  // torch's core declares it: no alias is possible
using namespace arena_binding;
}
namespace py = pybind11;

#define ARENA_BIND(name, variable)                                    \
  static void arena_define_##name(::arena_binding::module_&);         \
  extern "C" void arena_fill_##name(::arena_binding::Module& to) {    \
    ::arena_binding::module_ made;                                    \
    arena_define_##name(made);                                        \
    to = std::move(made);                                             \
  }                                                                   \
  static void arena_define_##name(::arena_binding::module_& variable)
#define PYBIND11_MODULE(name, variable, ...) ARENA_BIND(name, variable)
