// The host side of HIP for one device whose memory is the host's: everything is done when the call returns.
#pragma once
#include <hip/hip_vector_types.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>

enum hipError_t {
  hipSuccess = 0,
  hipErrorInvalidValue = 1,
  hipErrorOutOfMemory = 2,
  hipErrorMemoryAllocation = 2,
  hipErrorNotInitialized = 3,
  hipErrorInvalidConfiguration = 9,
  hipErrorInvalidSymbol = 13,
  hipErrorInvalidDevicePointer = 17,
  hipErrorInvalidMemcpyDirection = 21,
  hipErrorNoDevice = 100,
  hipErrorInvalidDevice = 101,
  hipErrorNotReady = 600,
  hipErrorLaunchFailure = 719,
  hipErrorNotSupported = 801,
  hipErrorUnknown = 999,
};

namespace hipcpu {
// Remembers an error for hipGetLastError and returns it.
__attribute__((visibility("hidden"))) hipError_t failed(hipError_t error);
}  // namespace hipcpu

__attribute__((visibility("hidden"))) hipError_t hipGetLastError();
__attribute__((visibility("hidden"))) hipError_t hipPeekAtLastError();
__attribute__((visibility("hidden"))) const char* hipGetErrorString(hipError_t error);
__attribute__((visibility("hidden"))) const char* hipGetErrorName(hipError_t error);

// ---- memory
enum hipMemcpyKind {
  hipMemcpyHostToHost,
  hipMemcpyHostToDevice,
  hipMemcpyDeviceToHost,
  hipMemcpyDeviceToDevice,
  hipMemcpyDefault
};
typedef struct hipcpu_stream* hipStream_t;
constexpr unsigned hipHostMallocDefault = 0, hipStreamDefault = 0, hipStreamNonBlocking = 1, hipEventDefault = 0,
                   hipEventDisableTiming = 2;

namespace hipcpu {
// New memory is poisoned like LDS: a kernel that reads what nobody wrote shows NaN.
__attribute__((visibility("hidden"))) hipError_t allocate(void** address, size_t size);
__attribute__((visibility("hidden"))) hipError_t release(void* address);
// Memory of the host that kernels may read.
__attribute__((visibility("hidden"))) hipError_t share(void* address, size_t size);
__attribute__((visibility("hidden"))) hipError_t unshare(void* address);
}  // namespace hipcpu

template <class T>
hipError_t hipMalloc(T** address, size_t size) {
  return hipcpu::allocate(reinterpret_cast<void**>(address), size);
}
template <class T>
hipError_t hipMallocManaged(T** address, size_t size, unsigned = 0) {
  return hipMalloc(address, size);
}
template <class T>
hipError_t hipHostMalloc(T** address, size_t size, unsigned = 0) {
  return hipMalloc(address, size);
}
template <class T>
hipError_t hipMallocAsync(T** address, size_t size, hipStream_t = nullptr) {
  return hipMalloc(address, size);
}
inline hipError_t hipHostRegister(void* address, size_t size, unsigned = 0) { return hipcpu::share(address, size); }
inline hipError_t hipHostUnregister(void* address) { return hipcpu::unshare(address); }
template <class T>
hipError_t hipHostGetDevicePointer(T** device, void* host, unsigned = 0) {
  return *device = static_cast<T*>(host), hipSuccess;
}
inline hipError_t hipFree(void* address) { return hipcpu::release(address); }
inline hipError_t hipHostFree(void* address) { return hipFree(address); }
inline hipError_t hipFreeAsync(void* address, hipStream_t = nullptr) { return hipFree(address); }

inline hipError_t hipMemcpy(void* to, const void* from, size_t size, hipMemcpyKind) {
  return memmove(to, from, size), hipSuccess;
}
inline hipError_t hipMemcpyAsync(void* to, const void* from, size_t size, hipMemcpyKind kind, hipStream_t = nullptr) {
  return hipMemcpy(to, from, size, kind);
}
inline hipError_t hipMemcpyWithStream(void* to, const void* from, size_t size, hipMemcpyKind kind, hipStream_t) {
  return hipMemcpy(to, from, size, kind);
}
typedef void* hipDeviceptr_t;
inline hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t size) {
  return hipMemcpy(to, from, size, hipMemcpyDeviceToDevice);
}
inline hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t size, hipStream_t) {
  return hipMemcpyDtoD(to, from, size);
}
inline hipError_t hipMemcpyHtoD(hipDeviceptr_t to, const void* from, size_t size) {
  return hipMemcpy(to, from, size, hipMemcpyHostToDevice);
}
inline hipError_t hipMemcpyDtoH(void* to, hipDeviceptr_t from, size_t size) {
  return hipMemcpy(to, from, size, hipMemcpyDeviceToHost);
}
inline hipError_t hipMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, hipMemcpyKind kind) {
  if (width > to_pitch || width > from_pitch) return hipcpu::failed(hipErrorInvalidValue);
  for (size_t row = 0; row < height; ++row)
    (void)hipMemcpy((char*)to + row * to_pitch, (const char*)from + row * from_pitch, width, kind);
  return hipSuccess;
}
inline hipError_t hipMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                   size_t height, hipMemcpyKind kind, hipStream_t = nullptr) {
  return hipMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}
inline hipError_t hipMemset(void* to, int value, size_t size) { return memset(to, value, size), hipSuccess; }
inline hipError_t hipMemsetAsync(void* to, int value, size_t size, hipStream_t = nullptr) {
  return hipMemset(to, value, size);
}

// ---- __constant__ and __device__ variables
#define HIP_SYMBOL(symbol) symbol
template <class T>
hipError_t hipMemcpyToSymbol(T& symbol, const void* from, size_t size, size_t offset = 0,
                             hipMemcpyKind kind = hipMemcpyHostToDevice) {
  if (offset > sizeof symbol || size > sizeof symbol - offset) return hipcpu::failed(hipErrorInvalidValue);
  return hipMemcpy((char*)&symbol + offset, from, size, kind);
}
template <class T>
hipError_t hipMemcpyToSymbolAsync(T& symbol, const void* from, size_t size, size_t offset = 0,
                                  hipMemcpyKind kind = hipMemcpyHostToDevice, hipStream_t = nullptr) {
  return hipMemcpyToSymbol(symbol, from, size, offset, kind);
}
template <class T>
hipError_t hipMemcpyFromSymbol(void* to, const T& symbol, size_t size, size_t offset = 0,
                               hipMemcpyKind kind = hipMemcpyDeviceToHost) {
  if (offset > sizeof symbol || size > sizeof symbol - offset) return hipcpu::failed(hipErrorInvalidValue);
  return hipMemcpy(to, (const char*)&symbol + offset, size, kind);
}
template <class T>
hipError_t hipMemcpyFromSymbolAsync(void* to, const T& symbol, size_t size, size_t offset = 0,
                                    hipMemcpyKind kind = hipMemcpyDeviceToHost, hipStream_t = nullptr) {
  return hipMemcpyFromSymbol(to, symbol, size, offset, kind);
}
template <class T>
hipError_t hipGetSymbolSize(size_t* size, const T&) {
  return *size = sizeof(T), hipSuccess;
}
template <class T>
hipError_t hipGetSymbolAddress(void** address, T& symbol) {
  return *address = (void*)&symbol, hipSuccess;
}

// ---- streams and events
inline hipError_t hipStreamCreate(hipStream_t* stream) { return *stream = nullptr, hipSuccess; }
inline hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned) { return hipStreamCreate(stream); }
inline hipError_t hipStreamDestroy(hipStream_t) { return hipSuccess; }
inline hipError_t hipStreamSynchronize(hipStream_t) { return hipSuccess; }
inline hipError_t hipStreamQuery(hipStream_t) { return hipSuccess; }
inline hipError_t hipDeviceSynchronize() { return hipSuccess; }

typedef struct hipcpu_event {
  std::chrono::steady_clock::time_point time;
}* hipEvent_t;
inline hipError_t hipEventCreate(hipEvent_t* event) { return *event = new hipcpu_event, hipSuccess; }
inline hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned) { return hipEventCreate(event); }
inline hipError_t hipEventDestroy(hipEvent_t event) { return delete event, hipSuccess; }
inline hipError_t hipEventRecord(hipEvent_t event, hipStream_t = nullptr) {
  return event->time = std::chrono::steady_clock::now(), hipSuccess;
}
inline hipError_t hipEventSynchronize(hipEvent_t) { return hipSuccess; }
inline hipError_t hipEventQuery(hipEvent_t) { return hipSuccess; }
inline hipError_t hipStreamWaitEvent(hipStream_t, hipEvent_t, unsigned = 0) { return hipSuccess; }
inline hipError_t hipEventElapsedTime(float* ms, hipEvent_t start, hipEvent_t stop) {
  return *ms = std::chrono::duration<float, std::milli>(stop->time - start->time).count(), hipSuccess;
}

// ---- the device: an MI300X as far as kernels ask
struct hipDeviceProp_t {
  char name[256] = "hipcpu (models gfx942)", gcnArchName[256] = "gfx942:sramecc+:xnack-";
  int major = 9, minor = 4, warpSize = 64, multiProcessorCount = 304, maxThreadsPerBlock = 1024,
      maxThreadsPerMultiProcessor = 2048, maxThreadsDim[3] = {1024, 1024, 1024},
      maxGridSize[3] = {2147483647, 65536, 65536}, regsPerBlock = 65536, clockRate = 2100000, memoryClockRate = 1300000,
      memoryBusWidth = 8192, l2CacheSize = 4 << 20, concurrentKernels = 1, canMapHostMemory = 1, cooperativeLaunch = 0;
  size_t sharedMemPerBlock = 65536, maxSharedMemoryPerMultiProcessor = 65536, totalGlobalMem = size_t(192) << 30,
         totalConstMem = 2147483647;
};
enum hipDeviceAttribute_t {
  hipDeviceAttributeMultiprocessorCount,
  hipDeviceAttributeMaxThreadsPerBlock,
  hipDeviceAttributeMaxThreadsPerMultiProcessor,
  hipDeviceAttributeMaxSharedMemoryPerBlock,
  hipDeviceAttributeWarpSize,
  hipDeviceAttributeComputeCapabilityMajor,
  hipDeviceAttributeComputeCapabilityMinor,
};
inline hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int) {
  return *properties = hipDeviceProp_t(), hipSuccess;
}
__attribute__((visibility("hidden"))) hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int);
inline hipError_t hipGetDeviceCount(int* count) { return *count = 1, hipSuccess; }
inline hipError_t hipGetDevice(int* device) { return *device = 0, hipSuccess; }
inline hipError_t hipSetDevice(int device) { return device ? hipcpu::failed(hipErrorInvalidDevice) : hipSuccess; }
inline hipError_t hipMemGetInfo(size_t* available, size_t* total) {
  return *available = *total = hipDeviceProp_t().totalGlobalMem, hipSuccess;
}

// ---- questions about kernels
namespace hipcpu {
constexpr size_t kLdsSize = 65536, kMaxThreads = 1024, kThreadsPerUnit = 2048;

struct KernelLimits {
  size_t max_threads;  // a block
  size_t static_lds;   // bytes
};
__attribute__((visibility("hidden"))) KernelLimits limits_of(const void* kernel);

template <class Kernel>
KernelLimits limits_of(Kernel kernel) {
  return limits_of(reinterpret_cast<const void*>(kernel));
}
}  // namespace hipcpu

struct hipFuncAttributes {
  int binaryVersion = 94, cacheModeCA = 0, maxDynamicSharedSizeBytes = 0, maxThreadsPerBlock = 0, numRegs = 0,
      preferredShmemCarveout = 0, ptxVersion = 94;
  size_t constSizeBytes = 0, localSizeBytes = 0, sharedSizeBytes = 0;
};
template <class Kernel>
hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, Kernel kernel) {
  const hipcpu::KernelLimits limits = hipcpu::limits_of(kernel);
  *attributes = hipFuncAttributes();
  attributes->maxThreadsPerBlock = int(limits.max_threads);
  attributes->sharedSizeBytes = limits.static_lds;
  attributes->maxDynamicSharedSizeBytes = int(hipcpu::kLdsSize - limits.static_lds);
  return hipSuccess;
}
enum hipFuncAttribute { hipFuncAttributeMaxDynamicSharedMemorySize, hipFuncAttributePreferredSharedMemoryCarveout };
enum hipFuncCache_t { hipFuncCachePreferNone, hipFuncCachePreferShared, hipFuncCachePreferL1, hipFuncCachePreferEqual };
template <class Kernel>
hipError_t hipFuncSetAttribute(Kernel, hipFuncAttribute, int) {
  return hipSuccess;
}
template <class Kernel>
hipError_t hipFuncSetCacheConfig(Kernel, hipFuncCache_t) {
  return hipSuccess;
}
template <class Kernel>
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel kernel, int block_size, size_t lds = 0) {
  const hipcpu::KernelLimits limits = hipcpu::limits_of(kernel);
  const size_t used = lds + limits.static_lds;
  if (block_size <= 0) return hipcpu::failed(hipErrorInvalidValue);
  *blocks = size_t(block_size) > limits.max_threads ? 0 : int(hipcpu::kThreadsPerUnit / block_size);
  if (used > 0) *blocks = std::min(*blocks, int(hipcpu::kLdsSize / used));
  return hipSuccess;
}
template <class Kernel>
hipError_t hipOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, Kernel kernel, size_t lds = 0,
                                             int limit = 0) {
  const int most = int(hipcpu::limits_of(kernel).max_threads);
  *block_size = limit > 0 ? std::min(limit, most) : most;
  int blocks = 0;
  const hipError_t error = hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, *block_size, lds);
  *grid_size = blocks * hipDeviceProp_t().multiProcessorCount;
  return error;
}
