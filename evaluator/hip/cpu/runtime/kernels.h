// What the compiler knows of each __global__ function; inside/hip_cpu/kernels.py adds these to a source's code.
#pragma once
#include <cstddef>

namespace hipcpu {

struct Kernel {
  const void* function;
  size_t max_threads;  // a block: the smallest of its __launch_bounds__, else what the device has
  size_t static_lds;   // bytes, with what the device functions use that it calls
  const char* symbol;
};

}  // namespace hipcpu

extern "C" {
extern __attribute__((visibility("hidden"))) const hipcpu::Kernel* const hipcpu_kernels[];
extern __attribute__((visibility("hidden"))) const size_t hipcpu_kernel_count;

// Called where a kernel begins, by each of its lanes.
__attribute__((visibility("hidden"))) void hipcpu_enter(const hipcpu::Kernel*);
}
