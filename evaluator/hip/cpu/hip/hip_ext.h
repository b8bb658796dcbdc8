// Launches that take events for their start and stop.
#pragma once
#include <hip/hip_runtime.h>

#define hipExtLaunchKernelGGL(kernel, grid, block, shared, stream, start, stop, flags, ...)                    \
  (::hipcpu::record(start), hipLaunchKernelGGL(kernel, grid, block, shared, stream __VA_OPT__(, ) __VA_ARGS__), \
   ::hipcpu::record(stop))

namespace hipcpu {
inline void record(hipEvent_t event) {
  if (event) (void)hipEventRecord(event);
}
}  // namespace hipcpu

template <class... Parameters>
hipError_t hipExtLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments, size_t shared,
                              hipStream_t stream, hipEvent_t start, hipEvent_t stop, int) {
  hipcpu::record(start);
  const hipError_t error = hipLaunchKernel(kernel, grid, block, arguments, shared, stream);
  hipcpu::record(stop);
  return error;
}
