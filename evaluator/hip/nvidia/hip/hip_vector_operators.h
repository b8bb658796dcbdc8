// Arithmetic of float4 and its kin, which HIP's vector types have and CUDA's have not. Templates, so that operators of
// the source's own are preferred.
#pragma once

namespace hip_vectors {

template <class Vector>
inline constexpr int lanes = 0;
#define HIP_VECTOR(Scalar, name)                 \
  template <>                                    \
  inline constexpr int lanes<name##2> = 2;       \
  template <>                                    \
  inline constexpr int lanes<name##3> = 3;       \
  template <>                                    \
  inline constexpr int lanes<name##4> = 4;
HIP_VECTOR(float, float)
HIP_VECTOR(int, int)
HIP_VECTOR(unsigned, uint)
#undef HIP_VECTOR
template <>
inline constexpr int lanes<double2> = 2;

template <class Vector>
concept Vectorial = lanes<Vector> > 0;

template <Vectorial Vector, class Operation>
__host__ __device__ __forceinline__ Vector each(Vector a, const Vector& b, Operation operation) {
  a.x = operation(a.x, b.x);
  a.y = operation(a.y, b.y);
  if constexpr (lanes<Vector> > 2) a.z = operation(a.z, b.z);
  if constexpr (lanes<Vector> > 3) a.w = operation(a.w, b.w);
  return a;
}

template <Vectorial Vector>
__host__ __device__ __forceinline__ Vector same(decltype(Vector::x) value) {
  Vector made;
  made.x = made.y = value;
  if constexpr (lanes<Vector> > 2) made.z = value;
  if constexpr (lanes<Vector> > 3) made.w = value;
  return made;
}

}  // namespace hip_vectors

#define HIP_VECTOR_OPERATOR(op)                                                                      \
  template <hip_vectors::Vectorial Vector>                                                           \
  __host__ __device__ __forceinline__ Vector operator op(const Vector& a, const Vector& b) {         \
    return hip_vectors::each(a, b, [](auto one, auto other) { return one op other; });               \
  }                                                                                                  \
  template <hip_vectors::Vectorial Vector, class Number>                                             \
    requires std::is_arithmetic_v<Number>                                                            \
  __host__ __device__ __forceinline__ Vector operator op(const Vector& a, Number b) {                \
    return a op hip_vectors::same<Vector>(b);                                                        \
  }                                                                                                  \
  template <hip_vectors::Vectorial Vector, class Number>                                             \
    requires std::is_arithmetic_v<Number>                                                            \
  __host__ __device__ __forceinline__ Vector operator op(Number a, const Vector& b) {                \
    return hip_vectors::same<Vector>(a) op b;                                                        \
  }                                                                                                  \
  template <hip_vectors::Vectorial Vector, class Other>                                              \
  __host__ __device__ __forceinline__ Vector& operator op##=(Vector& a, const Other& b) {            \
    return a = a op b;                                                                               \
  }
HIP_VECTOR_OPERATOR(+)
HIP_VECTOR_OPERATOR(-)
HIP_VECTOR_OPERATOR(*)
HIP_VECTOR_OPERATOR(/)
#undef HIP_VECTOR_OPERATOR
