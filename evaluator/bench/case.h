// One case as the bench knows it: the candidate's entry, sets of inputs in the bench's own memory, and checks of outputs.
#pragma once

#include <Python.h>
#include <c10/core/ScalarType.h>

#include <deque>
#include <optional>
#include <stdexcept>
#include <utility>

#include "device.h"

namespace arena {

// An owned reference to a Python object.
class Object {
 public:
  Object() = default;
  explicit Object(PyObject* owned) : held_(owned) {}
  static Object borrowed(PyObject* object) {
    Py_XINCREF(object);
    return Object(object);
  }
  Object(const Object& other) : held_(other.held_) { Py_XINCREF(held_); }
  Object(Object&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
  Object& operator=(Object other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  ~Object() { Py_XDECREF(held_); }
  PyObject* get() const { return held_; }
  explicit operator bool() const { return held_ != nullptr; }

 private:
  PyObject* held_ = nullptr;
};

// Thrown where a Python exception is set.
struct PythonError {};

inline Object checked(PyObject* owned) {
  if (owned == nullptr) throw PythonError{};
  return Object(owned);
}

// A problem of an output: a reason code of the record, and a sentence's part.
struct Problem {
  std::string reason, detail;
};

struct Memory {
  void* at = nullptr;
  u64 bytes = 0;
};

// How a derived input is renewed: numbers of axes, and of the input whose runs it follows; -1: nothing.
struct Renewal {
  std::vector<int> order, scale;
  int relabel = -1, offsets = -1, segments = -1;
};

struct InputSpec {
  std::string name;
  Object value;             // in place of a tensor
  std::vector<u64> numbers;  // the values that a drawn number may have: each the bits of an int64 or a double
  bool is_tensor = false, is_static = false;
  std::optional<Renewal> renewal;  // of a derived input, whose slab is a pool of sets
  Form form;
  int dimension[MAX_RANK] = {};  // of the tensor, for each of the form of a derived input
  std::vector<int64_t> sizes, strides;
  c10::ScalarType dtype{};
  u64 bytes = 0;  // of a buffer, the padding included
  Memory slab;
};

struct OutputSpec {
  std::string name;
  std::vector<int64_t> sizes;
  std::vector<std::string> may_alias;
  c10::ScalarType dtype{};
  u64 bytes = 0;
  bool varying = false;  // sizes and bytes are the greatest
};

// A set of inputs: arguments of one call.
struct Buffer {
  std::vector<Memory> inputs, outputs;
  Object arguments;  // a dict
  std::vector<Object> given_outputs;
};

class Case {
 public:
  Case(Device& device, PyObject* entry, PyObject* hook, bool positional, bool on_gpu);
  ~Case();
  Case(const Case&) = delete;

  void arm(PyObject* inputs, PyObject* outputs, bool passes_outputs);
  // Of a derived input this is its part of the index-th set of a pool of so many.
  void set_slab(const std::string& name, const void* data, u64 bytes, u64 index, u64 sets);
  // windows: for each static input, in the order of inputs, where its window begins in each buffer.
  void ready(int buffers, const std::vector<std::vector<u64>>& windows);

  // Gives the inputs that are not static, drawn numbers among them, new contents and poisons outputs that are passed in.
  // The last word is that of the set of derived inputs, where there are any.
  void renew(std::size_t buffer, const std::vector<u64>& windows);
  std::vector<Object> call(std::size_t buffer);
  std::optional<Problem> problem(const std::vector<Object>& returned, std::size_t buffer) const;
  // Copies the outputs of the call-th call of a block and adds their digest.
  void consume(const std::vector<Object>& returned, std::size_t call, u64 key);
  void consume_nothing(std::size_t call, std::size_t buffer);  // the same work on outputs that no call wrote
  void poison(const std::vector<Object>& returned);
  void keep_alive(std::vector<Object> returned);
  void keep(std::size_t calls);  // makes room for the copies of so many calls
  std::vector<u64> pick(std::size_t call, const std::vector<void*>& host) const;  // returns their first extents

  std::size_t buffers() const { return buffers_.size(); }
  const std::vector<OutputSpec>& outputs() const { return outputs_; }
  void clear();

 private:
  Memory allocate(u64 bytes);
  Object tensor(const Memory& memory, const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides,
                c10::ScalarType dtype) const;
  void* unwritten(std::size_t output, std::size_t buffer) const;
  Object with_state(const Object& arguments) const;
  void read_renewal(PyObject* given, InputSpec& spec);
  void renew_set(const Buffer& buffer, u64 word);
  Moves moves_of(const InputSpec& spec, const Buffer& buffer) const;

  Device& device_;
  Object entry_, hook_;
  bool positional_, on_gpu_, passes_outputs_ = false;
  std::vector<InputSpec> inputs_;
  std::vector<OutputSpec> outputs_;
  std::vector<u64> counts_;     // the value of each axis, where inputs are derived
  std::vector<Memory> places_;  // the new order of each axis; empty where nothing needs it
  Memory run_lengths_;          // of one input
  u64 sets_ = 0;                // in the pool; 0: no input is derived
  std::vector<Buffer> buffers_;
  std::vector<std::vector<Memory>> copies_;
  std::vector<std::vector<u64>> lengths_;  // the first extent of every output that was copied
  std::vector<Memory> nothing_;  // in place of outputs in a block without calls
  std::vector<Memory> owned_;
  std::deque<std::vector<Object>> alive_;
};

}  // namespace arena
