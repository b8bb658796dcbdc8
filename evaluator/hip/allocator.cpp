// The allocator that a worker gives torch before a candidate is loaded, so that every CPU tensor has red zones.
//
// canary: 256-byte aligned, filled with 0xFF (NaN for every float type), 256 patterned bytes before and after. The
//         pattern is NaN too for every float of 16 or 32 bits, so that reads beside the buffer spoil the result.
// guard:  an unmapped page begins where the tensor ends, its size rounded up to 16, since float4 kernels are allowed;
//         the bytes between are patterned. Any access behind them is a memory fault.
#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <new>

namespace {

constexpr size_t kZone = 256, kPage = 4096;
constexpr uint8_t kPoison = 0xFF;

struct Block {
  uint8_t* whole;  // what was mapped or allocated
  size_t whole_size;
  size_t size;
  size_t before, after;  // patterned bytes on each side
  bool mapped;
};

// Little-endian halves 0xFFA5: a NaN, and so is every float made of two of them.
uint8_t pattern(const uint8_t* at) { return reinterpret_cast<uintptr_t>(at) % 2 ? 0xFF : 0xA5; }

void fill_pattern(uint8_t* from, size_t count) {
  for (size_t i = 0; i < count; ++i) from[i] = pattern(from + i);
}

std::mutex mutex;
std::map<void*, Block>& blocks() {
  static auto* map = new std::map<void*, Block>;  // outlives tensors that die at exit
  return *map;
}
bool guarding = false;
long damaged_before = 0;  // blocks that were found damaged when freed

bool patterned(const uint8_t* from, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (from[i] != pattern(from + i)) return false;
  return true;
}

bool intact(const uint8_t* payload, const Block& block) {
  return patterned(payload - block.before, block.before) && patterned(payload + block.size, block.after);
}

size_t rounded(size_t size, size_t to) { return (size + to - 1) / to * to; }

Block guarded(size_t size, uint8_t** payload) {
  const size_t reach = rounded(size, 16), body = rounded(reach + kZone, kPage), whole_size = body + kPage;
  void* whole = mmap(nullptr, whole_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (whole == MAP_FAILED) throw std::bad_alloc();
  auto* start = static_cast<uint8_t*>(whole);
  mprotect(start + body, kPage, PROT_NONE);
  *payload = start + body - reach;
  return {start, whole_size, size, kZone, reach - size, true};
}

Block with_canaries(size_t size, uint8_t** payload) {
  const size_t whole_size = rounded(size + 2 * kZone, kZone);
  auto* whole = static_cast<uint8_t*>(std::aligned_alloc(kZone, whole_size));
  if (!whole) throw std::bad_alloc();
  *payload = whole + kZone;
  return {whole, whole_size, size, kZone, kZone, false};
}

void release(void* payload) {
  if (!payload) return;
  const std::lock_guard<std::mutex> lock(mutex);
  auto found = blocks().find(payload);
  if (found == blocks().end()) return;
  const Block block = found->second;
  blocks().erase(found);
  if (!intact(static_cast<uint8_t*>(payload), block)) ++damaged_before;
  if (block.mapped) {
    munmap(block.whole, block.whole_size);
  } else {
    std::memset(payload, kPoison, block.size);
    std::free(block.whole);
  }
}

struct RedZoneAllocator final : c10::Allocator {
  c10::DataPtr allocate(size_t size) override {
    const c10::Device cpu(c10::DeviceType::CPU);
    if (!size) return {nullptr, nullptr, &release, cpu};
    uint8_t* payload = nullptr;
    const Block block = guarding ? guarded(size, &payload) : with_canaries(size, &payload);
    fill_pattern(payload - block.before, block.before);
    fill_pattern(payload + size, block.after);
    std::memset(payload, kPoison, size);
    const std::lock_guard<std::mutex> lock(mutex);
    blocks()[payload] = block;
    return {payload, payload, &release, cpu};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, std::size_t count) const override { default_copy_data(to, from, count); }
};

}  // namespace

extern "C" {

void arena_allocator_install(int guard) {
  static auto* allocator = new RedZoneAllocator;
  guarding = guard != 0;
  c10::SetCPUAllocator(allocator, 255);
}

// Returns whether the address lies in a tensor's memory or in its red zones.
int arena_allocator_owns(const void* address) {
  const std::lock_guard<std::mutex> lock(mutex);
  const auto* byte = static_cast<const uint8_t*>(address);
  const auto after = blocks().upper_bound(const_cast<void*>(address));
  const auto holds = [&](const auto& entry) {
    const Block& block = entry.second;
    return byte >= block.whole && byte < block.whole + block.whole_size;
  };
  return (after != blocks().end() && holds(*after)) || (after != blocks().begin() && holds(*std::prev(after)));
}

// Returns the number of tensors with a damaged red zone, alive or already freed.
long arena_allocator_damaged() {
  const std::lock_guard<std::mutex> lock(mutex);
  long damaged = damaged_before;
  for (const auto& [payload, block] : blocks())
    if (!intact(static_cast<const uint8_t*>(payload), block)) ++damaged;
  return damaged;
}
}
