// 96 live values a thread where 64 registers are allowed: the compiler has to spill.
#include <hip/hip_runtime.h>

extern "C" __global__ __launch_bounds__(1024, 8) void spills(const float* in, float* out, int turns) {
  __shared__ float part[64];
  float value[96];
  for (int i = 0; i < 96; ++i) value[i] = in[i * 1024 + threadIdx.x];
  for (int turn = 0; turn < turns; ++turn)
    for (int i = 0; i < 96; ++i) value[i] = value[i] * value[(i + 7) % 96] + 0.5f;
  part[threadIdx.x % 64] = value[0];
  __syncthreads();
  for (int i = 0; i < 96; ++i) out[i * 1024 + threadIdx.x] = value[i] + part[i % 64];
}

template <class T>
__global__ void copies(const T* in, T* out) {
  out[threadIdx.x] = in[threadIdx.x];
}
template __global__ void copies<double>(const double*, double*);
