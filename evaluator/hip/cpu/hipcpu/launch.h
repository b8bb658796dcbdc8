// Kernel launches. rewrite.py turns `kernel<<<grid, block, shared, stream>>>(arguments)` into hipcpu::launch.
#pragma once
#include <hip/hip_runtime_api.h>
#include <hipcpu/context.h>

namespace hipcpu {

struct Configuration {
  dim3 grid, block;
  size_t shared;
  Configuration(dim3 grid, dim3 block, size_t shared = 0, hipStream_t = nullptr)
      : grid(grid), block(block), shared(shared) {}
};

// Runs `lane(argument)` for every HIP thread of the grid. A launch that gfx942 refuses runs nothing and is left for
// hipGetLastError, as on the device.
__attribute__((visibility("hidden"))) void run_grid(const Configuration&, void (*lane)(void*), void* argument);

// The address itself, or one that nothing can be read from where it is memory of the host.
__attribute__((visibility("hidden"))) void* device_pointer(const void* address);

// The same for each word that may be an address.
__attribute__((visibility("hidden"))) void replace_host_pointers(void* words, size_t size);

template <class T>
void hide_host_memory(T& argument) {
  if constexpr (std::is_pointer_v<T> && !std::is_function_v<std::remove_pointer_t<T>>)
    argument = (T)device_pointer((const void*)argument);
  else if constexpr (std::is_trivially_copyable_v<T> && sizeof(T) >= sizeof(void*) && !std::is_floating_point_v<T>)
    replace_host_pointers(&argument, sizeof argument);
}

// The arguments are taken by value: evaluated once, copied once, like a kernel's argument buffer.
template <class Kernel, class... Arguments>
void launch(const Configuration& configuration, Kernel kernel, Arguments... arguments) {
  (hide_host_memory(arguments), ...);
  auto lane = [&] { kernel(arguments...); };
  run_grid(configuration, [](void* closure) { (*static_cast<decltype(lane)*>(closure))(); }, &lane);
}

extern __attribute__((visibility("hidden"))) char dynamic_shared[];

// What `extern __shared__ T name[]` names; Array is T[] or T[][N].
template <class Array>
__forceinline__ Array& dynamic_shared_array() {
  return *reinterpret_cast<Array*>(dynamic_shared);
}

}  // namespace hipcpu

#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_DYNAMIC_SHARED(type, name) type(&name)[] = ::hipcpu::dynamic_shared_array<type[]>();
#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...)     \
  ::hipcpu::launch(::hipcpu::Configuration(grid, block, shared, stream), \
                   [&](auto&... hipcpu_arguments) { (kernel)(hipcpu_arguments...); } __VA_OPT__(, ) __VA_ARGS__)

template <class... Parameters, size_t... I>
void hipcpu_launch_from_pointers(void (*kernel)(Parameters...), const hipcpu::Configuration& configuration,
                                 void** arguments, std::index_sequence<I...>) {
  hipcpu::launch(configuration, kernel, *static_cast<std::remove_cvref_t<Parameters>*>(arguments[I])...);
}
template <class... Parameters>
hipError_t hipLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                           hipStream_t stream = nullptr) {
  hipcpu_launch_from_pointers(kernel, {grid, block, shared, stream}, arguments,
                              std::index_sequence_for<Parameters...>());
  return hipPeekAtLastError();
}
