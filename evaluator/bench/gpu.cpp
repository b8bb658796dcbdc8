// A GPU by its driver's functions, found before any candidate is loaded. CUDA and HIP differ in names alone here.

#include <dlfcn.h>

#include <chrono>
#include <stdexcept>
#include <cstddef>

#include "device.h"

#ifdef ARENA_HIP
#define ARENA_LIBRARY "libamdhip64.so"
#define ARENA_NAME(cuda, hip) hip
#else
#define ARENA_LIBRARY "libcuda.so.1"
#define ARENA_NAME(cuda, hip) cuda
#endif

namespace arena {
namespace {

using Pointer = void*;  // CUdeviceptr and hipDeviceptr_t are passed alike
constexpr int NOT_READY = 600, MAPPED = 2;
constexpr auto SIGNAL_PATIENCE = std::chrono::seconds(10);  // after it the device does not run our kernel at all
enum Kernel {
  NOTHING, FILL_AND_HOLD, READ_ALL, COMPUTE, RENEW, CONSUME, AWAIT_RELEASE, FINISH, ARRANGE, MOVE, REORDER_RUNS, KERNELS
};

class Driver {
 public:
  Driver() {
    library_ = dlopen(ARENA_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
    if (library_ == nullptr) library_ = dlopen(ARENA_LIBRARY, RTLD_NOW);
    if (library_ == nullptr) throw std::runtime_error("the driver's library " ARENA_LIBRARY " cannot be loaded");
    find(launch, ARENA_NAME("cuLaunchKernel", "hipModuleLaunchKernel"));
    find(allocate, ARENA_NAME("cuMemAlloc_v2", "hipMalloc"));
    find(release, ARENA_NAME("cuMemFree_v2", "hipFree"));
    find(upload, ARENA_NAME("cuMemcpyHtoD_v2", "hipMemcpyHtoD"));
    find(download, ARENA_NAME("cuMemcpyDtoH_v2", "hipMemcpyDtoH"));
    find(fill, ARENA_NAME("cuMemsetD8Async", "hipMemsetD8Async"));
    find(create_event, ARENA_NAME("cuEventCreate", "hipEventCreateWithFlags"));
    find(record, ARENA_NAME("cuEventRecord", "hipEventRecord"));
    find(query, ARENA_NAME("cuEventQuery", "hipEventQuery"));
    find(elapsed, ARENA_NAME("cuEventElapsedTime", "hipEventElapsedTime"));
    find(synchronize, ARENA_NAME("cuCtxSynchronize", "hipDeviceSynchronize"));
    find(register_memory, ARENA_NAME("cuMemHostRegister_v2", "hipHostRegister"));
    find(unregister_memory, ARENA_NAME("cuMemHostUnregister", "hipHostUnregister"));
    find(device_pointer, ARENA_NAME("cuMemHostGetDevicePointer_v2", "hipHostGetDevicePointer"));
#ifndef ARENA_HIP
    find(forget_persisting, "cuCtxResetPersistingL2Cache");
#endif
  }

  int (*launch)(Pointer, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Pointer, void**, void**);
  int (*allocate)(Pointer*, std::size_t);
  int (*release)(Pointer);
  int (*upload)(Pointer, const void*, std::size_t);
  int (*download)(void*, Pointer, std::size_t);
  int (*fill)(Pointer, unsigned char, std::size_t, Pointer);
  int (*create_event)(Pointer*, unsigned);
  int (*record)(Pointer, Pointer);
  int (*query)(Pointer);
  int (*elapsed)(float*, Pointer, Pointer);
  int (*synchronize)();
  int (*register_memory)(void*, std::size_t, unsigned);
  int (*unregister_memory)(void*);
  int (*device_pointer)(Pointer*, void*, unsigned);
  int (*forget_persisting)() = nullptr;

 private:
  template <typename Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    if (function == nullptr) throw std::runtime_error(std::string("the driver has no function ") + name);
  }

  void* library_ = nullptr;
};

// The texts are torch's, by which the judge tells whose fault an error is.
void check(int code, const char* what) {
  if (code == 0) return;
  const std::string api = ARENA_NAME("CUDA", "HIP");
  const char* text = code == 2 ? "out of memory" : code == 700 ? "an illegal memory access was encountered" : "a fault";
  throw std::runtime_error(api + " error: " + text + " (" + std::to_string(code) + " at " + what + ")");
}

class Gpu final : public Device {
 public:
  Gpu(const std::vector<u64>& kernels, u64 stream, int blocks, u64 flush_bytes, Page* page)
      : stream_(reinterpret_cast<Pointer>(stream)), blocks_(blocks), flush_bytes_(flush_bytes), page_(page) {
    if (kernels.size() != KERNELS) throw std::runtime_error("the bench needs all of its kernels");
    for (u64 handle : kernels) kernels_.push_back(reinterpret_cast<Pointer>(handle));
    check(driver_.register_memory(page, 4096, MAPPED), "registering the judge's page");
    check(driver_.device_pointer(&page_on_device_, page, 0), "mapping the judge's page");
    flushed_ = allocate(flush_bytes);
    state_ = allocate(256);
    token_ = allocate(256);
    sink_ = allocate(256);
    digests_ = allocate(MAX_CALLS * sizeof(u64));
    fill(flushed_, 1, flush_bytes);
    drain();
  }

  // Whoever is given the page's address once it is unmapped would find it taken on the device.
  ~Gpu() override { driver_.unregister_memory(page_); }

  void* allocate(u64 bytes) override {
    Pointer memory = nullptr;
    check(driver_.allocate(&memory, bytes ? bytes : 1), "allocating memory");
    return memory;
  }
  void release(void* memory) override { check(driver_.release(memory), "freeing memory"); }
  void upload(void* to, const void* from, u64 bytes) override {
    if (bytes) check(driver_.upload(to, from, bytes), "copying to the device");
  }
  void download(void* to, const void* from, u64 bytes) override {
    if (bytes) check(driver_.download(to, const_cast<void*>(from), bytes), "copying from the device");
  }
  void fill(void* memory, unsigned char byte, u64 bytes) override {
    if (bytes) check(driver_.fill(memory, byte, bytes, stream_), "filling memory");
  }

  void renew(void* buffer, const void* slab, const Form& form, u64 begin) override {
    Form own = form;
    Pointer token = spare_ ? token_ : nullptr;
    u64 salt = ++salt_, spare = spare_ ? spare_ : 1;
    void* arguments[] = {&buffer, &slab, &own, &begin, &token, &salt, &spare};
    launch(RENEW, wide(form.count), 256, arguments);
  }

  void begin_set(u64 word, u64 sets) override {
    word_ = word;
    sets_ = sets;
    set_token_ = spare_ ? token_ : nullptr;
    set_salt_ = ++salt_;
  }
  void arrange(unsigned* places, u64 count, u64 axis) override {
    void* arguments[] = {&places, &count, &axis, &word_, &set_token_, &set_salt_};
    launch(ARRANGE, wide(count), 256, arguments);
  }
  void move(void* buffer, const void* pool, const Form& form, const Moves& moves) override {
    Form own = form;
    Moves own_moves = moves;
    void* arguments[] = {&buffer, &pool, &own, &own_moves, &sets_, &word_, &set_token_, &set_salt_};
    launch(MOVE, wide(form.count), 256, arguments);
  }
  void reorder_runs(void* buffer, const void* pool, const unsigned* places, u64 count, int item, void* lengths) override {
    void* arguments[] = {&buffer, &pool, &places, &count, &item, &lengths, &sets_, &word_, &set_token_, &set_salt_};
    launch(REORDER_RUNS, 1, 1024, arguments);
  }

  void consume(const void* output, void* copy, u64 bytes, u64 tail, u64 key, u64 salt, std::size_t call) override {
    Pointer token = spare_ ? token_ : nullptr;
    u64* digest = static_cast<u64*>(digests_) + call;
    void* arguments[] = {&output, &copy, &bytes, &tail, &key, &token, &salt, &digest};
    launch(CONSUME, wide((bytes + 3) / 4), 256, arguments);
  }

  void clear_digests(std::size_t calls) override { fill(digests_, 0, calls * sizeof(u64)); }
  std::vector<u64> digests(std::size_t calls) override {
    std::vector<u64> found(calls);
    download(found.data(), digests_, calls * sizeof(u64));
    return found;
  }

  void flush() override {
    if (driver_.forget_persisting) check(driver_.forget_persisting(), "resetting the cache");
    read(static_cast<int>(flush_bytes_ / 16), 1 << 30);
  }

  void hold(int duration_ns, int patience_ns) override {
    fill(state_, 0, 32);
    ++ticket_;
    Pointer signal = static_cast<char*>(page_on_device_) + offsetof(Page, signal);
    void* arguments[] = {&state_, &signal, &ticket_, &duration_ns, &patience_ns};
    launch(FILL_AND_HOLD, blocks_, 1024, arguments);
  }

  bool await_full() override {
    const auto until = std::chrono::steady_clock::now() + SIGNAL_PATIENCE;
    while (page_->signal != ticket_ && page_->signal != -ticket_) {
      if (std::chrono::steady_clock::now() > until) throw std::runtime_error("the device did not start the holding kernel");
    }
    return page_->signal == ticket_;
  }

  Event event() override {
    if (used_ == events_.size()) {
      events_.push_back(nullptr);
      check(driver_.create_event(&events_.back(), 0), "creating an event");
    }
    check(driver_.record(events_[used_], stream_), "recording an event");
    return used_++;
  }
  bool has_passed(Event event) override {
    const int code = driver_.query(events_.at(event));
    if (code != NOT_READY) check(code, "asking for an event");
    return code == 0;
  }
  double between_ns(Event begin, Event end) override {
    float ms = 0;
    check(driver_.elapsed(&ms, events_.at(begin), events_.at(end)), "reading events");
    return static_cast<double>(ms) * 1e6;
  }
  void forget_events() override { used_ = 0; }
  void drain() override { check(driver_.synchronize(), "waiting for the device"); }

  void nothing() override { launch(NOTHING, 1, 1, nullptr); }
  void read(int words, int span) override {
    void* arguments[] = {&flushed_, &words, &span, &sink_};
    launch(READ_ALL, 2 * blocks_, 512, arguments);
  }
  void compute(int blocks, int rounds) override {
    void* arguments[] = {&sink_, &rounds};
    launch(COMPUTE, blocks, 256, arguments);
  }
  int blocks() const override { return blocks_; }

  void await_release(u64 limit_ns, u64 spare) override {
    spare_ = spare;
    salt_ = 0;
    Pointer release = word(offsetof(Page, release)), expired = word(offsetof(Page, expired));
    void* arguments[] = {&release, &expired, &token_, &limit_ns};
    launch(AWAIT_RELEASE, 1, 1, arguments);
  }

  void finish(std::size_t calls) override {
    Pointer end = word(offsetof(Page, end));
    u64 count = calls;
    void* arguments[] = {&end, &digests_, &count};
    launch(FINISH, 1, 1, arguments);
    spare_ = 0;
  }

 private:
  Pointer word(std::size_t offset) { return static_cast<char*>(page_on_device_) + offset; }
  int wide(u64 items) const {
    const u64 most = static_cast<u64>(blocks_) * 8, wanted = (items + 255) / 256;
    return static_cast<int>(wanted < 1 ? 1 : wanted < most ? wanted : most);
  }
  void launch(Kernel kernel, int blocks, int threads, void** arguments) {
    check(driver_.launch(kernels_[kernel], blocks, 1, 1, threads, 1, 1, 0, stream_, arguments, nullptr), "a launch");
  }

  Driver driver_;
  std::vector<Pointer> kernels_, events_;
  Pointer stream_, flushed_ = nullptr, state_ = nullptr, token_ = nullptr, sink_ = nullptr, digests_ = nullptr;
  Pointer page_on_device_ = nullptr, set_token_ = nullptr;
  int blocks_, ticket_ = 0;
  u64 flush_bytes_, spare_ = 0, salt_ = 0;
  u64 word_ = 0, sets_ = 1, set_salt_ = 0;  // of the renewal of derived inputs
  std::size_t used_ = 0;
  Page* page_;
};

}  // namespace

std::unique_ptr<Device> gpu(const std::vector<u64>& kernels, u64 stream, int blocks, u64 flush_bytes, Page* page) {
  return std::make_unique<Gpu>(kernels, stream, blocks, flush_bytes, page);
}

}  // namespace arena
