// char1 .. double4 with HIP's componentwise operators, and make_*.
#pragma once
#include <cstddef>
#include <type_traits>

namespace hipcpu {

// 16 bytes at most: a double4 may then be anywhere a float4 may be, as on the device, which reads 16 bytes at once.
constexpr size_t vector_alignment(size_t size) { return size > 16 ? 16 : size; }

template <class T, int N>
struct Vector;

template <class T>
struct alignas(sizeof(T)) Vector<T, 1> {
  T x;
  Vector() = default;
  constexpr Vector(T all) : x(all) {}
  template <class F>
  static constexpr Vector each(F f) {
    return {f(&Vector::x)};
  }
};

template <class T>
struct alignas(vector_alignment(2 * sizeof(T))) Vector<T, 2> {
  T x, y;
  Vector() = default;
  constexpr Vector(T all) : x(all), y(all) {}
  constexpr Vector(T a, T b) : x(a), y(b) {}
  template <class F>
  static constexpr Vector each(F f) {
    return {f(&Vector::x), f(&Vector::y)};
  }
};

template <class T>
struct Vector<T, 3> {
  T x, y, z;
  Vector() = default;
  constexpr Vector(T all) : x(all), y(all), z(all) {}
  constexpr Vector(T a, T b, T c) : x(a), y(b), z(c) {}
  template <class F>
  static constexpr Vector each(F f) {
    return {f(&Vector::x), f(&Vector::y), f(&Vector::z)};
  }
};

template <class T>
struct alignas(vector_alignment(4 * sizeof(T))) Vector<T, 4> {
  T x, y, z, w;
  Vector() = default;
  constexpr Vector(T all) : x(all), y(all), z(all), w(all) {}
  constexpr Vector(T a, T b, T c, T d) : x(a), y(b), z(c), w(d) {}
  template <class F>
  static constexpr Vector each(F f) {
    return {f(&Vector::x), f(&Vector::y), f(&Vector::z), f(&Vector::w)};
  }
};

}  // namespace hipcpu

// The scalar forms follow from the implicit broadcast: the non-deduced operand converts.
#define HIPCPU_VECTOR_OPERATOR(op)                                                                           \
  template <class T, int N>                                                                                  \
  constexpr hipcpu::Vector<T, N> operator op(const hipcpu::Vector<T, N>& a, const hipcpu::Vector<T, N>& b) { \
    return hipcpu::Vector<T, N>::each([&](auto member) { return T(a.*member op b.*member); });               \
  }                                                                                                          \
  template <class T, int N>                                                                                  \
  constexpr hipcpu::Vector<T, N> operator op(const hipcpu::Vector<T, N>& a, std::type_identity_t<T> b) {     \
    return a op hipcpu::Vector<T, N>(b);                                                                     \
  }                                                                                                          \
  template <class T, int N>                                                                                  \
  constexpr hipcpu::Vector<T, N> operator op(std::type_identity_t<T> a, const hipcpu::Vector<T, N>& b) {     \
    return hipcpu::Vector<T, N>(a) op b;                                                                     \
  }                                                                                                          \
  template <class T, int N, class U>                                                                         \
  constexpr hipcpu::Vector<T, N>& operator op##=(hipcpu::Vector<T, N>& a, const U & b) {                     \
    return a = a op b;                                                                                       \
  }
HIPCPU_VECTOR_OPERATOR(+)
HIPCPU_VECTOR_OPERATOR(-)
HIPCPU_VECTOR_OPERATOR(*)
HIPCPU_VECTOR_OPERATOR(/)
HIPCPU_VECTOR_OPERATOR(%)
HIPCPU_VECTOR_OPERATOR(&)
HIPCPU_VECTOR_OPERATOR(|)
HIPCPU_VECTOR_OPERATOR(^)
#undef HIPCPU_VECTOR_OPERATOR

template <class T, int N>
constexpr hipcpu::Vector<T, N> operator-(const hipcpu::Vector<T, N>& a) {
  return hipcpu::Vector<T, N>::each([&](auto member) { return T(-(a.*member)); });
}
template <class T, int N>
constexpr bool operator==(const hipcpu::Vector<T, N>& a, const hipcpu::Vector<T, N>& b) {
  bool equal = true;
  hipcpu::Vector<T, N>::each([&](auto member) { return equal = equal && a.*member == b.*member, T(); });
  return equal;
}

#define HIPCPU_VECTORS(type, name)                                               \
  using name##1 = hipcpu::Vector<type, 1>;                                       \
  using name##2 = hipcpu::Vector<type, 2>;                                       \
  using name##3 = hipcpu::Vector<type, 3>;                                       \
  using name##4 = hipcpu::Vector<type, 4>;                                       \
  constexpr name##1 make_##name##1(type x) { return {x}; }                       \
  constexpr name##2 make_##name##2(type x, type y) { return {x, y}; }            \
  constexpr name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } \
  constexpr name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
HIPCPU_VECTORS(signed char, char)
HIPCPU_VECTORS(unsigned char, uchar)
HIPCPU_VECTORS(short, short)
HIPCPU_VECTORS(unsigned short, ushort)
HIPCPU_VECTORS(int, int)
HIPCPU_VECTORS(unsigned, uint)
HIPCPU_VECTORS(long, long)
HIPCPU_VECTORS(unsigned long, ulong)
HIPCPU_VECTORS(long long, longlong)
HIPCPU_VECTORS(unsigned long long, ulonglong)
HIPCPU_VECTORS(float, float)
HIPCPU_VECTORS(double, double)
#undef HIPCPU_VECTORS

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
  constexpr dim3(const uint3& v) : x(v.x), y(v.y), z(v.z) {}
};
