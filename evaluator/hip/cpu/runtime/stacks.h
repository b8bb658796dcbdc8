// Stacks for fibers, and the switch from one to another.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <vector>

#if !defined(__x86_64__)
#error "the fiber runtime knows x86-64 only"
#endif

// Saves the callee-saved registers and the stack pointer at *save, and goes on where `to` was saved.
extern "C" void hipcpu_switch(void** save, void* to);
__asm__(R"(
.text
.type hipcpu_switch,@function
hipcpu_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmpq *%rcx  # not ret, twice as fast: the return predictor would expect the other stack's caller
.size hipcpu_switch, .-hipcpu_switch
)");

namespace hipcpu {

constexpr size_t kStackSize = 256 * 1024;  // a lane's private arrays live here; pages are mapped when touched
constexpr size_t kPage = 4096;

class Stacks {
 public:
  char* take() {
    if (free_.empty()) return map();
    char* stack = free_.back();
    free_.pop_back();
    return stack;
  }

  void give_back(char* stack) { free_.push_back(stack); }

  // Where a fiber that begins with `function`, which must not return, has its saved registers. Their frame pointer is
  // null, which ends the chain of calls. The tops are spread over a page: at one offset they would fall into the same
  // few cache sets.
  static void* begin(char* stack, int fiber, void (*function)()) {
    auto* top = reinterpret_cast<void**>(stack + kStackSize - fiber % 16 * 256);
    *--top = nullptr;  // keeps the stack aligned as after a call
    *--top = reinterpret_cast<void*>(function);
    for (int callee_saved = 0; callee_saved < 6; ++callee_saved) *--top = nullptr;
    return top;
  }

 private:
  static char* map() {
    constexpr int protection = PROT_READ | PROT_WRITE, kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* pages = mmap(nullptr, kPage + kStackSize, protection, kind, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    mprotect(pages, kPage, PROT_NONE);  // an overflow faults instead of reaching the neighbour
    return static_cast<char*>(pages) + kPage;
  }

  std::vector<char*> free_;
};

}  // namespace hipcpu
