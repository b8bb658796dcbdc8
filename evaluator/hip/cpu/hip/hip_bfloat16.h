// HIP's older bfloat16 type, hip_bfloat16.
#pragma once
#include <hip/hip_bf16.h>

struct hip_bfloat16 {
  unsigned short data;

  hip_bfloat16() = default;
  explicit hip_bfloat16(float x) : data(__hip_bfloat16(x).data) {}
  static hip_bfloat16 round_to_bfloat16(float x) { return hip_bfloat16(x); }
  hip_bfloat16& operator=(float x) { return *this = hip_bfloat16(x); }

  operator float() const { return __builtin_bit_cast(float, unsigned(data) << 16); }
};

#define HIPCPU_BFLOAT16_OPERATOR(op)                                                                             \
  inline hip_bfloat16 operator op(hip_bfloat16 a, hip_bfloat16 b) { return hip_bfloat16(float(a) op float(b)); } \
  inline hip_bfloat16& operator op##=(hip_bfloat16 & a, hip_bfloat16 b) { return a = a op b; }
HIPCPU_BFLOAT16_OPERATOR(+)
HIPCPU_BFLOAT16_OPERATOR(-)
HIPCPU_BFLOAT16_OPERATOR(*)
HIPCPU_BFLOAT16_OPERATOR(/)
#undef HIPCPU_BFLOAT16_OPERATOR
