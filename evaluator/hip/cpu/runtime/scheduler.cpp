// The scheduler of the fiber runtime: compiled once per host, linked into every extension.
//
// A block runs to its end before the next one starts. Within it, each wave runs its lanes one after another until every
// lane has ended, waits for others or spins; then the lanes waiting at one wave operation go on together, and when no
// wave can go on, the barrier opens. So no order of barriers and wave operations can hang; a lane that waits in a loop
// for memory which nobody writes ends the kernel with an error.
//
// The judge chooses the order of blocks, waves and lanes (order.h) and where atomics let others go first: a result that
// depends on it depends on an order the device does not promise (a missing barrier, a race).
#include <hip/hip_runtime.h>
#include "kernels.h"
#include "launches.h"
#include "order.h"
#include "stacks.h"

#include <exception>
#include <mutex>
#include <set>
#include <stdexcept>
#include <vector>

// Bounds of the section that qualifiers.h puts every __shared__ variable in; absent when there is none.
extern char __start_hipcpu_shared[] __attribute__((weak, visibility("hidden")));
extern char __stop_hipcpu_shared[] __attribute__((weak, visibility("hidden")));

namespace hipcpu {

constexpr size_t kLdsTail = 1024;  // behind dynamic LDS: poisoned too, and checked

Context context;
alignas(256) char dynamic_shared[kLdsSize + kLdsTail];

namespace {

constexpr unsigned char kPoison = 0xFF;  // NaN in every float type
constexpr uint64_t kPatience = 1 << 16;  // idle atomics before a wave stops waiting for its spinning lanes
constexpr uint64_t kHopeless = 1 << 26;  // idle atomics (0.3 s) after which nobody will come
constexpr uint64_t kLongestUnpaused = 15;  // atomics between two pauses, at most

enum class State : uint8_t { kNew, kReady, kAtWave, kAtBarrier, kSpinning, kDone };

// Where in the program a lane waits: the calls it is in, innermost first. Two calls of one helper are different places.
struct Site {
  static constexpr int kDepth = 16;
  uint64_t hash;
  int depth;
  const void* calls[kDepth];
};

struct Fiber : Position {
  State state;
  char* stack;
  void* stack_pointer;
  Site site;       // of the wave operation it waits at
  uint64_t value;  // what it brings there
};

struct Wave {
  Fiber* first;
  int size;
  uint64_t active, votes, seen[warpSize];  // of the operation the lanes were last released from
};

std::mutex one_grid_at_a_time;
thread_local bool inside_kernel = false;

Order order;
Stacks stacks;
std::vector<Fiber> fibers;
std::vector<Wave> waves;
void* scheduler_stack_pointer;
void (*lane_function)(void*);
void* lane_argument;
std::exception_ptr failure;
bool refused = false;
int launched = 0;  // grids of which a kernel ran
const Kernel* entered = nullptr;  // the kernel that may run
std::set<const Kernel*> ran;
size_t dynamic_lds;
int barrier_votes, barrier_result;

Fiber& running() { return *static_cast<Fiber*>(context.running); }

// ---- a lane's side

__forceinline__ void park(State state) {
  Fiber& self = running();
  self.state = state;
  if (state != State::kSpinning) context.idle_atomics = 0;
  hipcpu_switch(&self.stack_pointer, scheduler_stack_pointer);
}

// Follows the frame pointers, which everything here is compiled with, to lane_main, whose caller has none.
__forceinline__ void wait_at_wave(void** frame, uint64_t value) {
  Fiber& self = running();
  self.value = value;
  self.site.hash = 0;
  self.site.depth = 0;
  for (; frame && self.site.depth < Site::kDepth; frame = static_cast<void**>(frame[0])) {
    self.site.calls[self.site.depth++] = frame[1];
    self.site.hash = (self.site.hash ^ reinterpret_cast<uintptr_t>(frame[1])) * 0x9E3779B97F4A7C15u;
  }
  park(State::kAtWave);
}

[[noreturn]] void lane_main() {
  try {
    lane_function(lane_argument);
  } catch (...) {
    if (!failure) failure = std::current_exception();
  }
  park(State::kDone);
  __builtin_unreachable();
}

// ---- the scheduler's side

__forceinline__ void resume(Fiber& fiber) {
  if (fiber.state == State::kNew) {
    fiber.stack = stacks.take();
    fiber.stack_pointer = Stacks::begin(fiber.stack, fiber.lane, lane_main);
  }
  fiber.state = State::kReady;
  context.running = &fiber;
  hipcpu_switch(&scheduler_stack_pointer, fiber.stack_pointer);
  context.running = nullptr;
  if (fiber.state == State::kDone) stacks.give_back(fiber.stack);
}

// Whether a comes before b in the program, as far as code is laid out in its order.
bool before(const Site& a, const Site& b) {
  if (a.hash == b.hash) return false;
  for (int i = 1; i <= std::min(a.depth, b.depth); ++i) {
    const void *call_a = a.calls[a.depth - i], *call_b = b.calls[b.depth - i];
    if (call_a != call_b) return call_a < call_b;
  }
  return a.depth < b.depth;
}

// Of the lanes that wait at wave operations, those at the earliest place go on: lanes still in a loop run before those
// that have left it. Returns whether any lane can go on.
bool release_group(Wave& wave) {
  const Site* site = nullptr;
  bool spinning = false;
  for (Fiber* fiber = wave.first; fiber < wave.first + wave.size; ++fiber) {
    spinning |= fiber->state == State::kSpinning;
    if (fiber->state == State::kAtWave && (!site || before(fiber->site, *site))) site = &fiber->site;
  }
  if (!site || (spinning && context.idle_atomics < kPatience)) return false;
  wave.active = wave.votes = 0;
  for (Fiber* fiber = wave.first; fiber < wave.first + wave.size; ++fiber) {
    if (fiber->state != State::kAtWave || fiber->site.hash != site->hash) continue;
    fiber->state = State::kReady;
    wave.seen[fiber->lane] = fiber->value;
    wave.active |= uint64_t(1) << fiber->lane;
    wave.votes |= uint64_t(fiber->value != 0) << fiber->lane;
  }
  return true;
}

void run_wave(size_t index) {
  Wave& wave = waves[index];
  do {
    for (int i = 0; i < warpSize; ++i) {
      const size_t lane = order.lane(index, i);
      if (lane >= size_t(wave.size)) continue;
      Fiber& fiber = wave.first[lane];
      if (fiber.state == State::kNew || fiber.state == State::kReady) resume(fiber);
      if (failure || refused) return;
    }
  } while (release_group(wave));
}

int set_ready(State waiting) {
  int count = 0;
  for (Fiber& fiber : fibers)
    if (fiber.state == waiting) fiber.state = State::kReady, ++count;
  return count;
}

// Whether the block goes on: spinning lanes try again first, since the barrier waits for them too.
bool open_barrier() {
  if (set_ready(State::kSpinning)) return true;
  barrier_result = barrier_votes;
  barrier_votes = 0;
  return set_ready(State::kAtBarrier) > 0;
}

void poison_lds(size_t dynamic_size) {
  memset(__start_hipcpu_shared, kPoison, __stop_hipcpu_shared - __start_hipcpu_shared);
  memset(dynamic_shared, kPoison, dynamic_size + kLdsTail);
}

void check_lds_tail(size_t dynamic_size) {
  const char* tail = dynamic_shared + dynamic_size;
  if (static_cast<unsigned char>(tail[0]) != kPoison || memcmp(tail, tail + 1, kLdsTail - 1) != 0)
    throw std::runtime_error("hipcpu: a kernel wrote behind its dynamic shared memory of " +
                             std::to_string(dynamic_size) + " bytes");
}

void run_block(size_t dynamic_size) {
  poison_lds(dynamic_size);
  order.begin_block();
  for (Fiber& fiber : fibers) fiber.state = State::kNew;
  barrier_votes = 0;
  do {
    for (size_t i = 0; i < waves.size() && !failure && !refused; ++i) run_wave(order.wave(i));
  } while (!failure && !refused && open_barrier());
  check_lds_tail(dynamic_size);
}

void lay_out_block(dim3 block) {
  const size_t count = size_t(block.x) * block.y * block.z;
  fibers.assign(count, Fiber{});
  waves.assign((count + warpSize - 1) / warpSize, Wave{});
  for (size_t i = 0; i < count; ++i) {
    fibers[i].thread = {unsigned(i % block.x), unsigned(i / block.x % block.y), unsigned(i / block.x / block.y)};
    fibers[i].lane = int(i % warpSize);
    fibers[i].wave = int(i / warpSize);
  }
  for (size_t i = 0; i < waves.size(); ++i) {
    waves[i].first = &fibers[i * warpSize];
    waves[i].size = int(std::min<size_t>(warpSize, count - i * warpSize));
  }
}

// Stacks of lanes that a failure left unfinished are used again; what they held is not destroyed.
void abandon_lanes() {
  for (Fiber& fiber : fibers)
    if (fiber.state != State::kNew && fiber.state != State::kDone) stacks.give_back(fiber.stack);
  failure = nullptr;
  refused = false;
}

void run_blocks(const Configuration& c) {
  const size_t count = size_t(c.grid.x) * c.grid.y * c.grid.z;
  order.begin_launch(count, waves.size(), warpSize);
  context.atomics_before_pause = order.is_drawn() ? 1 + order.draw(kLongestUnpaused) : 0;
  for (size_t i = 0; i < count && !failure && !refused; ++i) {
    const uint64_t block = order.block(i);
    context.block_index = {unsigned(block % c.grid.x), unsigned(block / c.grid.x % c.grid.y),
                           unsigned(block / c.grid.x / c.grid.y)};
    run_block(c.shared);
  }
}

}  // namespace

uint64_t wave_read(uint64_t value, int source) {
  wait_at_wave(static_cast<void**>(__builtin_frame_address(0)), value);
  const Wave& wave = waves[running().wave];
  return source >= 0 && source < warpSize && (wave.active >> source & 1) ? wave.seen[source] : 0;
}

uint64_t wave_ballot(bool vote) {
  wait_at_wave(static_cast<void**>(__builtin_frame_address(0)), vote);
  return waves[running().wave].votes;
}

int block_barrier(bool vote) {
  barrier_votes += vote;
  park(State::kAtBarrier);
  return barrier_result;
}

void yield_to_other_lanes() {
  if (context.idle_atomics > kHopeless)
    throw std::runtime_error(
        "hipcpu: impossible wait: a lane waits for memory that no lane of its block will write (blocks run one after "
        "another here)");
  park(State::kSpinning);
}

void pause_at_atomic() {
  context.atomics_before_pause = 1 + order.draw(kLongestUnpaused);
  park(State::kSpinning);
}

void set_order(uint64_t seed) { order.begin(seed); }

void run_grid(const Configuration& configuration, void (*lane)(void*), void* argument) {
  if (inside_kernel) throw std::runtime_error("hipcpu: a kernel cannot launch a kernel");
  if (!possible(configuration)) return;
  std::lock_guard lock(one_grid_at_a_time);
  context = {configuration.grid, configuration.block, {}, nullptr, 0, 0};
  lane_function = lane;
  lane_argument = argument;
  entered = nullptr;
  dynamic_lds = configuration.shared;
  lay_out_block(configuration.block);
  inside_kernel = true;
  try {
    run_blocks(configuration);
  } catch (...) {
    failure = std::current_exception();
  }
  inside_kernel = false;
  launched += entered != nullptr;
  const std::exception_ptr error = failure;
  abandon_lanes();
  if (error) std::rethrow_exception(error);
}

}  // namespace hipcpu

// The number of launches that ran, without refused ones.
extern "C" int hipcpu_launched() { return hipcpu::launched; }

// The name of the i-th kernel that ran; false where there are not so many.
extern "C" int hipcpu_ran(size_t i, char* name, size_t size) {
  if (i >= hipcpu::ran.size()) return false;
  snprintf(name, size, "%s", hipcpu::name_of(**std::next(hipcpu::ran.begin(), long(i))).c_str());
  return true;
}

// A refused lane ends here, before it has read or written anything, and nobody resumes it.
void hipcpu_enter(const hipcpu::Kernel* kernel) {
  using namespace hipcpu;
  if (kernel == entered) return;
  if (possible(*kernel, context.block, dynamic_lds)) {
    entered = kernel;
    ran.insert(kernel);
    return;
  }
  refused = true;
  park(State::kDone);
}
