// What the bench needs of a device, for a GPU (by its driver's functions) and for the processor.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "seal.h"

namespace arena {

constexpr int MAX_RANK = 6;

// How an input lies in memory; the same struct is in bench.cu. rank 0: elements one after the other.
struct Form {
  u64 count = 0;
  int rank = 0, item = 1;
  u64 extents[MAX_RANK] = {}, strides[MAX_RANK] = {};
};

#define ARENA_BOTH inline
#include "renewal.h"

// The judge's page: words that the device reads and writes while the judge watches, each on a cache line of its own.
struct Page {
  volatile u64 release;
  u64 pad0[7];
  volatile u64 end;
  u64 pad1[7];
  volatile u64 expired;
  u64 pad2[7];
  volatile int signal;
  int pad3[15];
  u64 key[2];  // the judge's, taken and erased when the bench is made
};

using Event = std::size_t;

// All work goes to one stream, in order. Functions throw std::runtime_error where the device fails.
class Device {
 public:
  virtual ~Device() = default;
  virtual void* allocate(u64 bytes) = 0;
  virtual void release(void* memory) = 0;
  virtual void upload(void* to, const void* from, u64 bytes) = 0;
  virtual void download(void* to, const void* from, u64 bytes) = 0;
  virtual void fill(void* memory, unsigned char byte, u64 bytes) = 0;
  virtual void renew(void* buffer, const void* slab, const Form& form, u64 begin) = 0;
  // A renewal of derived inputs: its word, new orders of the axes, then the inputs from one of so many sets of the pool.
  virtual void begin_set(u64 word, u64 sets) = 0;
  virtual void arrange(unsigned* places, u64 count, u64 axis) = 0;
  virtual void move(void* buffer, const void* pool, const Form& form, const Moves& moves) = 0;
  virtual void reorder_runs(void* buffer, const void* pool, const unsigned* places, u64 count, int item, void* lengths) = 0;
  // Adds to digests[call]; the key is used as it is. tail: one more word of the output, which is not copied.
  virtual void consume(const void* output, void* copy, u64 bytes, u64 tail, u64 key, u64 salt, std::size_t call) = 0;
  virtual void clear_digests(std::size_t calls) = 0;
  virtual std::vector<u64> digests(std::size_t calls) = 0;
  virtual void flush() = 0;
  virtual void hold(int duration_ns, int patience_ns) = 0;
  virtual bool await_full() = 0;  // false: other work was still running on the device
  virtual Event event() = 0;
  virtual bool has_passed(Event event) = 0;
  virtual double between_ns(Event begin, Event end) = 0;
  virtual void forget_events() = 0;
  virtual void drain() = 0;  // waits for every stream of the process
  virtual void nothing() = 0;
  virtual void read(int words, int span) = 0;
  virtual void compute(int blocks, int rounds) = 0;
  virtual int blocks() const = 0;
  // Between these two, renewing and consuming follow the token that the judge releases: a window of the i-th renewal begins
  // at mix(token + i) % spare, and where the i-th is that of a set its word is mix(token + i).
  virtual void await_release(u64 limit_ns, u64 spare) = 0;
  virtual void finish(std::size_t calls) = 0;
};

constexpr std::size_t MAX_CALLS = 256;  // of one block

std::unique_ptr<Device> processor(u64 flush_bytes, Page* page);

// kernels: handles of kernels.cu in the order of its names in device.cpp.
std::unique_ptr<Device> gpu(const std::vector<u64>& kernels, u64 stream, int blocks, u64 flush_bytes, Page* page);

}  // namespace arena
