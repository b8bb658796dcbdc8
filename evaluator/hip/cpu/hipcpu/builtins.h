// The amdgcn builtins that have a meaning on one lane or one wave; rewrite.py's SUPPORTED_BUILTINS names the same ones.
#pragma once
#include <hipcpu/math.h>
#include <hipcpu/wave.h>
#include <hipcpu/barriers.h>

#include <chrono>

namespace hipcpu {
// The value of the first lane that takes part.
__forceinline__ int read_first_lane(int value) {
  const unsigned long long active = __activemask();
  return wave_exchange(value, __builtin_ctzll(active));
}
inline long long clock_ticks() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
}  // namespace hipcpu

#define __builtin_amdgcn_readfirstlane(value) ::hipcpu::read_first_lane(value)
#define __builtin_amdgcn_readlane(value, lane) ::hipcpu::wave_exchange(int(value), lane)
#define __builtin_amdgcn_ds_bpermute(address, value) ::hipcpu::wave_exchange(int(value), int(address) / 4 % warpSize)
#define __builtin_amdgcn_ballot_w64(predicate) __ballot(predicate)
#define __builtin_amdgcn_mbcnt_lo(mask, add) \
  (unsigned(add) + __builtin_popcountll((unsigned(mask)) & ((1ull << ::hipcpu::lane()) - 1)))
#define __builtin_amdgcn_mbcnt_hi(mask, add) \
  (unsigned(add) + __builtin_popcountll((uint64_t(unsigned(mask)) << 32) & ((1ull << ::hipcpu::lane()) - 1)))
#define __builtin_amdgcn_s_barrier() __syncthreads()
#define __builtin_amdgcn_wave_barrier() __syncwarp()
#define __builtin_amdgcn_sched_barrier(mask) ((void)0)
#define __builtin_amdgcn_sched_group_barrier(mask, size, id) ((void)0)
#define __builtin_amdgcn_s_waitcnt(counters) ((void)0)
#define __builtin_amdgcn_s_setprio(priority) ((void)0)
#define __builtin_amdgcn_fence(order, scope) ((void)0)
#define __builtin_amdgcn_s_sleep(cycles) ::hipcpu::note_atomic(false)
#define __builtin_amdgcn_rcpf(x) (1.0f / float(x))
#define __builtin_amdgcn_rsqf(x) rsqrtf(x)
#define __builtin_amdgcn_sqrtf(x) sqrtf(x)
#define __builtin_amdgcn_exp2f(x) exp2f(x)
#define __builtin_amdgcn_logf(x) log2f(x)
#define __builtin_amdgcn_fmed3f(x, y, z) fmaxf(fminf(x, y), fminf(fmaxf(x, y), z))

inline long long clock64() { return hipcpu::clock_ticks(); }
inline long long wall_clock64() { return hipcpu::clock_ticks(); }
