// One module that uses the fiber runtime broadly: a function a subject, called by test_hip_runtime.py.
#include <ATen/hip/HIPContext.h>
#include <c10/hip/HIPException.h>
#include <c10/hip/HIPGuard.h>
#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>
#include <torch/extension.h>

using Tensor = torch::Tensor;

// ---- places in grid, block and wave
__global__ void places(int* out) {
  const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = block * 1000 + thread;
}
Tensor run_places() {
  const dim3 grid(3, 2, 2), block(4, 3, 2);
  auto out = torch::full({12, 24}, -1, torch::dtype(torch::kInt32));
  places<<<grid, block>>>(out.data_ptr<int>());
  return out;
}

// ---- shuffles: each row of `out` is one of them, a column a lane
__global__ void shuffles(const int* in, int* out, int n) {
  const int lane = threadIdx.x, value = in[lane];
  const unsigned long long all = 0xffffffffffffffffull;
  out[0 * n + lane] = __shfl(value, 5);
  out[1 * n + lane] = __shfl(value, lane + 3, 16);
  out[2 * n + lane] = __shfl_down(value, 7);
  out[3 * n + lane] = __shfl_up(value, 7, 32);
  out[4 * n + lane] = __shfl_xor(value, 9);
  out[5 * n + lane] = __shfl_down_sync(all, value, 4, 8);
  out[6 * n + lane] = (int)__shfl_xor(2.0 * value, 1);
  out[7 * n + lane] = lane % 2 ? __shfl(value, 1) : __shfl(value, 2);
  out[8 * n + lane] = __builtin_amdgcn_readfirstlane(value + 1);
}
Tensor run_shuffles(Tensor in) {
  const int n = in.numel();
  auto out = torch::zeros({9, n}, in.options());
  shuffles<<<1, n>>>(in.data_ptr<int>(), out.data_ptr<int>(), n);
  return out;
}

// ---- votes; lanes leave the loop at different turns, as many as their lane number modulo 5
__global__ void votes(const int* in, long long* out) {
  const int lane = threadIdx.x;
  out[lane] = __ballot(in[lane] > 0);
  out[64 + lane] = __any(in[lane] > 100) * 2 + __all(in[lane] < 100);
  long long seen = 0;
  for (int turn = 0; turn < lane % 5; ++turn) seen += __popcll(__ballot(1));
  out[128 + lane] = seen;
  out[192 + lane] = __popcll(__ballot(1));
}
Tensor run_votes(Tensor in) {
  auto out = torch::zeros({4, 64}, torch::kInt64);
  votes<<<1, 64>>>(in.data_ptr<int>(), (long long*)out.data_ptr<int64_t>());
  return out;
}

// ---- lanes that part: two calls of one helper, and loops of different lengths on two branches
__device__ int wave_sum(int value) {
  for (int offset = 32; offset > 0; offset /= 2) value += __shfl_down(value, offset);
  return value;
}
__global__ void branches(int* out) {
  const int lane = threadIdx.x;
  int value = lane;
  switch (lane % 4) {
    case 0: value = wave_sum(value); break;
    case 1: value = wave_sum(value * 2); break;
    case 2: value = __shfl(value, 2); break;
    default: value = -value;
  }
  out[lane] = value;
  value = lane + 1;
  if (lane < 32) {
    for (int turn = 0; turn <= lane % 5; ++turn) value += __shfl_xor(value, 2);
  } else {
    for (int turn = 0; turn <= lane % 3; ++turn) value += __shfl_xor(value, 2);
    value *= 2;
  }
  out[64 + lane] = value + __shfl(value, 63);
}
Tensor run_branches() {
  auto out = torch::zeros({2, 64}, torch::kInt32);
  branches<<<1, 64>>>(out.data_ptr<int>());
  return out;
}

// ---- barriers: threads 200.. have returned before the first one
__global__ void barriers(int* out) {
  const int i = threadIdx.x;
  if (i >= 200) return;
  const int some = __syncthreads_count(i % 3 == 0), any = __syncthreads_or(i == 7), all = __syncthreads_and(i < 199);
  out[i] = some * 100 + any * 10 + all;
}
Tensor run_barriers() {
  auto out = torch::zeros({256}, torch::kInt32);
  barriers<<<1, 256>>>(out.data_ptr<int>());
  return out;
}

// ---- static and dynamic LDS together
template <class T>
__global__ void transpose(const T* in, T* out) {
  __shared__ T tile[16][17];
  extern __shared__ __align__(16) unsigned char raw[];
  T* row_sums = reinterpret_cast<T*>(raw);
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    T sum = 0;
    for (int i = 0; i < 16; ++i) sum += tile[threadIdx.y][i];
    row_sums[threadIdx.y] = sum;
  }
  __syncthreads();
  out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y] + row_sums[threadIdx.x];
}
Tensor run_transpose(Tensor in) {
  auto out = torch::empty_like(in);
  AT_DISPATCH_FLOATING_TYPES(in.scalar_type(), "transpose", [&] {
    transpose<scalar_t>  // a launch over several lines, with a `>>>` and a "<<<" that are none
        <<<dim3(1), dim3(16, 16), 16 * sizeof(scalar_t),
           at::hip::getCurrentHIPStream()>>>(in.data_ptr<scalar_t>(), out.data_ptr<scalar_t>());
  });
  return out;
}

// ---- LDS nobody wrote: threads 40.. of each block leave their part alone
__global__ void unwritten(const float* in, float* out) {
  __shared__ float part[64];
  extern __shared__ float more[];
  const int i = threadIdx.x;
  if (i < 40) part[i] = more[i] = in[i];
  __syncthreads();
  if (i == 0) {
    float fixed = 0, dynamic = 0;
    for (int k = 0; k < 64; ++k) fixed += part[k], dynamic += more[k];
    out[2 * blockIdx.x] = fixed;
    out[2 * blockIdx.x + 1] = dynamic;
  }
  __syncthreads();
  part[i] = more[i] = 0;  // the next block must not find this
}
Tensor run_unwritten(Tensor in) {
  auto out = torch::zeros({2, 2}, in.options());
  unwritten<<<2, 64, 64 * sizeof(float)>>>(in.data_ptr<float>(), out.data_ptr<float>());
  return out;
}

// ---- a tree sum; without its barriers it depends on the order of lanes
__global__ void tree_sum(const float* in, float* out, bool correct) {
  __shared__ float part[256];
  const int i = threadIdx.x;
  part[i] = in[i];
  if (correct) __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (i < half) part[i] += part[i + half];
    if (correct) __syncthreads();
  }
  if (i == 0) out[0] = part[0];
}
Tensor run_tree_sum(Tensor in, bool correct) {
  auto out = torch::zeros({1}, in.options());
  tree_sum<<<1, 256>>>(in.data_ptr<float>(), out.data_ptr<float>(), correct);
  return out;
}

// ---- what the left neighbour wrote, without a barrier: right as long as lanes and waves run upwards
__global__ void left_neighbours(const float* in, float* out) {
  __shared__ float part[257];
  const int i = threadIdx.x;
  if (i == 0) part[0] = in[255];
  part[i + 1] = in[i];
  out[i] = part[i];
}
Tensor run_left_neighbours(Tensor in) {
  auto out = torch::zeros_like(in);
  left_neighbours<<<1, 256>>>(in.data_ptr<float>(), out.data_ptr<float>());
  return out;
}

// ---- atomics, and a lock that lanes of several waves wait for
__global__ void atomics(int* out, float* sum) {
  const int i = threadIdx.x;
  atomicAdd(&out[0], i);
  atomicMax(&out[1], i);
  atomicMin(&out[2], -i);
  atomicOr(&out[3], 1 << i % 8);
  atomicInc((unsigned*)&out[4], 9u);
  __hip_atomic_fetch_add(&out[5], 2, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  for (int old = out[6], seen; (seen = atomicCAS(&out[6], old, old + 1)) != old; old = seen) {
  }
  atomicAdd(sum, 0.5f);
  unsafeAtomicAdd(sum, 0.5f);
}
__global__ void locked(int* lock, int* count) {
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *count += 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
__global__ void flag(int* flags, int* out) {  // the first wave waits for the last lane of the block
  if (threadIdx.x == blockDim.x - 1) atomicExch(&flags[0], 1);
  if (threadIdx.x == 0)
    while (atomicAdd(&flags[0], 0) == 0) {
    }
  __syncthreads();
  out[threadIdx.x] = flags[0];
}
std::tuple<Tensor, Tensor> run_atomics() {
  auto out = torch::zeros({8 + 256}, torch::kInt32), sum = torch::zeros({1});
  int* const p = out.data_ptr<int>();
  atomics<<<1, 256>>>(p, sum.data_ptr<float>());
  int* lock;
  C10_HIP_CHECK(hipMalloc(&lock, sizeof(int)));
  C10_HIP_CHECK(hipMemset(lock, 0, sizeof(int)));
  locked<<<2, 128>>>(lock, p + 7);
  flag<<<1, 256>>>(lock, p + 8);
  C10_HIP_CHECK(hipFree(lock));
  return {out, sum};
}
__global__ void waits_for_another_block(int* flags) {
  if (blockIdx.x == 1 - flags[1]) {
    while (atomicAdd(&flags[0], 0) == 0) {
    }
  } else {
    atomicExch(&flags[0], 1);
  }
}
void run_impossible_wait(int last_block_first) {
  auto flags = torch::zeros({2}, torch::kInt32);
  flags[1] = last_block_first ? 0 : 1;
  waits_for_another_block<<<2, 64>>>(flags.data_ptr<int>());
}

// ---- launches that cannot be
__global__ void mark(int* out) { out[0] = 1; }
std::vector<int64_t> run_configurations() {
  auto out = torch::zeros({1}, torch::kInt32);
  int* const p = out.data_ptr<int>();
  std::vector<int64_t> errors;
  mark<<<1, 2048>>>(p);
  errors.push_back(hipGetLastError());
  mark<<<0, 64>>>(p);
  errors.push_back(hipGetLastError());
  mark<<<1, 64, 70000>>>(p);
  errors.push_back(hipGetLastError());
  mark<<<dim3(1, 70000), 64>>>(p);
  errors.push_back(hipPeekAtLastError());
  errors.push_back(hipGetLastError());
  errors.push_back(out.item<int>());
  mark<<<1, 64>>>(p);
  errors.push_back(hipGetLastError());
  errors.push_back(out.item<int>());
  return errors;
}
void run_checked_launch() {
  mark<<<1, 2048>>>(nullptr);
  C10_HIP_KERNEL_LAUNCH_CHECK();
}

// ---- the ways to launch
template <class T, int N>
__global__ void add(T* out, T value) {
  if (threadIdx.x < N) out[threadIdx.x] += value;
}
#define LAUNCH_ADD(N, out, value) \
  add<float, N><<<dim3(1), \
                  dim3(64)>>>(out, value)
Tensor run_launches() {
  auto out = torch::zeros({64});
  float* const p = out.data_ptr<float>();
  hipLaunchKernelGGL((add<float, 64>), dim3(1), dim3(64), 0, 0, p, 1.0f);
  hipLaunchKernelGGL(HIP_KERNEL_NAME(add<float, 32>), 1, 64, 0, nullptr, p, 10.0f);
  LAUNCH_ADD(16, p, 100.0f);
  (add<float, 8>)<<<1, 64>>>(p, 1000.0f);
  auto kernel = add<float, 4>;
  kernel<<<1, 64>>>(p, 10000.0f);
  int evaluated = 0;
  add<float, 2><<<1, 64>>>(p, 100000.0f * ++evaluated);
  return out;
}

// ---- 16-bit types and vector loads
template <class T>
__global__ void silu(const T* in, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float x = static_cast<float>(in[i]);
    out[i] = static_cast<T>(x / (1.0f + __expf(-x)));
  }
}
Tensor run_silu(Tensor in) {
  TORCH_CHECK(in.is_cuda() && in.device().type() == torch::kCUDA, "not a GPU tensor");
  const at::hip::OptionalHIPGuard guard(in.device());
  auto out = torch::empty(in.sizes(), in.options());
  const int n = in.numel();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, in.scalar_type(), "silu", [&] {
    silu<scalar_t><<<(n + 255) / 256, 256, 0, at::hip::getCurrentHIPStream().stream()>>>(in.data_ptr<scalar_t>(),
                                                                                        out.data_ptr<scalar_t>(), n);
    C10_HIP_KERNEL_LAUNCH_CHECK();
  });
  return out;
}
__global__ void halves(const __half* a, const __half* b, __half* out) {
  const int i = threadIdx.x;
  const __half2 pair = __hfma2(__halves2half2(a[i], b[i]), __float2half2_rn(2.0f), __half2half2(b[i]));
  out[i] = __hadd(a[i], b[i]);
  out[64 + i] = __hmul(a[i], b[i]);
  out[128 + i] = __low2half(pair);
  out[192 + i] = __float2half(__high2float(pair));
  out[256 + i] = __hgt(a[i], b[i]) ? hexp(a[i]) : __hneg(b[i]);
}
Tensor run_halves(Tensor a, Tensor b) {
  auto out = torch::empty({5, 64}, a.options());
  halves<<<1, 64>>>(reinterpret_cast<const __half*>(a.data_ptr()), reinterpret_cast<const __half*>(b.data_ptr<at::Half>()),
                    reinterpret_cast<__half*>(out.data_ptr()));
  return out;
}
__global__ void bfloats(const __hip_bfloat16* a, const __hip_bfloat16* b, __hip_bfloat16* out) {
  const int i = threadIdx.x;
  out[i] = __hadd(a[i], b[i]);
  out[64 + i] = __float2bfloat16(__bfloat162float(a[i]) / 3.0f);
  out[128 + i] = __hfma(a[i], b[i], a[i]);
}
Tensor run_bfloats(Tensor a, Tensor b) {
  auto out = torch::empty({3, 64}, a.options());
  bfloats<<<1, 64>>>(reinterpret_cast<const __hip_bfloat16*>(a.data_ptr()),
                     reinterpret_cast<const __hip_bfloat16*>(b.data_ptr()),
                     reinterpret_cast<__hip_bfloat16*>(out.data_ptr()));
  return out;
}
__global__ void vectors(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i + 3 < n) {
    float4 v = reinterpret_cast<const float4*>(in)[i];
    v.x += v.w;
    v = v * 2.0f + make_float4(1, 2, 3, 4);
    reinterpret_cast<float4*>(out)[i] = v;
  } else {
    for (int k = 4 * i; k < n; ++k) out[k] = -in[k];
  }
}
Tensor run_vectors(Tensor in) {
  auto out = torch::empty_like(in);
  const int n = in.numel();
  vectors<<<(n + 255) / 256, 64>>>(in.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}

__global__ void misaligned(const float* in, float* out) {  // 16-byte accesses at odd multiples of 4, as gfx942 allows
  typedef float quad __attribute__((ext_vector_type(4)));
  const int i = threadIdx.x;
  reinterpret_cast<float4*>(out)[i] = reinterpret_cast<const float4*>(in)[i];
  __builtin_nontemporal_store(reinterpret_cast<const quad*>(in)[8 + i], reinterpret_cast<quad*>(out) + 8 + i);
}
Tensor run_misaligned(Tensor in) {
  auto out = torch::zeros_like(in);
  misaligned<<<1, 8>>>(in.data_ptr<float>() + 1, out.data_ptr<float>() + 1);
  return out;
}

// ---- memory of the module
__constant__ float table[4];
__device__ int calls = 0;
__global__ void look_up(float* out) {
  if (threadIdx.x == 0) atomicAdd(&calls, 1);
  out[threadIdx.x] = table[threadIdx.x % 4];
}
Tensor run_look_up(std::vector<float> values) {
  auto out = torch::zeros({9});
  C10_HIP_CHECK(hipMemcpyToSymbol(HIP_SYMBOL(table), values.data(), 4 * sizeof(float)));
  look_up<<<1, 8>>>(out.data_ptr<float>());
  int count = 0;
  C10_HIP_CHECK(hipMemcpyFromSymbol(&count, HIP_SYMBOL(calls), sizeof(int)));
  out[8] = count;
  return out;
}
std::string run_symbol_too_small() {
  const float values[8] = {};
  return hipGetErrorString(hipMemcpyToSymbol(HIP_SYMBOL(table), values, sizeof values));
}

// ---- math
__global__ void math(const float* in, float* out, int n) {
  const int i = threadIdx.x;
  const float x = in[i];
  const float results[] = {__expf(x),        __logf(x),          __sinf(x),         __powf(x, 2.5f),
                           rsqrtf(x),        __fdividef(x, 3),   erff(x),           tanhf(x),
                           fmaxf(x, 1.0f),   __frcp_rn(x),       __fsqrt_rn(x),     normcdff(x),
                           __saturatef(x),   max(x, 2.0f),       (float)min(i, 3),  (float)__float2int_rn(x * 10),
                           (float)__popc(i), (float)__clz(i),    (float)__ffs(i),   __int_as_float(__float_as_int(x)),
                           exp2f(x),         log1pf(x),          cbrtf(x),          (float)(__brev(i) >> 26)};
  for (int k = 0; k < 24; ++k) out[k * n + i] = results[k];
}
Tensor run_math(Tensor in) {
  const int n = in.numel();
  auto out = torch::zeros({24, n});
  math<<<1, n>>>(in.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}

// ---- private memory, LDS overrun, host API
__global__ void large_private_array(float* out, int n) {
  float values[20000];
  for (int i = 0; i < n; ++i) values[i] = i + threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = values[n - 1];
}
Tensor run_large_private_array() {
  auto out = torch::zeros({4});
  large_private_array<<<1, 4>>>(out.data_ptr<float>(), 20000);
  return out;
}
__global__ void lds_overrun(int extra) {
  extern __shared__ int words[];
  words[threadIdx.x + extra] = 0;
}
void run_lds_overrun(int extra) { lds_overrun<<<1, 64, 64 * sizeof(int)>>>(extra); }

std::vector<double> run_host_api() {
  std::vector<float> host = {1, 2, 3, 4};
  float *a = nullptr, *b = nullptr;
  hipStream_t stream;
  hipEvent_t start, stop;
  hipDeviceProp_t device;
  int count = 0;
  float ms = -1;
  C10_HIP_CHECK(hipGetDeviceCount(&count));
  C10_HIP_CHECK(hipGetDeviceProperties(&device, 0));
  C10_HIP_CHECK(hipStreamCreate(&stream));
  C10_HIP_CHECK(hipEventCreate(&start));
  C10_HIP_CHECK(hipEventCreate(&stop));
  C10_HIP_CHECK(hipMalloc(&a, 16));
  C10_HIP_CHECK(hipMalloc((void**)&b, 16));
  C10_HIP_CHECK(hipEventRecord(start, stream));
  C10_HIP_CHECK(hipMemcpyAsync(a, host.data(), 16, hipMemcpyHostToDevice, stream));
  C10_HIP_CHECK(hipMemcpy(b, a, 16, hipMemcpyDeviceToDevice));
  C10_HIP_CHECK(hipMemcpy(host.data(), b, 12, hipMemcpyDeviceToHost));
  C10_HIP_CHECK(hipEventRecord(stop, stream));
  C10_HIP_CHECK(hipEventSynchronize(stop));
  C10_HIP_CHECK(hipEventElapsedTime(&ms, start, stop));
  C10_HIP_CHECK(hipDeviceSynchronize());
  C10_HIP_CHECK(hipFree(a));
  C10_HIP_CHECK(hipFree(b));
  return {host[0], host[3], (double)count, (double)device.warpSize, ms >= 0 ? 1.0 : 0.0};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("places", &run_places);
  m.def("shuffles", &run_shuffles);
  m.def("votes", &run_votes);
  m.def("branches", &run_branches);
  m.def("barriers", &run_barriers);
  m.def("transpose", &run_transpose);
  m.def("unwritten", &run_unwritten);
  m.def("tree_sum", &run_tree_sum, py::arg("input"), py::arg("correct") = true);
  m.def("left_neighbours", &run_left_neighbours);
  m.def("atomics", &run_atomics);
  m.def("impossible_wait", &run_impossible_wait);
  m.def("configurations", &run_configurations);
  m.def("checked_launch", &run_checked_launch);
  m.def("launches", &run_launches);
  m.def("silu", &run_silu);
  m.def("halves", &run_halves);
  m.def("bfloats", &run_bfloats);
  m.def("vectors", &run_vectors);
  m.def("misaligned", &run_misaligned);
  m.def("look_up", &run_look_up);
  m.def("symbol_too_small", &run_symbol_too_small);
  m.def("math", &run_math);
  m.def("large_private_array", &run_large_private_array);
  m.def("lds_overrun", &run_lds_overrun);
  m.def("host_api", &run_host_api);
}
