#include "launches.h"

#include <cxxabi.h>

#include <memory>

namespace hipcpu {

std::string name_of(const Kernel& kernel) {
  int status = 0;
  const std::unique_ptr<char, decltype(&free)> name(abi::__cxa_demangle(kernel.symbol, nullptr, nullptr, &status), free);
  return name ? name.get() : kernel.symbol;
}

static uint64_t volume(dim3 extent) { return uint64_t(extent.x) * extent.y * extent.z; }

bool possible(const Configuration& c) {
  const uint64_t threads = volume(c.block);
  if (c.shared > kLdsSize) {
    refuse(hipErrorInvalidValue, "%zu bytes of dynamic shared memory, gfx942 has %zu", c.shared, kLdsSize);
  } else if (threads > kMaxThreads) {
    refuse(hipErrorInvalidConfiguration, "%zu threads in a block, gfx942 allows %zu", size_t(threads), kMaxThreads);
  } else if (threads == 0 || volume(c.grid) == 0) {
    refuse(hipErrorInvalidConfiguration, "a grid of (%u, %u, %u) blocks of (%u, %u, %u) threads is empty", c.grid.x,
           c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z);
  } else if (c.grid.x > 2147483647u || c.grid.y > 65536 || c.grid.z > 65536 ||
             uint64_t(c.grid.x) * c.block.x >= uint64_t(1) << 32) {
    refuse(hipErrorInvalidConfiguration, "a grid of (%u, %u, %u) blocks is too large for gfx942", c.grid.x, c.grid.y,
           c.grid.z);
  } else {
    return true;
  }
  return false;
}

bool possible(const Kernel& kernel, dim3 block, size_t dynamic_lds) {
  if (volume(block) > kernel.max_threads) {
    refuse(hipErrorLaunchFailure, "%zu threads in a block, the __launch_bounds__ of %s allow %zu", size_t(volume(block)),
           name_of(kernel).c_str(), kernel.max_threads);
  } else if (kernel.static_lds + dynamic_lds > kLdsSize) {
    refuse(hipErrorInvalidValue, "%zu bytes of static and %zu of dynamic shared memory in %s, gfx942 has %zu",
           kernel.static_lds, dynamic_lds, name_of(kernel).c_str(), kLdsSize);
  } else {
    return true;
  }
  return false;
}

const Kernel* kernel_at(const void* function) {
  for (size_t i = 0; i < hipcpu_kernel_count; ++i)
    if (hipcpu_kernels[i]->function == function) return hipcpu_kernels[i];
  return nullptr;
}

KernelLimits limits_of(const void* function) {
  const Kernel* kernel = kernel_at(function);
  return kernel ? KernelLimits{kernel->max_threads, kernel->static_lds} : KernelLimits{kMaxThreads, 0};
}

}  // namespace hipcpu
