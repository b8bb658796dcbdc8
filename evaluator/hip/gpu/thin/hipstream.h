// The current stream, guards and checks without torch's headers; prepare_gpu.py gives this file the names of theirs.
#pragma once
#include <hip/hip_runtime.h>
#include <types.h>

namespace c10::hip {
inline namespace arena_thin {

class HIPStream {
 public:
  explicit HIPStream(void* stream) : stream_(static_cast<hipStream_t>(stream)) {}
  hipStream_t stream() const { return stream_; }
  operator hipStream_t() const { return stream_; }
  friend bool operator==(HIPStream, HIPStream) = delete;  // torch's compares the devices, too

 private:
  hipStream_t stream_;
};

inline HIPStream getCurrentHIPStream(DeviceIndex device = -1) {
  return HIPStream(arena_binding::current_stream(device));
}
inline HIPStream getDefaultHIPStream(DeviceIndex device = -1) {
  return HIPStream(arena_binding::default_stream(device));
}
inline HIPStream getCurrentHIPStreamMasqueradingAsCUDA(DeviceIndex device = -1) { return getCurrentHIPStream(device); }

class OptionalHIPGuard {
 public:
  explicit OptionalHIPGuard(Device device) : OptionalHIPGuard(device.index()) {
    TORCH_CHECK(device.is_cuda(), "CUDAGuardImpl initialized with non-CUDA DeviceType: ", device);
  }
  explicit OptionalHIPGuard(DeviceIndex index) : before_(arena_binding::exchange_device(index)) {}
  OptionalHIPGuard(const OptionalHIPGuard&) = delete;
  ~OptionalHIPGuard() { arena_binding::exchange_device(before_); }

 private:
  int before_;
};
using HIPGuard = OptionalHIPGuard;
using HIPGuardMasqueradingAsCUDA = OptionalHIPGuard;
using OptionalHIPGuardMasqueradingAsCUDA = OptionalHIPGuard;

}  // namespace arena_thin
}  // namespace c10::hip

namespace c10::cuda {
using CUDAStream = hip::HIPStream;
using CUDAGuard = hip::HIPGuard;
using OptionalCUDAGuard = hip::OptionalHIPGuard;
inline CUDAStream getCurrentCUDAStream(DeviceIndex device = -1) { return hip::getCurrentHIPStream(device); }
inline CUDAStream getDefaultCUDAStream(DeviceIndex device = -1) { return hip::getDefaultHIPStream(device); }
}  // namespace c10::cuda
namespace at::cuda {
using namespace c10::cuda;
hipDeviceProp_t* getCurrentDeviceProperties();
hipDeviceProp_t* getDeviceProperties(c10::DeviceIndex device);
}  // namespace at::cuda
namespace at::hip {
using namespace c10::hip;
using at::cuda::getCurrentDeviceProperties;
using at::cuda::getDeviceProperties;
}  // namespace at::hip

#define C10_HIP_CHECK(call)                                                        \
  do {                                                                             \
    const hipError_t arena_error = call;                                           \
    ::arena_binding::check_device(int(arena_error), __func__, __FILE__, __LINE__); \
  } while (0)
#define C10_HIP_KERNEL_LAUNCH_CHECK() C10_HIP_CHECK(hipGetLastError())
#define C10_CUDA_CHECK C10_HIP_CHECK
#define AT_CUDA_CHECK C10_HIP_CHECK
#define C10_CUDA_KERNEL_LAUNCH_CHECK C10_HIP_KERNEL_LAUNCH_CHECK
