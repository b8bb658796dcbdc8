// HIP's language on an NVIDIA GPU, with nvcc. The runtime's names are macros for CUDA's, generated when the host is
// prepared (hip_cuda_names.h); features of the language that CUDA lacks are here. A warp has 32 lanes: sources that
// assume 64 are rejected before (inside/hip_gpu/waves.py).
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <hip/hip_cuda_names.h>

#include <cstdio>
#include <type_traits>

#define __HIP_PLATFORM_NVIDIA__ 1
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(symbol) symbol
#define HIP_DYNAMIC_SHARED(Type, name) extern __shared__ Type name[];

template <class... Parameters, class... Arguments>
inline void hipLaunchKernelGGL(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared_bytes,
                               cudaStream_t stream, Arguments&&... arguments) {
  kernel<<<grid, block, shared_bytes, stream>>>(static_cast<Parameters>(arguments)...);
}

// ---- HIP's older names of a thread's place
#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z

// ---- waves: HIP's operations take the lanes that are active
#define __shfl(...) __shfl_sync(__activemask(), __VA_ARGS__)
#define __shfl_down(...) __shfl_down_sync(__activemask(), __VA_ARGS__)
#define __shfl_up(...) __shfl_up_sync(__activemask(), __VA_ARGS__)
#define __shfl_xor(...) __shfl_xor_sync(__activemask(), __VA_ARGS__)
#define __ballot(predicate) static_cast<unsigned long long>(__ballot_sync(__activemask(), (predicate)))

// __any and __all under the names that build.py gives them in sources: CUDA's headers declare both without code.
__device__ __forceinline__ int hip_any(int predicate) { return __any_sync(__activemask(), predicate); }
__device__ __forceinline__ int hip_all(int predicate) { return __all_sync(__activemask(), predicate); }
__device__ __forceinline__ unsigned __lane_id() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

// ---- atomics
template <class T>
__device__ __forceinline__ T unsafeAtomicAdd(T* address, T value) {
  return atomicAdd(address, value);
}
template <class T>
__device__ __forceinline__ T safeAtomicAdd(T* address, T value) {
  return atomicAdd(address, value);
}

// ---- types
using __hip_bfloat16 = __nv_bfloat16;
using __hip_bfloat162 = __nv_bfloat162;
using hip_bfloat16 = __nv_bfloat16;

#include <hip/hip_vector_operators.h>
