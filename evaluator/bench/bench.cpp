// The bench: timed calls of a candidate, out of reach of what Python code can replace. It runs in the candidate's process,
// is loaded before the candidate, and from then on uses its own functions of the driver, its own memory and its own checks:
// no torch operator, no attribute of a Python object. What it reports is sealed with a key that the judge left in the
// shared page and that is erased there before the candidate is loaded. evaluator/inside/bench.py is its Python side.

#include <algorithm>
#include <chrono>

#include "case.h"

namespace arena {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int HIDE_NS = 500'000;  // longer than enqueueing any of our own measured launches

u64 ns_since(Clock::time_point begin) {
  return static_cast<u64>(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count());
}

struct Options {
  u64 least_ns = 0, most_ns = 0;  // of a hold before a timed call
  double factor = 0;              // times the longest time of enqueueing so far
  int patience_ns = 0;
};

struct Reading {
  Event start = 0, stop = 0, end = 0;
  bool visible = false, crowded = false;
  u64 host_ns = 0, after_host_ns = 0;
};

// Memory of the device for as long as this lives; none for 0 bytes.
class Scratch {
 public:
  Scratch(Device& device, u64 bytes) : device_(device), bytes_(bytes), at_(bytes ? device.allocate(bytes) : nullptr) {}
  ~Scratch() {
    try {
      if (at_ != nullptr) device_.release(at_);
    } catch (const std::exception&) {  // the device has failed, and what failed on it is already being told
    }
  }
  Scratch(const Scratch&) = delete;

  void clear() const {
    if (at_ != nullptr) device_.fill(at_, 0, bytes_);
  }

 private:
  Device& device_;
  u64 bytes_;
  void* at_;
};

class Bench {
 public:
  Bench(std::unique_ptr<Device> device, bool on_gpu, Page* page, Py_buffer view, Object take_over, Object take_over_options)
      : device_(std::move(device)),
        on_gpu_(on_gpu),
        page_(page),
        view_(view),
        take_over_(std::move(take_over)),
        take_over_options_(std::move(take_over_options)) {
    key_ = {page->key[0], page->key[1]};
    page->key[0] = page->key[1] = 0;
  }
  ~Bench() {
    case_.reset();
    device_.reset();  // while the page that it registered is mapped
    PyBuffer_Release(&view_);
  }

  Device& device() { return *device_; }
  Case& armed() {
    if (!case_) throw std::runtime_error("no candidate is attached");
    return *case_;
  }

  void attach(PyObject* entry, PyObject* hook, bool positional, const Options& options) {
    options_ = options;
    case_ = std::make_unique<Case>(*device_, entry, hook, positional, on_gpu_);
  }

  void arm(PyObject* inputs, PyObject* outputs, bool passes_outputs) {
    enqueue_ns_ = 0;
    armed().arm(inputs, outputs, passes_outputs);
  }

  // Time `calls`: for each the buffer, where the windows of its inputs begin, and the word of its set if it has one.
  Object block(u64 nonce, const std::vector<std::vector<u64>>& calls) {
    auto& armed = this->armed();
    device_->forget_events();
    device_->clear_digests(calls.size());
    armed.keep(calls.size());
    Seal key_of_block(key_);
    key_of_block.add(nonce);
    const u64 key = key_of_block.close();
    std::vector<Reading> readings;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      std::optional<Problem> problem;
      readings.push_back(timed(calls[i], i, key, problem));
      if (problem) return told(*problem);
    }
    device_->drain();
    const auto digests = device_->digests(calls.size());
    std::vector<u64> hosts;
    for (const auto& reading : readings) hosts.push_back(reading.host_ns);
    std::sort(hosts.begin(), hosts.end());
    enqueue_ns_ = std::max(enqueue_ns_, hosts[hosts.size() / 2]);

    Seal seal(key_);
    seal.add(nonce);
    for (const auto& call : calls) {
      for (u64 word : call) seal.add(word);
    }
    Object dev = checked(PyList_New(0)), after = checked(PyList_New(0)), visible = checked(PyList_New(0));
    Object crowded = checked(PyList_New(0)), sums = checked(PyList_New(0));
    for (std::size_t i = 0; i < readings.size(); ++i) {
      const auto& reading = readings[i];
      const double dev_ns = device_->between_ns(reading.start, reading.stop);
      // After a visible call the device waited for the host, whose time is not the candidate's work.
      const double waited = reading.visible ? static_cast<double>(reading.after_host_ns) : 0.0;
      const double after_ns = std::max(0.0, device_->between_ns(reading.stop, reading.end) - waited);
      seal.add(dev_ns);
      seal.add(after_ns);
      seal.add(static_cast<u64>(reading.visible) | static_cast<u64>(reading.crowded) << 1);
      seal.add(digests[i]);
      append(dev, PyFloat_FromDouble(dev_ns));
      append(after, PyFloat_FromDouble(after_ns));
      append(visible, PyBool_FromLong(reading.visible));
      append(crowded, PyBool_FromLong(reading.crowded));
      append(sums, PyLong_FromUnsignedLongLong(digests[i]));
    }
    return checked(Py_BuildValue("{s:O,s:O,s:O,s:O,s:O,s:O,s:K,s:K}", "problem", Py_None, "dev_ns", dev.get(), "after_ns",
                                 after.get(), "visible", visible.get(), "crowded", crowded.get(), "digests", sums.get(),
                                 "enqueue_ns", enqueue_ns_, "seal", seal.close()));
  }

  // Call repeatedly on one buffer, without new contents; ns of all calls together, or with pairs of each. Before each call
  // that is timed, so many bytes of a buffer are cleared, which takes its place in the caches.
  Object loop(u64 nonce, u64 warmups, u64 calls, bool pairs, u64 cleared_bytes) {
    auto& armed = this->armed();
    const Scratch cleared(*device_, cleared_bytes);
    device_->forget_events();
    for (u64 i = 0; i < warmups; ++i) armed.call(0);
    device_->drain();
    std::vector<Event> marks;
    const Event begin = device_->event();
    for (u64 i = 0; i < calls; ++i) {
      cleared.clear();
      if (pairs) marks.push_back(device_->event());
      armed.call(0);
      if (pairs) marks.push_back(device_->event());
    }
    if (!pairs) marks = {begin, device_->event()};
    device_->drain();
    Seal seal(key_);
    for (u64 word : {nonce, warmups, calls, static_cast<u64>(pairs), cleared_bytes}) seal.add(word);
    Object times = checked(PyList_New(0));
    for (std::size_t i = 0; i < marks.size(); i += 2) {
      const double ns = device_->between_ns(marks[i], marks[i + 1]);
      seal.add(ns);
      append(times, PyFloat_FromDouble(ns));
    }
    return checked(Py_BuildValue("{s:O,s:K}", "events_ns", times.get(), "seal", seal.close()));
  }

  // Enqueue a block behind a hold that the judge ends by writing to the page; with `empty` nothing is called.
  // Returns what stands in the way ("expired" where the hold ended before everything was enqueued), or None.
  Object enqueue(const std::vector<std::vector<u64>>& calls, u64 spare, u64 limit_ns, bool empty) {
    auto& armed = this->armed();
    armed.keep(calls.size());
    take_over();
    device_->drain();
    device_->forget_events();
    device_->clear_digests(calls.size());
    device_->drain();
    page_->expired = page_->end = 0;
    device_->await_release(limit_ns, spare);
    std::optional<Problem> problem;
    for (std::size_t i = 0; i < calls.size() && !problem; ++i) {
      const std::size_t buffer = calls[i].at(0);
      take_over();
      armed.renew(buffer, {calls[i].begin() + 1, calls[i].end()});
      device_->flush();
      if (empty) {
        armed.consume_nothing(i, buffer);
        continue;
      }
      auto returned = armed.call(buffer);
      problem = armed.problem(returned, buffer);
      if (problem) break;
      armed.consume(returned, i, 0);
      armed.poison(returned);
      armed.keep_alive(std::move(returned));
    }
    device_->finish(calls.size());
    if (problem) return told(*problem);
    const bool expired = page_->expired != 0;
    return checked(Py_BuildValue("{s:O,s:O}", "problem", Py_None, "expired", expired ? Py_True : Py_False));
  }

  // The digests of the calls of the block that the judge released.
  Object settle(u64 nonce, u64 calls) {
    device_->drain();
    Seal seal(key_);
    seal.add(nonce);
    seal.add(calls);
    Object sums = checked(PyList_New(0));
    for (u64 digest : device_->digests(calls)) {
      seal.add(digest);
      append(sums, PyLong_FromUnsignedLongLong(digest));
    }
    const bool expired = page_->expired != 0;
    return checked(Py_BuildValue("{s:O,s:O,s:K}", "digests", sums.get(), "expired", expired ? Py_True : Py_False, "seal",
                                 seal.close()));
  }

  void hide() {
    device_->forget_events();
    device_->hold(HIDE_NS, HIDE_NS);
    device_->event();
  }
  double shown() {  // ns since `hide`
    const Event end = device_->event();
    device_->drain();
    return device_->between_ns(end - 1, end);
  }

  static void append(const Object& list, PyObject* item) {
    const Object owned = checked(item);
    if (PyList_Append(list.get(), owned.get()) != 0) throw PythonError{};
  }

 private:
  void take_over() {
    if (!take_over_) return;
    const Object none = checked(PyTuple_New(0));
    checked(PyObject_Call(take_over_.get(), none.get(), take_over_options_.get()));
  }

  Reading timed(const std::vector<u64>& call, std::size_t index, u64 key, std::optional<Problem>& problem) {
    auto& armed = this->armed();
    const std::size_t buffer = call.at(0);
    Reading reading;
    take_over();
    armed.renew(buffer, {call.begin() + 1, call.end()});
    device_->flush();
    const double wanted = options_.factor * static_cast<double>(enqueue_ns_);
    const double held = std::clamp(wanted, static_cast<double>(options_.least_ns), static_cast<double>(options_.most_ns));
    device_->hold(static_cast<int>(held), options_.patience_ns);
    reading.start = device_->event();
    const bool full_before = device_->await_full();
    const auto begin = Clock::now();
    auto returned = armed.call(buffer);
    reading.stop = device_->event();
    const auto stopped = Clock::now();
    reading.visible = device_->has_passed(reading.start);
    device_->hold(0, options_.patience_ns);
    reading.end = device_->event();
    reading.after_host_ns = ns_since(stopped);
    reading.host_ns = ns_since(begin);  // the time that the hold has to cover
    problem = armed.problem(returned, buffer);
    if (!problem) {
      armed.consume(returned, index, key);
      armed.poison(returned);
      armed.keep_alive(std::move(returned));
    }
    reading.crowded = !(device_->await_full() && full_before);
    return reading;
  }

  static Object told(const Problem& problem) {
    return checked(Py_BuildValue("{s:(ss)}", "problem", problem.reason.c_str(), problem.detail.c_str()));
  }

  std::unique_ptr<Device> device_;
  bool on_gpu_;
  Page* page_;
  Py_buffer view_;
  Object take_over_, take_over_options_;
  Key key_;
  Options options_;
  std::unique_ptr<Case> case_;
  u64 enqueue_ns_ = 0;
};

// Python's side of it: an object that holds a Bench, and methods that take plain values.

struct Holder {
  PyObject_HEAD Bench* bench;
};

template <typename Work>
PyObject* guarded(Work work) {
  try {
    Object found = work();
    PyObject* given = found ? found.get() : Py_None;
    Py_INCREF(given);
    return given;
  } catch (const PythonError&) {
    return nullptr;
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    return nullptr;
  }
}

Bench& bench_of(PyObject* self) { return *reinterpret_cast<Holder*>(self)->bench; }

void parse(int parsed) {
  if (!parsed) throw PythonError{};
}

std::vector<u64> words_of(PyObject* list) {
  const Object items = checked(PySequence_Tuple(list));
  std::vector<u64> found;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
    found.push_back(PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(items.get(), i)));
    if (PyErr_Occurred()) throw PythonError{};
  }
  return found;
}

std::vector<std::vector<u64>> rows_of(PyObject* list) {
  const Object items = checked(PySequence_Tuple(list));
  std::vector<std::vector<u64>> found;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) found.push_back(words_of(PyTuple_GET_ITEM(items.get(), i)));
  return found;
}

PyObject* make(PyTypeObject* type, PyObject* arguments, PyObject*) {
  return guarded([&] {
    PyObject *page, *kernels, *take_over, *options;
    unsigned long long stream, flush_bytes;
    int blocks, on_gpu;
    parse(PyArg_ParseTuple(arguments, "OpOKiKOO", &page, &on_gpu, &kernels, &stream, &blocks, &flush_bytes, &take_over,
                           &options));
    Py_buffer view;
    if (PyObject_GetBuffer(page, &view, PyBUF_WRITABLE) != 0) throw PythonError{};
    auto* words = static_cast<Page*>(view.buf);
    if (view.len < static_cast<Py_ssize_t>(sizeof(Page))) throw std::runtime_error("the judge's page is too small");
    auto device = on_gpu ? gpu(words_of(kernels), stream, blocks, flush_bytes, words) : processor(flush_bytes, words);
    Object self = checked(type->tp_alloc(type, 0));
    const bool takes = take_over != Py_None;
    reinterpret_cast<Holder*>(self.get())->bench =
        new Bench(std::move(device), on_gpu, words, view, takes ? Object::borrowed(take_over) : Object(),
                  takes ? Object::borrowed(options) : Object());
    return self;
  });
}

void destroy(PyObject* self) {
  delete reinterpret_cast<Holder*>(self)->bench;
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* attach(PyObject* self, PyObject* arguments) {
  return guarded([&] {
    PyObject *entry, *hook;
    int positional;
    Options options;
    unsigned long long least, most;
    parse(PyArg_ParseTuple(arguments, "OOpKKdi", &entry, &hook, &positional, &least, &most, &options.factor,
                           &options.patience_ns));
    options.least_ns = least;
    options.most_ns = most;
    bench_of(self).attach(entry, hook, positional, options);
    return Object();
  });
}

PyObject* arm(PyObject* self, PyObject* arguments) {
  return guarded([&] {
    PyObject *inputs, *outputs;
    int passes_outputs;
    parse(PyArg_ParseTuple(arguments, "O!O!p", &PyList_Type, &inputs, &PyList_Type, &outputs, &passes_outputs));
    bench_of(self).arm(inputs, outputs, passes_outputs);
    return Object();
  });
}

PyObject* slab(PyObject* self, PyObject* arguments) {
  return guarded([&] {
    const char* name;
    Py_buffer data;
    unsigned long long index, sets;
    parse(PyArg_ParseTuple(arguments, "sy*KK", &name, &data, &index, &sets));
    bench_of(self).armed().set_slab(name, data.buf, static_cast<u64>(data.len), index, sets);
    PyBuffer_Release(&data);
    return Object();
  });
}

PyObject* ready(PyObject* self, PyObject* arguments) {
  return guarded([&] {
    int buffers;
    PyObject* windows;
    parse(PyArg_ParseTuple(arguments, "iO", &buffers, &windows));
    bench_of(self).armed().ready(buffers, rows_of(windows));
    return Object();
  });
}

PyObject* block(PyObject* self, PyObject* arguments) {
  return guarded([&] {
    unsigned long long nonce;
    PyObject* calls;
    parse(PyArg_ParseTuple(arguments, "KO", &nonce, &calls));
    return bench_of(self).block(nonce, rows_of(calls));
  });
}

PyObject* pick(PyObject* self, PyObject* arguments) {
  return guarded([&] {
    int index;
    PyObject* views;
    parse(PyArg_ParseTuple(arguments, "iO!", &index, &PyList_Type, &views));
    auto& armed = bench_of(self).armed();
    std::vector<Py_buffer> held;
    std::vector<void*> host;
    for (Py_ssize_t i = 0; i < PyList_Size(views); ++i) {
      Py_buffer view;
      if (PyObject_GetBuffer(PyList_GetItem(views, i), &view, PyBUF_WRITABLE) != 0) throw PythonError{};
      held.push_back(view);
      if (static_cast<u64>(view.len) != armed.outputs().at(i).bytes) throw std::runtime_error("an output of another size");
      host.push_back(view.buf);
    }
    Object lengths = checked(PyList_New(0));
    for (const u64 length : armed.pick(static_cast<std::size_t>(index), host)) {
      Bench::append(lengths, PyLong_FromUnsignedLongLong(length));
    }
    for (auto& view : held) PyBuffer_Release(&view);
    return lengths;
  });
}

PyObject* loop(PyObject* self, PyObject* arguments) {
  return guarded([&] {
    unsigned long long nonce, warmups, calls, cleared_bytes;
    int pairs;
    parse(PyArg_ParseTuple(arguments, "KKKpK", &nonce, &warmups, &calls, &pairs, &cleared_bytes));
    return bench_of(self).loop(nonce, warmups, calls, pairs, cleared_bytes);
  });
}

PyObject* enqueue(PyObject* self, PyObject* arguments) {
  return guarded([&] {
    PyObject* calls;
    unsigned long long spare, limit_ns;
    int empty;
    parse(PyArg_ParseTuple(arguments, "OKKp", &calls, &spare, &limit_ns, &empty));
    return bench_of(self).enqueue(rows_of(calls), spare, limit_ns, empty);
  });
}

PyObject* settle(PyObject* self, PyObject* arguments) {
  return guarded([&] {
    unsigned long long nonce, calls;
    parse(PyArg_ParseTuple(arguments, "KK", &nonce, &calls));
    return bench_of(self).settle(nonce, calls);
  });
}

PyObject* canary(PyObject* self, PyObject* arguments) {
  return guarded([&] {
    int read_words, rounds;
    parse(PyArg_ParseTuple(arguments, "ii", &read_words, &rounds));
    auto& device = bench_of(self).device();
    device.forget_events();
    device.flush();
    device.hold(HIDE_NS, HIDE_NS);
    const Event begin = device.event();
    device.read(read_words, 1 << 30);
    const Event between = device.event();
    device.compute(device.blocks(), rounds);
    const Event end = device.event();
    device.drain();
    return checked(Py_BuildValue("[dd]", device.between_ns(begin, between), device.between_ns(between, end)));
  });
}

PyObject* heat(PyObject* self, PyObject* arguments) {
  return guarded([&] {
    int rounds;
    parse(PyArg_ParseTuple(arguments, "i", &rounds));
    auto& device = bench_of(self).device();
    device.compute(8 * device.blocks(), rounds);
    device.drain();
    return Object();
  });
}

PyObject* hide(PyObject* self, PyObject*) {
  return guarded([&] {
    bench_of(self).hide();
    return Object();
  });
}

PyObject* nothing(PyObject* self, PyObject*) {
  return guarded([&] {
    bench_of(self).device().nothing();
    return Object();
  });
}

PyObject* read(PyObject* self, PyObject* arguments) {
  return guarded([&] {
    int words, span;
    parse(PyArg_ParseTuple(arguments, "ii", &words, &span));
    bench_of(self).device().read(words, span);
    return Object();
  });
}

PyObject* shown(PyObject* self, PyObject*) {
  return guarded([&] { return checked(PyFloat_FromDouble(bench_of(self).shown())); });
}

PyMethodDef METHODS[] = {
    {"attach", attach, METH_VARARGS, "Take the candidate's entry and its hook."},
    {"arm", arm, METH_VARARGS, "Start a new case; free the last one's memory."},
    {"slab", slab, METH_VARARGS, "Copy the slab of one input to the device."},
    {"ready", ready, METH_VARARGS, "Make the sets of inputs."},
    {"block", block, METH_VARARGS, "Time calls."},
    {"pick", pick, METH_VARARGS, "Copy the outputs of one call of the last block to these buffers."},
    {"loop", loop, METH_VARARGS, "Time a loop of calls on one set of inputs."},
    {"enqueue", enqueue, METH_VARARGS, "Enqueue a block behind a hold that the judge ends."},
    {"settle", settle, METH_VARARGS, "Wait for that block; return the digests of its outputs."},
    {"canary", canary, METH_VARARGS, "Time a read and arithmetic of fixed size, in ns."},
    {"heat", heat, METH_VARARGS, "Run arithmetic on the whole device and wait for it."},
    {"hide", hide, METH_NOARGS, "Hold the device, and begin a reading behind it."},
    {"nothing", nothing, METH_NOARGS, "Launch an empty kernel."},
    {"read", read, METH_VARARGS, "Launch a read of the caches."},
    {"shown", shown, METH_NOARGS, "End the reading; return its ns."},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot SLOTS[] = {
    {Py_tp_new, reinterpret_cast<void*>(make)},
    {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
    {Py_tp_methods, METHODS},
    {0, nullptr},
};
PyType_Spec BENCH = {"arena_bench.Bench", sizeof(Holder), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, SLOTS};
PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "arena_bench", nullptr, -1, nullptr, nullptr, nullptr, nullptr, nullptr};

}  // namespace
}  // namespace arena

extern "C" __attribute__((visibility("default"))) PyObject* PyInit_arena_bench() {
  PyObject* module = PyModule_Create(&arena::MODULE);
  if (module == nullptr) return nullptr;
  PyObject* type = PyType_FromSpec(&arena::BENCH);
  if (type == nullptr || PyModule_AddObject(module, "Bench", type) != 0) return nullptr;
  return module;
}
