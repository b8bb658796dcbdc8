// Atomics. One OS thread runs all lanes and switches only where they meet, so plain reads and writes are atomic.
// A lane whose atomics change nothing is probably waiting for another lane (a spin lock, a flag): it steps aside. After
// some of those that change something it pauses, as a lane of another wave may come between at any time.
#pragma once
#include <hipcpu/context.h>

#include <cstring>

namespace hipcpu {

constexpr uint64_t kIdleAtomicsBeforeYield = 64;

__forceinline__ void note_atomic(bool changed) {
  if (changed) {
    context.idle_atomics = 0;
    if (context.atomics_before_pause && --context.atomics_before_pause == 0) pause_at_atomic();
  } else if (++context.idle_atomics % kIdleAtomicsBeforeYield == 0)
    yield_to_other_lanes();
}

template <class T, class F>
__forceinline__ T read_modify_write(T* address, F next) {
  const T old = *address, value = next(old);
  *address = value;
  note_atomic(memcmp(&old, &value, sizeof(T)) != 0);
  return old;
}

template <class T>
__forceinline__ T atomic_load(const T* address) {
  const T value = *const_cast<const volatile T*>(address);
  note_atomic(false);
  return value;
}

template <class T, class U>
__forceinline__ void atomic_store(T* address, U value) {
  *address = T(value);
  note_atomic(true);
}

template <class T, class U>
__forceinline__ bool compare_exchange(T* address, T* expected, U desired) {
  const T wanted = *expected;
  *expected = read_modify_write(address, [&](T old) { return old == wanted ? T(desired) : old; });
  return *expected == wanted;
}

}  // namespace hipcpu

// `name(T*, U)` and its _system, _block relatives; the scope makes no difference here.
#define HIPCPU_ATOMIC(name, expression)                         \
  template <class T, class U>                                   \
  __forceinline__ T name(T* address, U operand) {               \
    return hipcpu::read_modify_write(address, [&](T old) -> T { \
      const T value = T(operand);                               \
      return expression;                                        \
    });                                                         \
  }                                                             \
  template <class T, class U>                                   \
  __forceinline__ T name##_system(T* address, U operand) {      \
    return name(address, operand);                              \
  }
HIPCPU_ATOMIC(atomicAdd, T(old + value))
HIPCPU_ATOMIC(atomicSub, T(old - value))
HIPCPU_ATOMIC(atomicMax, old < value ? value : old)
HIPCPU_ATOMIC(atomicMin, value < old ? value : old)
HIPCPU_ATOMIC(atomicAnd, T(old& value))
HIPCPU_ATOMIC(atomicOr, T(old | value))
HIPCPU_ATOMIC(atomicXor, T(old ^ value))
HIPCPU_ATOMIC(atomicExch, value)
HIPCPU_ATOMIC(atomicInc, old >= value ? T(0) : T(old + 1))
HIPCPU_ATOMIC(atomicDec, old == 0 || old > value ? value : T(old - 1))
HIPCPU_ATOMIC(unsafeAtomicAdd, T(old + value))
HIPCPU_ATOMIC(unsafeAtomicMax, old < value ? value : old)
HIPCPU_ATOMIC(unsafeAtomicMin, value < old ? value : old)
HIPCPU_ATOMIC(safeAtomicAdd, T(old + value))
HIPCPU_ATOMIC(atomicAddNoRet, T(old + value))
#undef HIPCPU_ATOMIC

template <class T, class U, class V>
__forceinline__ T atomicCAS(T* address, U compare, V value) {
  return hipcpu::read_modify_write(address, [&](T old) { return old == T(compare) ? T(value) : old; });
}
template <class T, class U, class V>
__forceinline__ T atomicCAS_system(T* address, U compare, V value) {
  return atomicCAS(address, compare, value);
}

#define __HIP_MEMORY_SCOPE_SINGLETHREAD 1
#define __HIP_MEMORY_SCOPE_WAVEFRONT 2
#define __HIP_MEMORY_SCOPE_WORKGROUP 3
#define __HIP_MEMORY_SCOPE_AGENT 4
#define __HIP_MEMORY_SCOPE_SYSTEM 5
#define __hip_atomic_load(address, order, scope) ::hipcpu::atomic_load(address)
#define __hip_atomic_store(address, value, order, scope) ::hipcpu::atomic_store(address, value)
#define __hip_atomic_exchange(address, value, order, scope) atomicExch(address, value)
#define __hip_atomic_fetch_add(address, value, order, scope) atomicAdd(address, value)
#define __hip_atomic_fetch_min(address, value, order, scope) atomicMin(address, value)
#define __hip_atomic_fetch_max(address, value, order, scope) atomicMax(address, value)
#define __hip_atomic_fetch_and(address, value, order, scope) atomicAnd(address, value)
#define __hip_atomic_fetch_or(address, value, order, scope) atomicOr(address, value)
#define __hip_atomic_fetch_xor(address, value, order, scope) atomicXor(address, value)
#define __hip_atomic_compare_exchange_strong(address, expected, value, success, failure, scope) \
  ::hipcpu::compare_exchange(address, expected, value)
#define __hip_atomic_compare_exchange_weak __hip_atomic_compare_exchange_strong
