// Streams, guards and checks that torch's ROCm build names, on a torch for CUDA. prepare_gpu.py gives this file the
// names of torch's own headers, too: <ATen/cuda/CUDAContext.h> asks for cuSPARSE and cuBLAS, which no kernel needs.
#pragma once
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <hip/hip_runtime.h>

namespace at::cuda {
using namespace c10::cuda;
TORCH_CUDA_CPP_API cudaDeviceProp* getCurrentDeviceProperties();
TORCH_CUDA_CPP_API cudaDeviceProp* getDeviceProperties(c10::DeviceIndex device);
}  // namespace at::cuda

namespace c10::hip {
using namespace c10::cuda;
using HIPStream = CUDAStream;
using HIPGuard = CUDAGuard;
using HIPStreamGuard = CUDAStreamGuard;
using OptionalHIPGuard = OptionalCUDAGuard;
using HIPStreamMasqueradingAsCUDA = CUDAStream;
using HIPGuardMasqueradingAsCUDA = CUDAGuard;
using OptionalHIPGuardMasqueradingAsCUDA = OptionalCUDAGuard;
using HIPStreamGuardMasqueradingAsCUDA = CUDAStreamGuard;
using OptionalHIPStreamGuardMasqueradingAsCUDA = OptionalCUDAStreamGuard;
inline HIPStream getCurrentHIPStreamMasqueradingAsCUDA(DeviceIndex device = -1) { return getCurrentCUDAStream(device); }
inline HIPStream getDefaultHIPStreamMasqueradingAsCUDA(DeviceIndex device = -1) { return getDefaultCUDAStream(device); }
inline HIPStream getCurrentHIPStream(DeviceIndex device = -1) { return getCurrentCUDAStream(device); }
inline HIPStream getDefaultHIPStream(DeviceIndex device = -1) { return getDefaultCUDAStream(device); }
}  // namespace c10::hip
namespace at::hip {
using namespace c10::hip;
using at::cuda::getCurrentDeviceProperties;
using at::cuda::getDeviceProperties;
}  // namespace at::hip

#ifndef AT_CUDA_CHECK
#define AT_CUDA_CHECK C10_CUDA_CHECK
#endif
#define C10_HIP_CHECK C10_CUDA_CHECK
#define C10_HIP_KERNEL_LAUNCH_CHECK C10_CUDA_KERNEL_LAUNCH_CHECK
