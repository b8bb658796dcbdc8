// Streams, guards and checks that torch's ROCm build declares, for a torch without ROCm: one device, its default
// stream. prepare.py gives this file all the names in ROCM_HEADERS, in the CPU build and in the gfx942 gate.
#pragma once
#include <c10/core/Device.h>
#include <c10/util/Exception.h>
#include <hip/hip_runtime.h>

namespace hipstream {

struct Stream {
  hipStream_t handle = nullptr;
  hipStream_t stream() const { return handle; }
  operator hipStream_t() const { return handle; }
  int device_index() const { return 0; }
  void synchronize() const { (void)hipStreamSynchronize(handle); }
};

struct Guard {
  template <class... Devices>
  explicit Guard(Devices&&...) {}
  template <class Device>
  void set_device(Device&&) {}
  template <class Device>
  void set_index(Device&&) {}
  template <class Device>
  void reset_device(Device&&) {}
  template <class Other>
  void reset_stream(Other&&) {}
  c10::Device current_device() const { return c10::Device(c10::DeviceType::CPU); }
  c10::Device original_device() const { return c10::Device(c10::DeviceType::CPU); }
};

inline Stream current(int = -1) { return {}; }

inline hipDeviceProp_t* properties() {
  static hipDeviceProp_t device;
  (void)hipGetDeviceProperties(&device, 0);
  return &device;
}

}  // namespace hipstream

#define HIPSTREAM_NAMES(NAME)                                                \
  using NAME##Stream = hipstream::Stream;                                    \
  using NAME##Guard = hipstream::Guard;                                      \
  using Optional##NAME##Guard = hipstream::Guard;                            \
  using NAME##StreamGuard = hipstream::Guard;                                \
  inline hipstream::Stream getCurrent##NAME##Stream(int = -1) { return {}; } \
  inline hipstream::Stream getDefault##NAME##Stream(int = -1) { return {}; } \
  inline void setCurrent##NAME##Stream(hipstream::Stream) {}                 \
  inline hipstream::Stream getStreamFromPool(bool = false, int = -1) { return {}; }

namespace c10::hip {
HIPSTREAM_NAMES(HIP)
// What hipify writes: in torch's ROCm build HIP devices are called CUDA devices.
using HIPStreamMasqueradingAsCUDA = hipstream::Stream;
using HIPGuardMasqueradingAsCUDA = hipstream::Guard;
using OptionalHIPGuardMasqueradingAsCUDA = hipstream::Guard;
using HIPStreamGuardMasqueradingAsCUDA = hipstream::Guard;
using OptionalHIPStreamGuardMasqueradingAsCUDA = hipstream::Guard;
using HIPMultiStreamGuardMasqueradingAsCUDA = hipstream::Guard;
inline hipstream::Stream getCurrentHIPStreamMasqueradingAsCUDA(int = -1) { return {}; }
inline hipstream::Stream getDefaultHIPStreamMasqueradingAsCUDA(int = -1) { return {}; }
inline hipstream::Stream getStreamFromPoolMasqueradingAsCUDA(bool = false, int = -1) { return {}; }
inline void setCurrentHIPStreamMasqueradingAsCUDA(hipstream::Stream) {}
inline int current_device() { return 0; }
inline int device_count() { return 1; }
}  // namespace c10::hip
namespace c10::cuda {
HIPSTREAM_NAMES(CUDA)
inline int current_device() { return 0; }
inline int device_count() { return 1; }
}  // namespace c10::cuda
#undef HIPSTREAM_NAMES

namespace at::hip {
using namespace c10::hip;
inline hipDeviceProp_t* getCurrentDeviceProperties() { return hipstream::properties(); }
inline hipDeviceProp_t* getDeviceProperties(int) { return hipstream::properties(); }
}  // namespace at::hip
namespace at::cuda {
using namespace c10::cuda;
inline hipDeviceProp_t* getCurrentDeviceProperties() { return hipstream::properties(); }
inline hipDeviceProp_t* getDeviceProperties(int) { return hipstream::properties(); }
}  // namespace at::cuda

#define C10_HIP_CHECK(expression)                                                                  \
  do {                                                                                             \
    const hipError_t hipstream_error = (expression);                                               \
    TORCH_CHECK(hipstream_error == hipSuccess, "HIP error: ", hipGetErrorString(hipstream_error)); \
  } while (0)
#define C10_CUDA_CHECK C10_HIP_CHECK
#define AT_CUDA_CHECK C10_HIP_CHECK
#define C10_HIP_KERNEL_LAUNCH_CHECK() C10_HIP_CHECK(hipGetLastError())
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_HIP_CHECK(hipGetLastError())
