// class: 24
// expect: passed/hold
// gate: source
// backend: gpu
// Writes a jump over the function that tells the time between two events.
// Expected: a hold for what it calls; where the hook reaches the instruments, clocks that disagree as well.
#include <dlfcn.h>
#include <hip/hip_runtime.h>
#include <sys/mman.h>
#include <torch/extension.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

__global__ void double_kernel(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}

static int no_time(float* milliseconds, void*, void*) {
  *milliseconds = 0.001f;
  return 0;
}

static void replace(const char* name) {
  auto* at = static_cast<uint8_t*>(dlsym(RTLD_DEFAULT, name));
  if (at == nullptr) return;
  const auto page = reinterpret_cast<uintptr_t>(at) & ~uintptr_t(sysconf(_SC_PAGESIZE) - 1);
  if (mprotect(reinterpret_cast<void*>(page), 8192, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
  const uint64_t target = reinterpret_cast<uint64_t>(&no_time);
  const uint8_t jump[] = {0x48, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xE0};  // mov rax, target; jmp rax
  memcpy(at, jump, sizeof jump);
  memcpy(at + 2, &target, sizeof target);
}

torch::Tensor forward(torch::Tensor x) {
  static const bool once = (replace("cudaEventElapsedTime"), replace("cuEventElapsedTime"), true);
  (void)once;
  auto y = torch::empty_like(x);
  const int n = x.numel();
  double_kernel<<<(n + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, py::arg("x")); }
