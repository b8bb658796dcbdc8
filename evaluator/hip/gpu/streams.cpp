// What operations.h says of the device, on a torch for CUDA. Compiled once on a host.
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>

#include <operations.h>

namespace arena_binding {

void* current_stream(int device) {
  return c10::cuda::getCurrentCUDAStream(static_cast<c10::DeviceIndex>(device)).stream();
}
void* default_stream(int device) {
  return c10::cuda::getDefaultCUDAStream(static_cast<c10::DeviceIndex>(device)).stream();
}
int exchange_device(int device) {
  return device < 0 ? c10::cuda::current_device() : c10::cuda::ExchangeDevice(static_cast<c10::DeviceIndex>(device));
}

void check_device(int error, const char* function, const char* file, unsigned line) {
  c10::cuda::c10_cuda_check_implementation(error, file, function, line, true);
}

}  // namespace arena_binding
