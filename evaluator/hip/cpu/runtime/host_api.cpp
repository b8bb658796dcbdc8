// The parts of the host API that keep something or are long; the rest is inline in hip/hip_runtime_api.h.
#include <hip/hip_runtime_api.h>

namespace hipcpu {
namespace {

constexpr unsigned char kPoison = 0xFF;  // NaN in every float type
hipError_t last_error = hipSuccess;

}  // namespace

hipError_t failed(hipError_t error) { return last_error = error; }

hipError_t allocate(void** address, size_t size) {
  const size_t rounded = (size + 255) / 256 * 256;
  if (size > hipDeviceProp_t().totalGlobalMem || !(*address = aligned_alloc(256, rounded)))
    return failed(hipErrorOutOfMemory);
  memset(*address, kPoison, size);
  return hipSuccess;
}

}  // namespace hipcpu

hipError_t hipGetLastError() {
  const hipError_t error = hipcpu::last_error;
  hipcpu::last_error = hipSuccess;
  return error;
}

hipError_t hipPeekAtLastError() { return hipcpu::last_error; }

const char* hipGetErrorString(hipError_t error) {
  switch (error) {
    case hipSuccess: return "no error";
    case hipErrorInvalidValue: return "invalid argument";
    case hipErrorOutOfMemory: return "out of memory";
    case hipErrorInvalidConfiguration: return "invalid configuration argument";
    case hipErrorInvalidDevice: return "invalid device ordinal";
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
