// The parts of the host API that keep something or are long; the rest is inline in hip/hip_runtime_api.h.
#include <hip/hip_runtime_api.h>

#include "launches.h"
#include "memory.h"

#include <cstdarg>

namespace hipcpu {
namespace {

constexpr unsigned char kPoison = 0xFF;  // NaN in every float type
hipError_t last_error = hipSuccess;
char unasked[400] = "";  // about a refused launch, until somebody asks for the last error

}  // namespace

hipError_t failed(hipError_t error) { return last_error = error; }

void refuse(hipError_t error, const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int length = vsnprintf(unasked, sizeof unasked, format, values);
  va_end(values);
  if (length < int(sizeof unasked)) snprintf(unasked + length, sizeof unasked - length, " (%s)", hipGetErrorName(error));
  failed(error);
}

hipError_t allocate(void** address, size_t size) {
  *address = nullptr;
  if (size == 0) return hipSuccess;
  const size_t rounded = (size + 255) / 256 * 256;
  if (size > hipDeviceProp_t().totalGlobalMem || !(*address = aligned_alloc(256, rounded)))
    return failed(hipErrorOutOfMemory);
  memset(*address, kPoison, size);
  note_memory(*address, size);
  return hipSuccess;
}

hipError_t release(void* address) {
  if (!address) return hipSuccess;
  if (!forget_memory(address)) return failed(hipErrorInvalidValue);
  free(address);
  return hipSuccess;
}

hipError_t share(void* address, size_t size) {
  if (!address || size == 0) return failed(hipErrorInvalidValue);
  note_memory(address, size);
  return hipSuccess;
}

hipError_t unshare(void* address) { return forget_memory(address) ? hipSuccess : failed(hipErrorInvalidValue); }

}  // namespace hipcpu

// What inside/hip_cpu/runtime.py calls.
extern "C" {
void hipcpu_attach(hipcpu::Owner owner) { hipcpu::set_owner_of_tensors(owner); }
void hipcpu_order(uint64_t seed) { hipcpu::set_order(seed); }

// The refused launch that nobody asked about, once; empty where there is none.
void hipcpu_unasked(char* text, size_t size) {
  snprintf(text, size, "%s", hipcpu::unasked);
  hipcpu::unasked[0] = 0;
}
}

hipError_t hipGetLastError() {
  const hipError_t error = hipcpu::last_error;
  hipcpu::last_error = hipSuccess;
  hipcpu::unasked[0] = 0;
  return error;
}

hipError_t hipPeekAtLastError() {
  hipcpu::unasked[0] = 0;
  return hipcpu::last_error;
}

const char* hipGetErrorString(hipError_t error) {
  switch (error) {
    case hipSuccess: return "no error";
    case hipErrorInvalidValue: return "invalid argument";
    case hipErrorOutOfMemory: return "out of memory";
    case hipErrorInvalidConfiguration: return "invalid configuration argument";
    case hipErrorInvalidDevice: return "invalid device ordinal";
    case hipErrorLaunchFailure: return "unspecified launch failure";
    case hipErrorNotSupported: return "operation not supported";
    default: return "unknown error";
  }
}

const char* hipGetErrorName(hipError_t error) {
  switch (error) {
    case hipSuccess: return "hipSuccess";
    case hipErrorInvalidValue: return "hipErrorInvalidValue";
    case hipErrorOutOfMemory: return "hipErrorOutOfMemory";
    case hipErrorInvalidConfiguration: return "hipErrorInvalidConfiguration";
    case hipErrorInvalidDevice: return "hipErrorInvalidDevice";
    case hipErrorLaunchFailure: return "hipErrorLaunchFailure";
    case hipErrorNotSupported: return "hipErrorNotSupported";
    default: return "hipErrorUnknown";
  }
}

hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int) {
  const hipDeviceProp_t device;
  switch (attribute) {
    case hipDeviceAttributeMultiprocessorCount: *value = device.multiProcessorCount; break;
    case hipDeviceAttributeMaxThreadsPerBlock: *value = device.maxThreadsPerBlock; break;
    case hipDeviceAttributeMaxThreadsPerMultiProcessor: *value = device.maxThreadsPerMultiProcessor; break;
    case hipDeviceAttributeMaxSharedMemoryPerBlock: *value = int(device.sharedMemPerBlock); break;
    case hipDeviceAttributeWarpSize: *value = device.warpSize; break;
    case hipDeviceAttributeComputeCapabilityMajor: *value = device.major; break;
    case hipDeviceAttributeComputeCapabilityMinor: *value = device.minor; break;
    default: return hipcpu::failed(hipErrorInvalidValue);
  }
  return hipSuccess;
}
