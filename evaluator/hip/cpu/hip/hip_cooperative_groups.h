// Cooperative groups within a block: the block, tiles of a wave, and the lanes that happen to be together.
#pragma once
#include <hip/hip_runtime.h>

namespace cooperative_groups {

class thread_block {
 public:
  static dim3 group_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
  static dim3 thread_index() { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
  static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned size() { return num_threads(); }
  static unsigned thread_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
  static bool is_valid() { return true; }
  static void sync() { __syncthreads(); }
};

inline thread_block this_thread_block() { return {}; }

// `Size` lanes side by side in a wave, a power of two. As on the device, lanes that are not there read as 0.
template <unsigned Size, class Parent = void>
class thread_block_tile {
  static_assert(Size > 0 && Size <= warpSize && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4 … 64 lanes");

 public:
  static unsigned thread_rank() { return unsigned(hipcpu::lane()) % Size; }
  static constexpr unsigned num_threads() { return Size; }
  static constexpr unsigned size() { return Size; }
  static unsigned meta_group_rank() { return thread_block::thread_rank() / Size; }
  static unsigned meta_group_size() { return (thread_block::num_threads() + Size - 1) / Size; }
  static bool is_valid() { return true; }
  __forceinline__ static void sync() { __syncwarp(); }
  template <class T>
  __forceinline__ static T shfl(T value, int source) {
    return __shfl(value, source, Size);
  }
  template <class T>
  __forceinline__ static T shfl_down(T value, unsigned delta) {
    return __shfl_down(value, delta, Size);
  }
  template <class T>
  __forceinline__ static T shfl_up(T value, unsigned delta) {
    return __shfl_up(value, delta, Size);
  }
  template <class T>
  __forceinline__ static T shfl_xor(T value, unsigned mask) {
    return __shfl_xor(value, int(mask), Size);
  }
  __forceinline__ static unsigned long long ballot(int predicate) { return own_bits(__ballot(predicate)); }
  __forceinline__ static int any(int predicate) { return ballot(predicate) != 0; }
  __forceinline__ static int all(int predicate) { return ballot(!predicate) == 0; }

 private:
  static unsigned long long own_bits(unsigned long long wave) {
    return wave >> (hipcpu::lane() - thread_rank()) & (~0ull >> (64 - Size));
  }
};

template <unsigned Size, class Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return {};
}

class coalesced_group {
 public:
  explicit coalesced_group(unsigned long long lanes) : lanes_(lanes) {}
  unsigned num_threads() const { return unsigned(__builtin_popcountll(lanes_)); }
  unsigned size() const { return num_threads(); }
  unsigned thread_rank() const { return unsigned(__builtin_popcountll(lanes_ & ((1ull << hipcpu::lane()) - 1))); }
  bool is_valid() const { return true; }
  __forceinline__ void sync() const { __syncwarp(); }
  template <class T>
  __forceinline__ T shfl(T value, int source) const {
    return hipcpu::wave_exchange(value, lane_of(unsigned(source) % num_threads()));
  }
  template <class T>
  __forceinline__ T shfl_down(T value, unsigned delta) const {
    const unsigned source = thread_rank() + delta;
    return hipcpu::wave_exchange(value, source < num_threads() ? lane_of(source) : hipcpu::lane());
  }
  template <class T>
  __forceinline__ T shfl_up(T value, unsigned delta) const {
    const unsigned self = thread_rank();
    return hipcpu::wave_exchange(value, self >= delta ? lane_of(self - delta) : hipcpu::lane());
  }

 private:
  int lane_of(unsigned rank) const {
    unsigned long long rest = lanes_;
    while (rank-- > 0) rest &= rest - 1;
    return __builtin_ctzll(rest);
  }

  unsigned long long lanes_;
};

__forceinline__ coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <class Group>
__forceinline__ void sync(const Group& group) {
  group.sync();
}
template <class Group>
auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
auto group_size(const Group& group) {
  return group.size();
}

}  // namespace cooperative_groups
