// Shuffles and votes of a 64-lane wave. The masks of the *_sync forms are not needed: the lanes that can arrive take
// part.
#pragma once
#include <hipcpu/context.h>

#include <cstring>

namespace hipcpu {

template <class T>
__forceinline__ T wave_exchange(T value, int source) {
  static_assert(sizeof(T) <= sizeof(uint64_t), "a shuffle moves at most 8 bytes");
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  bits = wave_read(bits, source);
  memcpy(&value, &bits, sizeof value);
  return value;
}

__forceinline__ int lane() { return context.running->lane; }

}  // namespace hipcpu

template <class T>
__forceinline__ T __shfl(T value, int source, int width = warpSize) {
  return hipcpu::wave_exchange(value, (hipcpu::lane() & ~(width - 1)) + (source & (width - 1)));
}
template <class T>
__forceinline__ T __shfl_down(T value, unsigned delta, int width = warpSize) {
  const int self = hipcpu::lane(), within = (self & (width - 1)) + int(delta);
  return hipcpu::wave_exchange(value, within < width ? self + int(delta) : self);
}
template <class T>
__forceinline__ T __shfl_up(T value, unsigned delta, int width = warpSize) {
  const int self = hipcpu::lane(), within = (self & (width - 1)) - int(delta);
  return hipcpu::wave_exchange(value, within >= 0 ? self - int(delta) : self);
}
template <class T>
__forceinline__ T __shfl_xor(T value, int mask, int width = warpSize) {
  const int self = hipcpu::lane(), other = self ^ mask;
  return hipcpu::wave_exchange(value, (other & ~(width - 1)) == (self & ~(width - 1)) ? other : self);
}
template <class T>
__forceinline__ T __shfl_sync(unsigned long long, T value, int source, int width = warpSize) {
  return __shfl(value, source, width);
}
template <class T>
__forceinline__ T __shfl_down_sync(unsigned long long, T value, unsigned delta, int width = warpSize) {
  return __shfl_down(value, delta, width);
}
template <class T>
__forceinline__ T __shfl_up_sync(unsigned long long, T value, unsigned delta, int width = warpSize) {
  return __shfl_up(value, delta, width);
}
template <class T>
__forceinline__ T __shfl_xor_sync(unsigned long long, T value, int mask, int width = warpSize) {
  return __shfl_xor(value, mask, width);
}

__forceinline__ unsigned long long __ballot(int predicate) { return hipcpu::wave_ballot(predicate != 0); }
__forceinline__ int __any(int predicate) { return hipcpu::wave_ballot(predicate != 0) != 0; }
__forceinline__ int __all(int predicate) { return hipcpu::wave_ballot(predicate == 0) == 0; }
__forceinline__ unsigned long long __ballot_sync(unsigned long long, int predicate) { return __ballot(predicate); }
__forceinline__ int __any_sync(unsigned long long, int predicate) { return __any(predicate); }
__forceinline__ int __all_sync(unsigned long long, int predicate) { return __all(predicate); }
__forceinline__ unsigned long long __activemask() { return hipcpu::wave_ballot(true); }

__forceinline__ unsigned __lane_id() { return unsigned(hipcpu::lane()); }
