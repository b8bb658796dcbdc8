// The allocator that a worker gives torch before a candidate is loaded, so that every CPU tensor has red zones.
//
// canary: 256-byte aligned, filled with 0xFF (NaN for every float type), 256 patterned bytes before and after.
// guard:  the tensor ends where an unmapped page begins, if its size is a multiple of 16 (a float4 kernel is honest);
//         any access behind it is a memory fault. Other sizes get canaries, since their end could not be aligned.
#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <unordered_map>

namespace {

constexpr size_t kZone = 256, kPage = 4096;
constexpr uint8_t kPattern = 0xA5, kPoison = 0xFF;

struct Block {
  uint8_t* whole;     // what was mapped or allocated
  size_t whole_size;  // 0 for canary blocks
  size_t size;
};

std::mutex mutex;
std::unordered_map<void*, Block>& blocks() {
  static auto* map = new std::unordered_map<void*, Block>;  // outlives tensors that die at exit
  return *map;
}
bool guarding = false;
long damaged_before = 0;  // blocks that were found damaged when freed

bool intact(const uint8_t* payload, const Block& block) {
  if (block.whole_size) return true;  // the page is the zone
  for (size_t i = 0; i < kZone; ++i)
    if (block.whole[i] != kPattern || payload[block.size + i] != kPattern) return false;
  return true;
}

Block guarded(size_t size, uint8_t** payload) {
  const size_t body = (size + kPage - 1) / kPage * kPage, whole_size = body + kPage;
  void* whole = mmap(nullptr, whole_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (whole == MAP_FAILED) throw std::bad_alloc();
  auto* start = static_cast<uint8_t*>(whole);
  mprotect(start + body, kPage, PROT_NONE);
  *payload = start + body - size;
  return {start, whole_size, size};
}

Block with_canaries(size_t size, uint8_t** payload) {
  const size_t whole_size = (size + 2 * kZone + kZone - 1) / kZone * kZone;
  auto* whole = static_cast<uint8_t*>(std::aligned_alloc(kZone, whole_size));
  if (!whole) throw std::bad_alloc();
  std::memset(whole, kPattern, kZone);
  std::memset(whole + kZone + size, kPattern, whole_size - kZone - size);
  *payload = whole + kZone;
  return {whole, 0, size};
}

void release(void* payload) {
  if (!payload) return;
  const std::lock_guard<std::mutex> lock(mutex);
  auto found = blocks().find(payload);
  if (found == blocks().end()) return;
  const Block block = found->second;
  blocks().erase(found);
  if (!intact(static_cast<uint8_t*>(payload), block)) ++damaged_before;
  if (block.whole_size) {
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
    const Block block = guarding && size % 16 == 0 ? guarded(size, &payload) : with_canaries(size, &payload);
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

// How many tensors have a damaged red zone: those alive, and those freed since the start.
long arena_allocator_damaged() {
  const std::lock_guard<std::mutex> lock(mutex);
  long damaged = damaged_before;
  for (const auto& [payload, block] : blocks())
    if (!intact(static_cast<const uint8_t*>(payload), block)) ++damaged;
  return damaged;
}
}
