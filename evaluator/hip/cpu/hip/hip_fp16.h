// __half and __half2. Every operation rounds once to 16 bits, as on the device.
#pragma once
#include <hip/hip_runtime.h>

struct __half_raw {
  union {
    _Float16 data;
    unsigned short x;
  };
};

struct alignas(2) __half {
  _Float16 data;

  __half() = default;
  __half(_Float16 x) : data(x) {}
  __half(__half_raw x) : data(x.data) {}
  template <class Number>
    requires std::is_arithmetic_v<Number>
  __half(Number x) : data(_Float16(x)) {}

  operator float() const { return float(data); }
  operator __half_raw() const { return {{data}}; }
};
typedef __half half;

struct alignas(4) __half2 {
  __half x, y;
  __half2() = default;
  __half2(__half a, __half b) : x(a), y(b) {}
};
typedef __half2 half2;

// ---- operators
#define HIPCPU_HALF_OPERATOR(op)                                                                 \
  __forceinline__ __half operator op(__half a, __half b) { return _Float16(a.data op b.data); }  \
  __forceinline__ __half& operator op##=(__half & a, __half b) { return a = a op b; }            \
  __forceinline__ __half2 operator op(__half2 a, __half2 b) { return {a.x op b.x, a.y op b.y}; } \
  __forceinline__ __half2& operator op##=(__half2 & a, __half2 b) { return a = a op b; }
HIPCPU_HALF_OPERATOR(+)
HIPCPU_HALF_OPERATOR(-)
HIPCPU_HALF_OPERATOR(*)
HIPCPU_HALF_OPERATOR(/)
#undef HIPCPU_HALF_OPERATOR
__forceinline__ __half operator-(__half a) { return _Float16(-a.data); }
__forceinline__ __half2 operator-(__half2 a) { return {-a.x, -a.y}; }
__forceinline__ bool operator==(__half a, __half b) { return a.data == b.data; }
__forceinline__ bool operator!=(__half a, __half b) { return a.data != b.data; }
__forceinline__ bool operator<(__half a, __half b) { return a.data < b.data; }
__forceinline__ bool operator>(__half a, __half b) { return a.data > b.data; }
__forceinline__ bool operator<=(__half a, __half b) { return a.data <= b.data; }
__forceinline__ bool operator>=(__half a, __half b) { return a.data >= b.data; }

// With a number of another type on one side the result is a float; without these the call would be ambiguous.
#define HIPCPU_HALF_MIXED(op)                            \
  template <class Number>                                \
    requires std::is_arithmetic_v<Number>                \
  __forceinline__ auto operator op(__half a, Number b) { \
    return float(a) op float(b);                         \
  }                                                      \
  template <class Number>                                \
    requires std::is_arithmetic_v<Number>                \
  __forceinline__ auto operator op(Number a, __half b) { \
    return float(a) op float(b);                         \
  }
HIPCPU_HALF_MIXED(+)
HIPCPU_HALF_MIXED(-)
HIPCPU_HALF_MIXED(*)
HIPCPU_HALF_MIXED(/)
HIPCPU_HALF_MIXED(==)
HIPCPU_HALF_MIXED(!=)
HIPCPU_HALF_MIXED(<)
HIPCPU_HALF_MIXED(>)
HIPCPU_HALF_MIXED(<=)
HIPCPU_HALF_MIXED(>=)
#undef HIPCPU_HALF_MIXED

// ---- conversions
__forceinline__ __half __float2half(float x) { return x; }
__forceinline__ __half __float2half_rn(float x) { return x; }
__forceinline__ __half __double2half(double x) { return x; }
__forceinline__ float __half2float(__half x) { return x; }
__forceinline__ __half __int2half_rn(int x) { return x; }
__forceinline__ int __half2int_rn(__half x) { return __float2int_rn(x); }
__forceinline__ int __half2int_rz(__half x) { return __float2int_rz(x); }
__forceinline__ __half __ushort_as_half(unsigned short x) { return __builtin_bit_cast(_Float16, x); }
__forceinline__ __half __short_as_half(short x) { return __builtin_bit_cast(_Float16, x); }
__forceinline__ unsigned short __half_as_ushort(__half x) { return __builtin_bit_cast(unsigned short, x.data); }
__forceinline__ short __half_as_short(__half x) { return __builtin_bit_cast(short, x.data); }
__forceinline__ __half2 __floats2half2_rn(float x, float y) { return {x, y}; }
__forceinline__ __half2 __float22half2_rn(float2 x) { return {x.x, x.y}; }
__forceinline__ __half2 __float2half2_rn(float x) { return {x, x}; }
__forceinline__ __half2 __half2half2(__half x) { return {x, x}; }
__forceinline__ __half2 __halves2half2(__half x, __half y) { return {x, y}; }
__forceinline__ __half2 make_half2(__half x, __half y) { return {x, y}; }
__forceinline__ float2 __half22float2(__half2 x) { return {x.x, x.y}; }
__forceinline__ __half __low2half(__half2 x) { return x.x; }
__forceinline__ __half __high2half(__half2 x) { return x.y; }
__forceinline__ float __low2float(__half2 x) { return x.x; }
__forceinline__ float __high2float(__half2 x) { return x.y; }
__forceinline__ __half2 __low2half2(__half2 x) { return {x.x, x.x}; }
__forceinline__ __half2 __high2half2(__half2 x) { return {x.y, x.y}; }
__forceinline__ __half2 __lowhigh2highlow(__half2 x) { return {x.y, x.x}; }

// ---- arithmetic by name, for both widths
#define HIPCPU_HALF_BINARY(name, op)                                 \
  __forceinline__ __half name(__half a, __half b) { return a op b; } \
  __forceinline__ __half2 name##2(__half2 a, __half2 b) { return a op b; }
HIPCPU_HALF_BINARY(__hadd, +)
HIPCPU_HALF_BINARY(__hsub, -)
HIPCPU_HALF_BINARY(__hmul, *)
HIPCPU_HALF_BINARY(__hdiv, /)
#undef HIPCPU_HALF_BINARY
__forceinline__ __half2 __h2div(__half2 a, __half2 b) { return a / b; }
__forceinline__ __half __hneg(__half a) { return -a; }
__forceinline__ __half2 __hneg2(__half2 a) { return -a; }
__forceinline__ __half __habs(__half a) { return __builtin_fabsf(a); }
__forceinline__ __half2 __habs2(__half2 a) { return {__habs(a.x), __habs(a.y)}; }
// In double the product is exact and the sum rounds harmlessly before the one rounding to 16 bits.
__forceinline__ __half __hfma(__half a, __half b, __half c) { return _Float16(double(a) * double(b) + double(c)); }
__forceinline__ __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
__forceinline__ __half __hmax(__half a, __half b) { return fmaxf(a, b); }
__forceinline__ __half __hmin(__half a, __half b) { return fminf(a, b); }
__forceinline__ __half2 __hmax2(__half2 a, __half2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
__forceinline__ __half2 __hmin2(__half2 a, __half2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }

// ---- comparisons by name
__forceinline__ bool __heq(__half a, __half b) { return a == b; }
__forceinline__ bool __hne(__half a, __half b) { return a != b; }
__forceinline__ bool __hlt(__half a, __half b) { return a < b; }
__forceinline__ bool __hle(__half a, __half b) { return a <= b; }
__forceinline__ bool __hgt(__half a, __half b) { return a > b; }
__forceinline__ bool __hge(__half a, __half b) { return a >= b; }
__forceinline__ bool __hisnan(__half a) { return a.data != a.data; }
__forceinline__ int __hisinf(__half a) { return __builtin_isinf(float(a)); }

// ---- functions: computed in float, rounded once
#define HIPCPU_HALF_FUNCTION(name, expression) \
  __forceinline__ __half h##name(__half a) {   \
    const float x = a;                         \
    return expression;                         \
  }                                            \
  __forceinline__ __half2 h2##name(__half2 a) { return {h##name(a.x), h##name(a.y)}; }
HIPCPU_HALF_FUNCTION(exp, expf(x))
HIPCPU_HALF_FUNCTION(exp2, exp2f(x))
HIPCPU_HALF_FUNCTION(exp10, exp10f(x))
HIPCPU_HALF_FUNCTION(log, logf(x))
HIPCPU_HALF_FUNCTION(log2, log2f(x))
HIPCPU_HALF_FUNCTION(log10, log10f(x))
HIPCPU_HALF_FUNCTION(sqrt, sqrtf(x))
HIPCPU_HALF_FUNCTION(rsqrt, rsqrtf(x))
HIPCPU_HALF_FUNCTION(rcp, 1.0f / x)
HIPCPU_HALF_FUNCTION(sin, sinf(x))
HIPCPU_HALF_FUNCTION(cos, cosf(x))
HIPCPU_HALF_FUNCTION(ceil, ceilf(x))
HIPCPU_HALF_FUNCTION(floor, floorf(x))
HIPCPU_HALF_FUNCTION(rint, rintf(x))
HIPCPU_HALF_FUNCTION(trunc, truncf(x))
#undef HIPCPU_HALF_FUNCTION
