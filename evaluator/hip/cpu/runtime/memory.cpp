// Memory of the host is not readable in kernels: an argument that points there is replaced by an address that no
// access survives. So a kernel that only carries it along runs, and one that reads it dies of a memory fault, as on
// gfx942.
#include "memory.h"

#include <hip/hip_runtime.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <map>

namespace hipcpu {

// __device__ and __constant__ variables, from inside/hip_cpu/kernels.py.
struct Variable {
  const char* begin;
  size_t size;
};
extern "C" __attribute__((visibility("hidden"))) const Variable hipcpu_variables[];
extern "C" __attribute__((visibility("hidden"))) const size_t hipcpu_variable_count;

namespace {

// No address of a process begins so (bits 47 and above differ), and an index into a large array does not change that.
constexpr uintptr_t kUnreadable = uintptr_t(0x5AFE) << 48;
constexpr uintptr_t kBeyond = uintptr_t(1) << 47;      // user addresses are below
constexpr uintptr_t kNumbersEnd = uintptr_t(1) << 32;  // a smaller word of a struct is taken for a number

Owner owner_of_tensors = nullptr;
std::map<const char*, size_t> noted;  // by first byte
bool pointed_to_host = false;

// One past the end of an allocation still belongs to it: kernels get ends of buffers, too.
bool is_noted(const char* address) {
  const auto after = noted.upper_bound(address);
  return after != noted.begin() && address <= std::prev(after)->first + std::prev(after)->second;
}

// Behind a variable begins the next one, perhaps of the host.
bool is_variable(const char* address) {
  for (size_t i = 0; i < hipcpu_variable_count; ++i) {
    const Variable& variable = hipcpu_variables[i];
    if (address >= variable.begin && address < variable.begin + variable.size) return true;
  }
  return false;
}

// Code is no memory to read, and pointers to device functions are honest.
bool is_code(const char* address) {
  const auto holds = [](dl_phdr_info* object, size_t, void* wanted) {
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      const auto& segment = object->dlpi_phdr[i];
      const auto* begin = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
      if (segment.p_type == PT_LOAD && segment.p_flags & PF_X && *static_cast<const char**>(wanted) >= begin &&
          *static_cast<const char**>(wanted) < begin + segment.p_memsz)
        return 1;
    }
    return 0;
  };
  return dl_iterate_phdr(holds, &address) != 0;
}

bool is_mapped(const char* address) {
  unsigned char in_core;
  const uintptr_t page = reinterpret_cast<uintptr_t>(address) / 4096 * 4096;
  return mincore(reinterpret_cast<void*>(page), 1, &in_core) == 0;
}

bool is_of_the_host(const char* address) {
  if (!owner_of_tensors || reinterpret_cast<uintptr_t>(address) >= kBeyond) return false;
  if (owner_of_tensors(address) || is_noted(address) || is_variable(address)) return false;
  return is_mapped(address) && !is_code(address);
}

}  // namespace

void set_owner_of_tensors(Owner owner) { owner_of_tensors = owner; }
void note_memory(void* begin, size_t size) { noted[static_cast<const char*>(begin)] = size; }
bool forget_memory(void* begin) { return noted.erase(static_cast<const char*>(begin)) > 0; }

void* device_pointer(const void* address) {
  if (is_of_the_host(static_cast<const char*>(address))) {
    if (!std::exchange(pointed_to_host, true)) fputs("hipcpu: a kernel got a pointer to memory of the host\n", stderr);
    return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(address) | kUnreadable);
  }
  return const_cast<void*>(address);
}

void replace_host_pointers(void* words, size_t size) {
  for (auto* word = static_cast<char*>(words); size >= sizeof(void*); word += sizeof(void*), size -= sizeof(void*)) {
    void* value;
    memcpy(&value, word, sizeof value);
    if (reinterpret_cast<uintptr_t>(value) < kNumbersEnd) continue;
    value = device_pointer(value);
    memcpy(word, &value, sizeof value);
  }
}

}  // namespace hipcpu
