// Launches at the limits of their kernels, and pointers that kernels get; called by test_hip_launches.py.
#include <c10/hip/HIPException.h>
#include <hip/hip_ext.h>
#include <hip/hip_runtime.h>
#include <torch/extension.h>

#include <map>

constexpr int kBounds = 64;
#define BOUNDED_KERNEL(name) __global__ void __launch_bounds__(kBounds) name(int* out)

__global__ void __launch_bounds__(64) literal(int* out) { out[threadIdx.x] = 1; }
__launch_bounds__(kBounds, 2) __global__ void before_global(int* out) { out[threadIdx.x] = 1; }
BOUNDED_KERNEL(by_macro) { out[threadIdx.x] = 1; }
template <typename T, int N>
__global__ void __launch_bounds__(N * 2) by_template(T* out) { out[threadIdx.x] = 1; }
__global__ void __attribute__((amdgpu_flat_work_group_size(1, 64))) by_attribute(int* out) { out[threadIdx.x] = 1; }
__global__ void __attribute__((launch_bounds(64))) by_hips_attribute(int* out) { out[threadIdx.x] = 1; }
namespace {
__global__ void __launch_bounds__(64) unnamed(int* out) { out[threadIdx.x] = 1; }
}  // namespace
static __global__ void __launch_bounds__(64) constant_arguments(int* out, int value) { out[threadIdx.x] = value; }

// ---- the error of a launch with `threads` threads in a block, by the way to bound or launch it
template <class Launch>
int64_t error_of(Launch launch) {
  (void)hipGetLastError();
  launch();
  return hipGetLastError();
}
std::map<std::string, int64_t> bounds(torch::Tensor out, int threads) {
  int* p = out.data_ptr<int>();
  void* arguments[] = {&p};
  auto pointer = literal;
  return {
      {"literal", error_of([&] { literal<<<1, threads>>>(p); })},
      {"before_global", error_of([&] { before_global<<<dim3(1), dim3(threads / 2, 2)>>>(p); })},
      {"by_macro", error_of([&] { by_macro<<<1, threads>>>(p); })},
      {"by_template", error_of([&] { by_template<int, 32><<<1, threads>>>(p); })},
      {"by_attribute", error_of([&] { by_attribute<<<1, threads>>>(p); })},
      {"by_hips_attribute", error_of([&] { by_hips_attribute<<<1, threads>>>(p); })},
      {"unnamed", error_of([&] { unnamed<<<1, threads>>>(p); })},
      {"constant_arguments", error_of([&] { constant_arguments<<<1, threads>>>(p, 1); })},
      {"pointer", error_of([&] { pointer<<<1, threads>>>(p); })},
      {"ggl", error_of([&] { hipLaunchKernelGGL(literal, dim3(1), dim3(threads), 0, 0, p); })},
      {"function", error_of([&] { (void)hipLaunchKernel(literal, dim3(1), dim3(threads), arguments, 0, nullptr); })},
      {"ext", error_of([&] { hipExtLaunchKernelGGL(literal, 1, threads, 0, 0, nullptr, nullptr, 0, p); })},
      {"ext_function", error_of([&] {
         (void)hipExtLaunchKernel(literal, dim3(1), dim3(threads), arguments, 0, nullptr, nullptr, nullptr, 0);
       })},
  };
}
int suggested_block() {
  int grid = 0, block = 0;
  (void)hipOccupancyMaxPotentialBlockSize(&grid, &block, by_template<int, 32>, 0, 0);
  return block;
}

// ---- shared memory: of the kernel itself, of what it calls, of what an instantiation needs, and dynamic
__device__ __noinline__ float through_lds(float value) {
  __shared__ float all[10000];
  all[threadIdx.x] = value;
  __syncthreads();
  return all[threadIdx.x ^ 1];
}
__global__ void own(float* out) {
  __shared__ float all[10000];
  extern __shared__ __align__(16) float more[];
  all[threadIdx.x] = more[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = all[threadIdx.x ^ 1] + more[threadIdx.x ^ 1];
}
__global__ void called(float* out) {
  extern __shared__ float more[];
  more[threadIdx.x] = 1;
  out[threadIdx.x] = through_lds(1) + more[threadIdx.x];
}
template <int N>
__global__ void sized(float* out) {
  __shared__ struct Pair {
    float a[N];
    double b;
  } all;
  extern __shared__ float more[];
  all.a[threadIdx.x] = more[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = all.a[threadIdx.x ^ 1] + more[threadIdx.x];
}
std::map<std::string, int64_t> shared(torch::Tensor out, int dynamic) {
  float* p = out.data_ptr<float>();
  return {
      {"own", error_of([&] { own<<<1, 64, dynamic>>>(p); })},
      {"called", error_of([&] { called<<<1, 64, dynamic>>>(p); })},
      {"sized", error_of([&] { sized<9998><<<1, 64, dynamic>>>(p); })},
      {"small", error_of([&] { sized<64><<<1, 64, dynamic>>>(p); })},
  };
}

void unasked(torch::Tensor out) { own<<<1, 64, 40000>>>(out.data_ptr<float>()); }

// ---- what a kernel reads through a pointer
namespace {
struct Pair {
  float a, b;
};
__constant__ Pair pair = {2, 3};
__global__ void größer(const float* from, float* out) {
  __shared__ Pair shared;
  shared = pair;
  __syncthreads();
  out[0] = from[0] * shared.a;
}
}  // namespace
struct Carried {
  int count;
  const float* from;
};
struct Unread {
  const float* from;
  const void* host;
};
__device__ float on_device[4] = {1, 2, 3, 4};
__constant__ float constant[4] = {5, 6, 7, 8};
float on_host[4] = {9, 9, 9, 9};

__global__ void read(const float* from, float* out) { out[0] = from[0]; }
__global__ void read_carried(Carried carried, float* out) { out[0] = carried.from[0]; }
__global__ void read_beside(Unread unread, float* out) { out[0] = unread.from[0]; }
__global__ void read_table(const float* const* table, float* out) { out[0] = table[1][0]; }
template <class F>
__global__ void apply(F f, float* out) {
  out[threadIdx.x] = f(int(threadIdx.x));
}

torch::Tensor reads(torch::Tensor in, std::string what) {
  auto out = torch::zeros({4});
  float *p = out.data_ptr<float>(), *from = in.data_ptr<float>(), *address = nullptr;
  float local[4] = {9, 9, 9, 9};
  std::vector<float> heap(4, 9.0f);
  if (what == "tensor") read<<<1, 1>>>(from, p);
  if (what == "end") read<<<1, 1>>>(from + 4 - 1, p);
  if (what == "carried") read_carried<<<1, 1>>>(Carried{1, from}, p);
  if (what == "unread") read_beside<<<1, 1>>>(Unread{from, local}, p);
  if (what == "lambda") apply<<<1, 4>>>([=] __device__(int i) { return from[i]; }, p);
  if (what == "table") {
    auto table = torch::tensor({int64_t(0), int64_t(from)});
    read_table<<<1, 1>>>(reinterpret_cast<const float* const*>(table.data_ptr<int64_t>()), p);
  }
  if (what == "malloc") {
    C10_HIP_CHECK(hipMalloc(&address, 16));
    C10_HIP_CHECK(hipMemcpy(address, from, 16, hipMemcpyDeviceToDevice));
    read<<<1, 1>>>(address, p);
    C10_HIP_CHECK(hipFree(address));
  }
  if (what == "registered") {
    C10_HIP_CHECK(hipHostRegister(local, sizeof local, 0));
    read<<<1, 1>>>(local, p);
    C10_HIP_CHECK(hipHostUnregister(local));
  }
  if (what == "device variable" || what == "constant") {
    C10_HIP_CHECK(what == "constant" ? hipGetSymbolAddress((void**)&address, constant)
                                     : hipGetSymbolAddress((void**)&address, on_device));
    read<<<1, 1>>>(address, p);
  }
  if (what == "unnamed namespace") größer<<<1, 1>>>(from, p);
  if (what == "stack") read<<<1, 1>>>(local, p);
  if (what == "heap") read<<<1, 1>>>(heap.data(), p);
  if (what == "global") read<<<1, 1>>>(on_host, p);
  if (what == "carried stack") read_carried<<<1, 1>>>(Carried{1, local}, p);
  if (what == "captured heap") {
    const float* captured = heap.data();
    apply<<<1, 4>>>([=] __device__(int i) { return captured[i]; }, p);
  }
  return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("bounds", &bounds);
  m.def("suggested_block", &suggested_block);
  m.def("shared", &shared);
  m.def("unasked", &unasked);
  m.def("reads", &reads);
}
