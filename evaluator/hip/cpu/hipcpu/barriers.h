// Barriers and fences. All lanes share one OS thread, so a fence has nothing to order.
#pragma once
#include <hipcpu/context.h>

__forceinline__ void __syncthreads() { hipcpu::block_barrier(false); }
__forceinline__ int __syncthreads_count(int predicate) { return hipcpu::block_barrier(predicate != 0); }
__forceinline__ int __syncthreads_or(int predicate) { return hipcpu::block_barrier(predicate != 0) != 0; }
__forceinline__ int __syncthreads_and(int predicate) { return hipcpu::block_barrier(predicate == 0) == 0; }

__forceinline__ void __syncwarp(unsigned long long = ~0ull) { hipcpu::wave_ballot(true); }

inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
