// __hip_bfloat16 for HIP headers older than ROCm 5.7, and for the CPU: computed in float, rounded to nearest even.
#pragma once
#include <hip/hip_runtime.h>

#include <type_traits>

#define HIP_BF16_INLINE __host__ __device__ inline

struct __hip_bfloat16 {
  unsigned short data;

  __hip_bfloat16() = default;
  HIP_BF16_INLINE __hip_bfloat16(float x) : data(rounded(__builtin_bit_cast(unsigned, x))) {}
  HIP_BF16_INLINE operator float() const { return __builtin_bit_cast(float, unsigned(data) << 16); }

 private:
  HIP_BF16_INLINE static unsigned short rounded(unsigned bits) {
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return 0x7FC0;  // NaN
    return (unsigned short)((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
  }
};

struct alignas(4) __hip_bfloat162 {
  __hip_bfloat16 x, y;
};

// ---- operators
#define HIP_BF16_OPERATOR(op)                                                                                     \
  HIP_BF16_INLINE __hip_bfloat16 operator op(__hip_bfloat16 a, __hip_bfloat16 b) { return float(a) op float(b); } \
  HIP_BF16_INLINE __hip_bfloat16& operator op##=(__hip_bfloat16 & a, __hip_bfloat16 b) { return a = a op b; }     \
  HIP_BF16_INLINE __hip_bfloat162 operator op(__hip_bfloat162 a, __hip_bfloat162 b) { return {a.x op b.x, a.y op b.y}; }
HIP_BF16_OPERATOR(+)
HIP_BF16_OPERATOR(-)
HIP_BF16_OPERATOR(*)
HIP_BF16_OPERATOR(/)
#undef HIP_BF16_OPERATOR
HIP_BF16_INLINE __hip_bfloat16 operator-(__hip_bfloat16 a) { return -float(a); }
HIP_BF16_INLINE bool operator==(__hip_bfloat16 a, __hip_bfloat16 b) { return float(a) == float(b); }
HIP_BF16_INLINE bool operator!=(__hip_bfloat16 a, __hip_bfloat16 b) { return float(a) != float(b); }
HIP_BF16_INLINE bool operator<(__hip_bfloat16 a, __hip_bfloat16 b) { return float(a) < float(b); }
HIP_BF16_INLINE bool operator>(__hip_bfloat16 a, __hip_bfloat16 b) { return float(a) > float(b); }
HIP_BF16_INLINE bool operator<=(__hip_bfloat16 a, __hip_bfloat16 b) { return float(a) <= float(b); }
HIP_BF16_INLINE bool operator>=(__hip_bfloat16 a, __hip_bfloat16 b) { return float(a) >= float(b); }

// With a number of another type on one side the result is a float; without these the call would be ambiguous.
#define HIP_BF16_MIXED(op)                                       \
  template <class Number>                                        \
    requires std::is_arithmetic_v<Number>                        \
  HIP_BF16_INLINE auto operator op(__hip_bfloat16 a, Number b) { \
    return float(a) op float(b);                                 \
  }                                                              \
  template <class Number>                                        \
    requires std::is_arithmetic_v<Number>                        \
  HIP_BF16_INLINE auto operator op(Number a, __hip_bfloat16 b) { \
    return float(a) op float(b);                                 \
  }
HIP_BF16_MIXED(+)
HIP_BF16_MIXED(-)
HIP_BF16_MIXED(*)
HIP_BF16_MIXED(/)
HIP_BF16_MIXED(==)
HIP_BF16_MIXED(!=)
HIP_BF16_MIXED(<)
HIP_BF16_MIXED(>)
HIP_BF16_MIXED(<=)
HIP_BF16_MIXED(>=)
#undef HIP_BF16_MIXED

// ---- conversions
HIP_BF16_INLINE __hip_bfloat16 __float2bfloat16(float x) { return x; }
HIP_BF16_INLINE __hip_bfloat16 __float2bfloat16_rn(float x) { return x; }
HIP_BF16_INLINE __hip_bfloat16 __double2bfloat16(double x) { return float(x); }
HIP_BF16_INLINE float __bfloat162float(__hip_bfloat16 x) { return x; }
HIP_BF16_INLINE __hip_bfloat16 __ushort_as_bfloat16(unsigned short x) { return __builtin_bit_cast(__hip_bfloat16, x); }
HIP_BF16_INLINE unsigned short __bfloat16_as_ushort(__hip_bfloat16 x) { return x.data; }
HIP_BF16_INLINE __hip_bfloat162 __floats2bfloat162_rn(float x, float y) { return {x, y}; }
HIP_BF16_INLINE __hip_bfloat162 __float22bfloat162_rn(float2 x) { return {x.x, x.y}; }
HIP_BF16_INLINE __hip_bfloat162 __float2bfloat162_rn(float x) { return {x, x}; }
HIP_BF16_INLINE __hip_bfloat162 __bfloat162bfloat162(__hip_bfloat16 x) { return {x, x}; }
HIP_BF16_INLINE __hip_bfloat162 __halves2bfloat162(__hip_bfloat16 x, __hip_bfloat16 y) { return {x, y}; }
HIP_BF16_INLINE float2 __bfloat1622float2(__hip_bfloat162 x) { return make_float2(x.x, x.y); }
HIP_BF16_INLINE __hip_bfloat16 __low2bfloat16(__hip_bfloat162 x) { return x.x; }
HIP_BF16_INLINE __hip_bfloat16 __high2bfloat16(__hip_bfloat162 x) { return x.y; }
HIP_BF16_INLINE float __low2float(__hip_bfloat162 x) { return x.x; }
HIP_BF16_INLINE float __high2float(__hip_bfloat162 x) { return x.y; }

// ---- arithmetic and comparisons by name
HIP_BF16_INLINE __hip_bfloat16 __hadd(__hip_bfloat16 a, __hip_bfloat16 b) { return a + b; }
HIP_BF16_INLINE __hip_bfloat16 __hsub(__hip_bfloat16 a, __hip_bfloat16 b) { return a - b; }
HIP_BF16_INLINE __hip_bfloat16 __hmul(__hip_bfloat16 a, __hip_bfloat16 b) { return a * b; }
HIP_BF16_INLINE __hip_bfloat16 __hdiv(__hip_bfloat16 a, __hip_bfloat16 b) { return a / b; }
HIP_BF16_INLINE __hip_bfloat16 __hneg(__hip_bfloat16 a) { return -a; }
HIP_BF16_INLINE __hip_bfloat16 __habs(__hip_bfloat16 a) { return __builtin_fabsf(a); }
HIP_BF16_INLINE __hip_bfloat16 __hfma(__hip_bfloat16 a, __hip_bfloat16 b, __hip_bfloat16 c) {
  return __builtin_fmaf(a, b, c);
}
HIP_BF16_INLINE __hip_bfloat16 __hmax(__hip_bfloat16 a, __hip_bfloat16 b) { return __builtin_fmaxf(a, b); }
HIP_BF16_INLINE __hip_bfloat16 __hmin(__hip_bfloat16 a, __hip_bfloat16 b) { return __builtin_fminf(a, b); }
HIP_BF16_INLINE __hip_bfloat162 __hadd2(__hip_bfloat162 a, __hip_bfloat162 b) { return a + b; }
HIP_BF16_INLINE __hip_bfloat162 __hsub2(__hip_bfloat162 a, __hip_bfloat162 b) { return a - b; }
HIP_BF16_INLINE __hip_bfloat162 __hmul2(__hip_bfloat162 a, __hip_bfloat162 b) { return a * b; }
HIP_BF16_INLINE __hip_bfloat162 __hfma2(__hip_bfloat162 a, __hip_bfloat162 b, __hip_bfloat162 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
HIP_BF16_INLINE bool __heq(__hip_bfloat16 a, __hip_bfloat16 b) { return a == b; }
HIP_BF16_INLINE bool __hlt(__hip_bfloat16 a, __hip_bfloat16 b) { return a < b; }
HIP_BF16_INLINE bool __hle(__hip_bfloat16 a, __hip_bfloat16 b) { return a <= b; }
HIP_BF16_INLINE bool __hgt(__hip_bfloat16 a, __hip_bfloat16 b) { return a > b; }
HIP_BF16_INLINE bool __hge(__hip_bfloat16 a, __hip_bfloat16 b) { return a >= b; }
HIP_BF16_INLINE bool __hisnan(__hip_bfloat16 a) { return float(a) != float(a); }
#undef HIP_BF16_INLINE
