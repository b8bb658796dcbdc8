// HIP's qualifiers as plain C++. Everything is "device code" here, so kernels take the branch they take on gfx942.
#pragma once

#define __HIP_PLATFORM_AMD__ 1
#define __HIP_DEVICE_COMPILE__ 1
#define __gfx942__ 1

// inside/hip_cpu/kernels.py reads the annotations. A kernel stays a function of its own, which it can find.
#define __global__ __attribute__((noinline, used, annotate("hipcpu_kernel")))
#define __device__ __attribute__((annotate("hipcpu_device")))
#define __host__
#define __managed__ __device__
#define __constant__ __device__  // ordinary memory: hipMemcpyToSymbol copies into the variable itself

#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...) __attribute__((annotate("hipcpu_bounds", __VA_ARGS__)))
#define hipcpu_launch_bounds(...) annotate("hipcpu_bounds", __VA_ARGS__)
#define amdgpu_flat_work_group_size(least, most) annotate("hipcpu_bounds", most)

// Static LDS. All of it lies in one linker section, so that the runtime can poison it before each block; one copy is
// enough because one block runs at a time. `extern __shared__` arrays are rewritten before compilation.
#define __shared__ static __attribute__((section("hipcpu_shared")))

// A null pointer constant that survives being passed on to a kernel; glibc's NULL becomes a long.
#undef NULL
#define NULL nullptr
