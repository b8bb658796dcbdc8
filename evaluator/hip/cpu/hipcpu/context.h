// What a running HIP thread knows about itself. Each HIP thread ("lane") is a fiber, one block at a time, all on one OS
// thread: the order is fixed, and lanes meet at barriers and wave operations exactly as on a 64-wide wavefront.
#pragma once
#include <hip/hip_vector_types.h>

#include <cstdint>

constexpr int warpSize = 64;
#define __AMDGCN_WAVEFRONT_SIZE 64
#define __AMDGCN_WAVEFRONT_SIZE__ 64

// Operations at which lanes meet. The compiler may not copy or move them into other control flow: the lanes of a wave
// find each other by the calls they are in.
#define HIPCPU_MEETING __attribute__((convergent, noinline, visibility("hidden")))

namespace hipcpu {

struct Position {
  uint3 thread;
  int lane;  // in its wave
  int wave;  // in its block
};

struct Context {
  dim3 grid, block;
  uint3 block_index;
  Position* running;
  uint64_t idle_atomics;  // since memory last changed or a lane met others
  uint64_t atomics_before_pause;  // until a lane lets others go first; 0: it never does
};

extern __attribute__((visibility("hidden"))) Context context;

// The value of lane `source` of this wave; 0 if that lane takes no part (as ds_bpermute reads a disabled lane).
HIPCPU_MEETING uint64_t wave_read(uint64_t value, int source);
HIPCPU_MEETING uint64_t wave_ballot(bool vote);

// The number of lanes of the block that voted, counted at __syncthreads.
HIPCPU_MEETING int block_barrier(bool vote);

// Lets other lanes run; ends the kernel with an error when nothing has changed for long.
__attribute__((noinline, visibility("hidden"))) void yield_to_other_lanes();

// Lets other lanes run after an atomic, so that the order in which lanes arrive there is not the order they go on in.
__attribute__((noinline, visibility("hidden"))) void pause_at_atomic();

}  // namespace hipcpu

#define threadIdx (::hipcpu::context.running->thread)
#define blockIdx (::hipcpu::context.block_index)
#define blockDim (::hipcpu::context.block)
#define gridDim (::hipcpu::context.grid)
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
