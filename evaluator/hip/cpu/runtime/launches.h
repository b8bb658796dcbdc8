// Which launches gfx942 refuses. A refused launch runs nothing and is left for hipGetLastError, as on the device.
#pragma once
#include <hip/hip_runtime.h>

#include "kernels.h"

namespace hipcpu {

bool possible(const Configuration&);
bool possible(const Kernel&, dim3 block, size_t dynamic_lds);

// The kernel's name as its source has it.
std::string name_of(const Kernel&);

// Remembers the error, and for the judge a phrase for people.
void refuse(hipError_t, const char* format, ...) __attribute__((format(printf, 2, 3)));

// The order of blocks, waves and lanes in all launches from now on; 0: upwards.
void set_order(uint64_t seed);

}  // namespace hipcpu
