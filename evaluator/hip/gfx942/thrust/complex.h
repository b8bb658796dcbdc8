// The part of rocThrust's <thrust/complex.h> that torch's headers use; Debian does not have it. Arithmetic works; the
// other functions are declared so that torch's templates parse, and fail at link time if a kernel really uses them.
#pragma once

#define THRUST_INLINE __host__ __device__ inline

namespace thrust {

template <class T>
struct complex {
  T x, y;
  THRUST_INLINE complex(T real = T(), T imaginary = T()) : x(real), y(imaginary) {}
  template <class U>
  THRUST_INLINE complex(const complex<U>& other) : x(T(other.real())), y(T(other.imag())) {}
  THRUST_INLINE T real() const { return x; }
  THRUST_INLINE T imag() const { return y; }
};

template <class T>
THRUST_INLINE complex<T> operator+(complex<T> a, complex<T> b) {
  return {a.x + b.x, a.y + b.y};
}
template <class T>
THRUST_INLINE complex<T> operator-(complex<T> a, complex<T> b) {
  return {a.x - b.x, a.y - b.y};
}
template <class T>
THRUST_INLINE complex<T> operator*(complex<T> a, complex<T> b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
template <class T>
THRUST_INLINE complex<T> operator/(complex<T> a, complex<T> b) {
  const T norm = b.x * b.x + b.y * b.y;
  return {(a.x * b.x + a.y * b.y) / norm, (a.y * b.x - a.x * b.y) / norm};
}

template <class T>
THRUST_INLINE T abs(const complex<T>& a) {
  return ::hypot(a.x, a.y);
}
template <class T>
THRUST_INLINE T arg(const complex<T>& a) {
  return ::atan2(a.y, a.x);
}
template <class T>
THRUST_INLINE complex<T> polar(const T& radius, const T& angle = T()) {
  return {radius * ::cos(angle), radius * ::sin(angle)};
}
template <class T>
THRUST_INLINE complex<T> exp(const complex<T>& a) {
  return polar<T>(::exp(a.x), a.y);
}
template <class T>
THRUST_INLINE complex<T> log(const complex<T>& a) {
  return {::log(abs(a)), arg(a)};
}

#define THRUST_DECLARE(name) \
  template <class T>         \
  __host__ __device__ complex<T> name(const complex<T>&);
THRUST_DECLARE(log10)
THRUST_DECLARE(sqrt)
THRUST_DECLARE(sin)
THRUST_DECLARE(cos)
THRUST_DECLARE(tan)
THRUST_DECLARE(asin)
THRUST_DECLARE(acos)
THRUST_DECLARE(atan)
THRUST_DECLARE(sinh)
THRUST_DECLARE(cosh)
THRUST_DECLARE(tanh)
THRUST_DECLARE(asinh)
THRUST_DECLARE(acosh)
THRUST_DECLARE(atanh)
#undef THRUST_DECLARE

template <class T, class U>
__host__ __device__ complex<T> pow(const complex<T>&, const complex<U>&);
template <class T, class U>
__host__ __device__ complex<T> pow(const complex<T>&, const U&);
template <class T, class U>
__host__ __device__ complex<T> pow(const U&, const complex<T>&);

}  // namespace thrust

#undef THRUST_INLINE
