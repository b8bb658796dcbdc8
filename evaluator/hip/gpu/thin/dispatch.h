// AT_DISPATCH_…: a lambda compiled once for each type, as torch's own macros have it.
#pragma once
#include <types.h>

#define ARENA_CASE(type_, name, ...)                                      \
  case type_: {                                                           \
    using name [[maybe_unused]] = typename ::c10::TypeOf<type_>::type;    \
    return __VA_ARGS__();                                                 \
  }
#define AT_DISPATCH_CASE(type_, ...) ARENA_CASE(type_, scalar_t, __VA_ARGS__)
#define AT_DISPATCH_SWITCH(TYPE, NAME, ...)                                                                     \
  [&] {                                                                                                         \
    const ::c10::ScalarType arena_type = TYPE;                                                                  \
    switch (arena_type) {                                                                                       \
      __VA_ARGS__                                                                                               \
      default:                                                                                                  \
        ::arena_binding::not_implemented(__func__, __FILE__, __LINE__,                                          \
                                         ::c10::str('"', NAME, "\" not implemented for '", arena_type, "'"));   \
    }                                                                                                           \
  }()

#define ARENA_FLOATING(...) \
  AT_DISPATCH_CASE(::c10::ScalarType::Double, __VA_ARGS__) AT_DISPATCH_CASE(::c10::ScalarType::Float, __VA_ARGS__)
#define ARENA_REDUCED(...) \
  AT_DISPATCH_CASE(::c10::ScalarType::Half, __VA_ARGS__) AT_DISPATCH_CASE(::c10::ScalarType::BFloat16, __VA_ARGS__)
#define ARENA_INTEGRAL(...)                              \
  AT_DISPATCH_CASE(::c10::ScalarType::Byte, __VA_ARGS__) \
  AT_DISPATCH_CASE(::c10::ScalarType::Char, __VA_ARGS__) \
  AT_DISPATCH_CASE(::c10::ScalarType::Int, __VA_ARGS__)  \
  AT_DISPATCH_CASE(::c10::ScalarType::Long, __VA_ARGS__) \
  AT_DISPATCH_CASE(::c10::ScalarType::Short, __VA_ARGS__)
#define ARENA_ALL(...) ARENA_INTEGRAL(__VA_ARGS__) ARENA_FLOATING(__VA_ARGS__)
#define ARENA_AND2(A, B, ...) AT_DISPATCH_CASE(A, __VA_ARGS__) AT_DISPATCH_CASE(B, __VA_ARGS__)

#define AT_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, ARENA_FLOATING(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND(A, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, ARENA_FLOATING(__VA_ARGS__) AT_DISPATCH_CASE(A, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND2(A, B, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, ARENA_FLOATING(__VA_ARGS__) ARENA_AND2(A, B, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(TYPE, NAME, ...) \
  AT_DISPATCH_FLOATING_TYPES_AND(::c10::ScalarType::Half, TYPE, NAME, __VA_ARGS__)
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, ARENA_REDUCED(__VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, ARENA_INTEGRAL(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES(TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, ARENA_ALL(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND(A, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, ARENA_ALL(__VA_ARGS__) AT_DISPATCH_CASE(A, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND2(A, B, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, ARENA_ALL(__VA_ARGS__) ARENA_AND2(A, B, __VA_ARGS__))
#define AT_DISPATCH_INDEX_TYPES(TYPE, NAME, ...)                              \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                              \
                     ARENA_CASE(::c10::ScalarType::Int, index_t, __VA_ARGS__) \
                     ARENA_CASE(::c10::ScalarType::Long, index_t, __VA_ARGS__))
