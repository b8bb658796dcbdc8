// What every source sees first, precompiled: torch, then HIP. From here on a CPU tensor is what the source calls a GPU
// tensor, and AMD's names for "this is a HIP build" are set (not earlier: torch's own headers would ask for ROCm).
#pragma once
#include <torch/extension.h>

// torch declares these traits to compilers for GPUs alone.
namespace at {
template <typename T>
struct RestrictPtrTraits {
  typedef T* __restrict__ PtrType;
};
}  // namespace at
namespace torch {
using at::RestrictPtrTraits;
}

#include <hip/hip_runtime.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <climits>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#define is_cuda is_cpu
#define is_hip is_cpu
#define kCUDA kCPU
#define kHIP kCPU
#define __HIP__ 1
#define __HIPCC__ 1
#define USE_ROCM 1
