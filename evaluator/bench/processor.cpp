// The processor as a device: work is done when a function returns, and events are times of the monotonic clock.

#include <chrono>
#include <cstdlib>
#include <stdexcept>

#include "device.h"

namespace arena {
namespace {

class Processor final : public Device {
 public:
  Processor(u64 flush_bytes, Page* page) : flushed_(flush_bytes, 1), page_(page) {}

  void* allocate(u64 bytes) override {
    void* memory = std::aligned_alloc(256, (bytes / 256 + 1) * 256);
    if (memory == nullptr) throw std::runtime_error("no memory for the bench's buffers");
    return memory;
  }
  void release(void* memory) override { std::free(memory); }
  void upload(void* to, const void* from, u64 bytes) override { std::memcpy(to, from, bytes); }
  void download(void* to, const void* from, u64 bytes) override { std::memcpy(to, from, bytes); }
  void fill(void* memory, unsigned char byte, u64 bytes) override { std::memset(memory, byte, bytes); }

  void renew(void* buffer, const void* slab, const Form& form, u64 begin) override {
    const auto* window = static_cast<const char*>(slab) + begin * form.item;
    auto* to = static_cast<char*>(buffer);
    if (form.rank == 0) {
      std::memcpy(to, window, form.count * form.item);
      return;
    }
    for (u64 i = 0; i < form.count; ++i) {
      u64 at = 0, rest = i;
      for (int axis = form.rank - 1; axis >= 0; --axis) {
        at += rest % form.extents[axis] * form.strides[axis];
        rest /= form.extents[axis];
      }
      std::memcpy(to + at * form.item, window + i * form.item, form.item);
    }
  }

  void begin_set(u64 word, u64 sets) override {
    word_ = word;
    sets_ = sets;
  }
  void arrange(unsigned* places, u64 count, u64 axis) override {
    for (u64 i = 0; i < count; ++i) places[i] = static_cast<unsigned>(place_of(i, count, mix(word_ + axis)));
  }
  void move(void* buffer, const void* pool, const Form& form, const Moves& moves) override {
    switch (form.item) {
      case 1: return move_as<unsigned char>(buffer, pool, form, moves);
      case 2: return move_as<short>(buffer, pool, form, moves);
      case 4: return move_as<int>(buffer, pool, form, moves);
      case 8: return move_as<long long>(buffer, pool, form, moves);
    }
  }
  void reorder_runs(void* buffer, const void* pool, const unsigned* places, u64 count, int item, void* lengths) override {
    const auto* offsets = static_cast<const unsigned char*>(pool) + word_ % sets_ * (count + 1) * item;
    auto* own = static_cast<long long*>(lengths);
    auto* to = static_cast<unsigned char*>(buffer);
    for (u64 i = 0; i < count; ++i) own[places[i]] = offset_at(offsets, item, i + 1) - offset_at(offsets, item, i);
    long long now = offset_at(offsets, item, 0);
    set_offset(to, item, 0, now);
    for (u64 i = 0; i < count; ++i) set_offset(to, item, i + 1, now += own[i]);
  }

  void consume(const void* output, void* copy, u64 bytes, u64 tail, u64 key, u64 salt, std::size_t call) override {
    std::memcpy(copy, output, bytes);
    const auto* data = static_cast<const unsigned char*>(copy);
    key = mix(key + salt);
    u64 sum = tail * mix(key + (bytes + 3) / 4);
    for (u64 begin = 0, index = 0; begin < bytes; begin += 4, ++index) {
      std::uint32_t word = 0;
      std::memcpy(&word, data + begin, bytes - begin < 4 ? bytes - begin : 4);
      sum += word * mix(key + index);
    }
    digests_[call] += sum;
  }

  void clear_digests(std::size_t) override { digests_.fill(0); }
  std::vector<u64> digests(std::size_t calls) override { return {digests_.begin(), digests_.begin() + calls}; }

  void flush() override { read(static_cast<int>(flushed_.size() / 16), 1 << 30); }
  void hold(int, int) override {}
  bool await_full() override { return true; }

  Event event() override {
    events_.push_back(std::chrono::steady_clock::now());
    return events_.size() - 1;
  }
  bool has_passed(Event) override { return false; }
  double between_ns(Event begin, Event end) override {
    return std::chrono::duration<double, std::nano>(events_.at(end) - events_.at(begin)).count();
  }
  void forget_events() override { events_.clear(); }
  void drain() override {}

  void nothing() override {}
  void read(int words, int span) override {
    unsigned sum = 0;
    const std::size_t size = flushed_.size() / 16;
    for (int i = 0; i < words && i < 1 << 16; ++i) sum += flushed_[(i & (span - 1)) % size * 16];
    sink_ = sum;
  }
  void compute(int, int rounds) override {
    double value = 1;
    for (int i = 0; i < rounds; ++i) value = value * 0.999 + 0.1;
    sink_ = static_cast<unsigned>(value);
  }
  int blocks() const override { return 1; }
  void await_release(u64, u64) override { page_->expired = 1; }  // nothing is enqueued here, so nothing can wait
  void finish(std::size_t) override {}

 private:
  template <typename T>
  void move_as(void* buffer, const void* pool, const Form& form, const Moves& moves) {
    for (u64 i = 0; i < form.count; ++i) {
      move_one(i, static_cast<T*>(buffer), static_cast<const T*>(pool), form, moves, sets_, word_);
    }
  }

  u64 word_ = 0, sets_ = 1;  // of the renewal of derived inputs
  std::vector<unsigned char> flushed_;
  Page* page_;
  std::array<u64, MAX_CALLS> digests_{};
  std::vector<std::chrono::steady_clock::time_point> events_;
  volatile unsigned sink_ = 0;
};

}  // namespace

std::unique_ptr<Device> processor(u64 flush_bytes, Page* page) {
  return std::make_unique<Processor>(flush_bytes, page);
}

}  // namespace arena
