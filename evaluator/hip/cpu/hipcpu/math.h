// Device math and integer intrinsics that C++ lacks. Fast forms are as exact as the plain ones: a result that is right
// here only thanks to that is caught on the device.
#pragma once
#include <features.h>
#include <math.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <hipcpu/qualifiers.h>

// ---- minimum and maximum, also of mixed types
using std::max;
using std::min;
template <class A, class B>
  requires(!std::is_same_v<A, B> && std::is_arithmetic_v<A> && std::is_arithmetic_v<B>)
constexpr std::common_type_t<A, B> min(A a, B b) {
  return std::min<std::common_type_t<A, B>>(a, b);
}
template <class A, class B>
  requires(!std::is_same_v<A, B> && std::is_arithmetic_v<A> && std::is_arithmetic_v<B>)
constexpr std::common_type_t<A, B> max(A a, B b) {
  return std::max<std::common_type_t<A, B>>(a, b);
}

// ---- functions glibc has only since 2.41 and 2.42 (C23)
#if !__GLIBC_PREREQ(2, 42)
__forceinline__ float rsqrtf(float x) { return 1.0f / sqrtf(x); }
__forceinline__ double rsqrt(double x) { return 1.0 / sqrt(x); }
#endif
#if !__GLIBC_PREREQ(2, 41)
inline float sinpif(float x) { return float(sin(M_PI * fmod(double(x), 2.0))); }
inline float cospif(float x) { return float(cos(M_PI * fmod(double(x), 2.0))); }
inline double sinpi(double x) { return sin(M_PI * fmod(x, 2.0)); }
inline double cospi(double x) { return cos(M_PI * fmod(x, 2.0)); }
#endif

// ---- functions C++ does not have
__forceinline__ float rsqrt(float x) { return rsqrtf(x); }
inline float rcbrtf(float x) { return 1.0f / cbrtf(x); }
inline double rcbrt(double x) { return 1.0 / cbrt(x); }
inline float rhypotf(float x, float y) { return 1.0f / hypotf(x, y); }
inline double rhypot(double x, double y) { return 1.0 / hypot(x, y); }
inline float normcdff(float x) { return float(0.5 * erfc(-double(x) * M_SQRT1_2)); }
inline double normcdf(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }
inline float norm3df(float x, float y, float z) { return sqrtf(x * x + y * y + z * z); }
inline float norm4df(float x, float y, float z, float w) { return sqrtf(x * x + y * y + z * z + w * w); }
__forceinline__ float fdividef(float x, float y) { return x / y; }

// ---- fast and explicitly rounded forms
__forceinline__ float __expf(float x) { return expf(x); }
__forceinline__ float __exp10f(float x) { return exp10f(x); }
__forceinline__ float __exp2f(float x) { return exp2f(x); }
__forceinline__ float __logf(float x) { return logf(x); }
__forceinline__ float __log2f(float x) { return log2f(x); }
__forceinline__ float __log10f(float x) { return log10f(x); }
__forceinline__ float __sinf(float x) { return sinf(x); }
__forceinline__ float __cosf(float x) { return cosf(x); }
__forceinline__ float __tanf(float x) { return tanf(x); }
__forceinline__ void __sincosf(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }
__forceinline__ float __powf(float x, float y) { return powf(x, y); }
__forceinline__ float __fdividef(float x, float y) { return x / y; }
__forceinline__ float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }  // NaN gives 0
__forceinline__ float __frcp_rn(float x) { return 1.0f / x; }
__forceinline__ float __fsqrt_rn(float x) { return sqrtf(x); }
__forceinline__ float __frsqrt_rn(float x) { return rsqrtf(x); }
__forceinline__ float __fadd_rn(float x, float y) { return x + y; }
__forceinline__ float __fsub_rn(float x, float y) { return x - y; }
__forceinline__ float __fmul_rn(float x, float y) { return x * y; }
__forceinline__ float __fdiv_rn(float x, float y) { return x / y; }
__forceinline__ float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
__forceinline__ double __drcp_rn(double x) { return 1.0 / x; }
__forceinline__ double __dsqrt_rn(double x) { return sqrt(x); }
__forceinline__ double __dadd_rn(double x, double y) { return x + y; }
__forceinline__ double __dsub_rn(double x, double y) { return x - y; }
__forceinline__ double __dmul_rn(double x, double y) { return x * y; }
__forceinline__ double __ddiv_rn(double x, double y) { return x / y; }
__forceinline__ double __fma_rn(double x, double y, double z) { return fma(x, y, z); }

// ---- bits of a number
__forceinline__ int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__forceinline__ unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
__forceinline__ float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__forceinline__ float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
__forceinline__ long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
__forceinline__ double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
__forceinline__ int __double2hiint(double x) { return int(__double_as_longlong(x) >> 32); }
__forceinline__ int __double2loint(double x) { return int(__double_as_longlong(x)); }
__forceinline__ double __hiloint2double(int high, int low) {
  return __longlong_as_double((long long)(uint64_t(unsigned(high)) << 32 | unsigned(low)));
}

// ---- conversions; as on the device they saturate, and NaN gives 0
namespace hipcpu {
template <class Integer, class Real>
__forceinline__ Integer saturate_to(Real x) {
  using Limits = std::numeric_limits<Integer>;
  if (x != x) return 0;
  if (x <= Real(Limits::min())) return Limits::min();
  if (x >= Real(Limits::max())) return Limits::max();
  return Integer(x);
}
}  // namespace hipcpu
#define HIPCPU_CONVERSIONS(real, from, integer, to)                                                            \
  __forceinline__ integer __##from##2##to##_rn(real x) { return hipcpu::saturate_to<integer>(std::rint(x)); }  \
  __forceinline__ integer __##from##2##to##_rz(real x) { return hipcpu::saturate_to<integer>(x); }             \
  __forceinline__ integer __##from##2##to##_ru(real x) { return hipcpu::saturate_to<integer>(std::ceil(x)); }  \
  __forceinline__ integer __##from##2##to##_rd(real x) { return hipcpu::saturate_to<integer>(std::floor(x)); } \
  __forceinline__ real __##to##2##from##_rn(integer x) { return real(x); }
HIPCPU_CONVERSIONS(float, float, int, int)
HIPCPU_CONVERSIONS(float, float, unsigned, uint)
HIPCPU_CONVERSIONS(float, float, long long, ll)
HIPCPU_CONVERSIONS(float, float, unsigned long long, ull)
HIPCPU_CONVERSIONS(double, double, int, int)
HIPCPU_CONVERSIONS(double, double, unsigned, uint)
HIPCPU_CONVERSIONS(double, double, long long, ll)
HIPCPU_CONVERSIONS(double, double, unsigned long long, ull)
#undef HIPCPU_CONVERSIONS
__forceinline__ float __double2float_rn(double x) { return float(x); }

// ---- integers
__forceinline__ int __popc(unsigned x) { return __builtin_popcount(x); }
__forceinline__ int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
__forceinline__ int __ffs(unsigned x) { return __builtin_ffs(int(x)); }
__forceinline__ int __ffsll(unsigned long long x) { return __builtin_ffsll((long long)x); }
__forceinline__ int __clz(unsigned x) { return x ? __builtin_clz(x) : 32; }
__forceinline__ int __clzll(unsigned long long x) { return x ? __builtin_clzll(x) : 64; }
__forceinline__ unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
__forceinline__ unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
__forceinline__ int __mul24(int x, int y) { return int(unsigned(x << 8 >> 8) * unsigned(y << 8 >> 8)); }
__forceinline__ unsigned __umul24(unsigned x, unsigned y) { return (x & 0xFFFFFF) * (y & 0xFFFFFF); }
__forceinline__ int __mulhi(int x, int y) { return int((long long)x * y >> 32); }
__forceinline__ unsigned __umulhi(unsigned x, unsigned y) { return unsigned((unsigned long long)x * y >> 32); }
__forceinline__ long long __mul64hi(long long x, long long y) { return (long long)((__int128)x * y >> 64); }
__forceinline__ unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return (unsigned long long)((unsigned __int128)x * y >> 64);
}
__forceinline__ unsigned __sad(int x, int y, unsigned z) { return z + unsigned(x < y ? y - x : x - y); }
__forceinline__ unsigned __usad(unsigned x, unsigned y, unsigned z) { return z + (x < y ? y - x : x - y); }
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const uint64_t bytes = uint64_t(y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) result |= unsigned(bytes >> (selector >> 4 * i & 7) * 8 & 0xFF) << 8 * i;
  return result;
}
__forceinline__ unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return unsigned((uint64_t(high) << 32 | low) << (shift & 31) >> 32);
}
__forceinline__ unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return unsigned((uint64_t(high) << 32 | low) >> (shift & 31));
}

template <class T>
__forceinline__ T __ldg(const T* address) {
  return *address;
}
