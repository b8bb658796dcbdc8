#include "case.h"

#include <ATen/ops/from_blob.h>
#include <c10/core/impl/COW.h>
#include <torch/csrc/autograd/python_variable.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <typeinfo>

namespace arena {
namespace {

constexpr unsigned char POISON = 0xFF;
constexpr std::size_t ALIVE = 7;  // returned outputs kept, so that new ones get other addresses: these change times
constexpr int64_t PAD = 8;        // extra elements in each row of a padded layout

std::string text(PyObject* object) {
  const char* found = PyUnicode_AsUTF8(object);
  if (found == nullptr) throw PythonError{};
  return found;
}

PyObject* field(PyObject* spec, const char* name) {
  PyObject* found = PyDict_GetItemString(spec, name);  // borrowed
  if (found == nullptr) throw std::runtime_error(std::string("a layout without ") + name);
  return found;
}

at::ScalarType dtype_of(const std::string& name) {
  for (int i = 0; i < static_cast<int>(at::ScalarType::NumOptions); ++i) {
    const auto type = static_cast<at::ScalarType>(i);
    std::string known = c10::toString(type);
    static const std::pair<const char*, const char*> NAMES[] = {
        {"Byte", "uint8"},    {"Char", "int8"},         {"Short", "int16"},       {"Int", "int32"},
        {"Long", "int64"},    {"Half", "float16"},      {"Float", "float32"},     {"Double", "float64"},
        {"Bool", "bool"},     {"BFloat16", "bfloat16"}, {"UInt16", "uint16"},     {"UInt32", "uint32"},
        {"UInt64", "uint64"}, {"Float8_e4m3fn", "float8_e4m3fn"},                 {"Float8_e5m2", "float8_e5m2"},
        {"Float8_e4m3fnuz", "float8_e4m3fnuz"},         {"Float8_e5m2fnuz", "float8_e5m2fnuz"},
    };
    for (const auto& [torch, python] : NAMES) {
      if (known == torch && name == python) return type;
    }
  }
  throw std::runtime_error("the bench does not know the dtype " + name);
}

std::vector<int64_t> shape_of(PyObject* spec) {
  PyObject* shape = field(spec, "shape");
  std::vector<int64_t> sizes;
  for (Py_ssize_t i = 0; i < PyList_Size(shape); ++i) sizes.push_back(PyLong_AsLongLong(PyList_GetItem(shape, i)));
  if (PyErr_Occurred()) throw PythonError{};
  return sizes;
}

u64 count_of(const std::vector<int64_t>& sizes) {
  u64 count = 1;
  for (int64_t extent : sizes) count *= static_cast<u64>(extent);
  return count;
}

std::vector<int64_t> contiguous(const std::vector<int64_t>& sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (std::size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * std::max<int64_t>(sizes[i], 1);
  return strides;
}

// Sets strides, form and size of a buffer by the layout's name, as inside/caller.py does.
void lay_out(InputSpec& spec, const std::string& layout) {
  const auto rank = spec.sizes.size();
  const u64 count = count_of(spec.sizes);
  spec.strides = contiguous(spec.sizes);
  u64 room = count;
  if (layout == "transposed" && rank >= 2) {
    auto sizes = spec.sizes;
    std::swap(sizes[rank - 1], sizes[rank - 2]);
    spec.strides = contiguous(sizes);
    std::swap(spec.strides[rank - 1], spec.strides[rank - 2]);
  } else if (layout == "padded" && rank >= 1) {
    auto sizes = spec.sizes;
    sizes[rank - 1] += PAD;
    spec.strides = contiguous(sizes);
    room = count_of(sizes);
  }
  spec.form.count = count;
  spec.form.item = static_cast<int>(c10::elementSize(spec.dtype));
  if (spec.strides != contiguous(spec.sizes)) {
    if (rank > MAX_RANK) throw std::runtime_error("an input of more than 6 dimensions that is not contiguous");
    spec.form.rank = static_cast<int>(rank);
    for (std::size_t i = 0; i < rank; ++i) {
      spec.form.extents[i] = static_cast<u64>(spec.sizes[i]);
      spec.form.strides[i] = static_cast<u64>(spec.strides[i]);
    }
  }
  spec.bytes = room * spec.form.item;
}

int axis_of(const std::vector<int>& axes, std::size_t dimension) {
  return dimension < axes.size() ? axes[dimension] : -1;
}

// The form of a derived input: its extents are always needed. Dimensions that nothing moves are taken together.
void lay_out_moved(InputSpec& spec) {
  auto& form = spec.form;
  form.rank = 0;
  const auto moves = [&](std::size_t i) {
    const auto& renewal = *spec.renewal;
    return axis_of(renewal.order, i) >= 0 || axis_of(renewal.scale, i) >= 0 || (i == 0 && renewal.segments >= 0);
  };
  for (std::size_t i = 0; i < spec.sizes.size(); ++i) {
    const u64 extent = spec.sizes[i], stride = spec.strides[i];
    const int last = form.rank - 1;
    if (i > 0 && !moves(i) && !moves(i - 1) && form.strides[last] == extent * stride) {
      form.extents[last] *= extent;
      form.strides[last] = stride;
      continue;
    }
    if (form.rank == MAX_RANK) throw std::runtime_error("a derived input of too many dimensions");
    form.extents[form.rank] = extent;
    form.strides[form.rank] = stride;
    spec.dimension[form.rank++] = static_cast<int>(i);
  }
}

int number(PyObject* spec, const char* name) {
  const long found = PyLong_AsLong(field(spec, name));
  if (PyErr_Occurred()) throw PythonError{};
  return static_cast<int>(found);
}

std::vector<int> numbers(PyObject* spec, const char* name) {
  PyObject* list = field(spec, name);
  std::vector<int> found;
  for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
    found.push_back(static_cast<int>(PyLong_AsLong(PyList_GetItem(list, i))));
  }
  if (PyErr_Occurred()) throw PythonError{};
  return found;
}

std::string shown(const std::vector<int64_t>& sizes) {
  std::string found = "[";
  for (std::size_t i = 0; i < sizes.size(); ++i) found += (i ? ", " : "") + std::to_string(sizes[i]);
  return found + "]";
}

const at::Tensor& tensor_of(const Object& object) { return THPVariable_Unpack(object.get()); }

char* data_of(const at::Tensor& tensor) {
  const auto* impl = tensor.unsafeGetTensorImpl();
  auto* base = static_cast<char*>(impl->storage().unsafeGetStorageImpl()->_mutable_data_ptr_no_checks().get());
  return base + impl->storage_offset() * static_cast<int64_t>(impl->itemsize());
}

// Of an output whose length varies, the bytes that a call returned and its first extent, one more word of its digest.
u64 bytes_of(const OutputSpec& spec, const at::Tensor& tensor) {
  const auto& impl = *tensor.unsafeGetTensorImpl();
  return spec.varying ? static_cast<u64>(impl.numel()) * impl.itemsize() : spec.bytes;
}

u64 length_of(const OutputSpec& spec, const at::Tensor& tensor) {
  return spec.varying ? static_cast<u64>(tensor.unsafeGetTensorImpl()->size(0)) : 0;
}

bool fits(const std::vector<int64_t>& sizes, const OutputSpec& spec) {
  if (!spec.varying) return sizes == spec.sizes;
  return sizes.size() == spec.sizes.size() && sizes[0] <= spec.sizes[0] &&
         std::equal(sizes.begin() + 1, sizes.end(), spec.sizes.begin() + 1);
}

Object number_of(const InputSpec& spec, u64 at) {
  const u64 bits = spec.numbers.at(at);
  if (PyLong_Check(spec.value.get())) return checked(PyLong_FromLongLong(static_cast<long long>(bits)));
  return checked(PyFloat_FromDouble(std::bit_cast<double>(bits)));
}

// A tensor class of our own or another's would run its code where a value is read.
bool is_plain(const c10::TensorImpl& impl) {
  return typeid(impl) == typeid(c10::TensorImpl) && !impl.is_python_dispatch() && impl.layout() == at::kStrided &&
         impl.has_storage();
}

bool is_pending(const c10::TensorImpl& impl) {
  const auto keys = impl.key_set();
  return keys.has(c10::DispatchKey::Negative) || keys.has(c10::DispatchKey::Conjugate) ||
         keys.has(c10::DispatchKey::ZeroTensor) ||
         c10::impl::cow::is_cow_data_ptr(impl.storage().unsafeGetStorageImpl()->_mutable_data_ptr_no_checks());
}

}  // namespace

Case::Case(Device& device, PyObject* entry, PyObject* hook, bool positional, bool on_gpu)
    : device_(device), entry_(Object::borrowed(entry)), positional_(positional), on_gpu_(on_gpu) {
  if (hook != Py_None) hook_ = Object::borrowed(hook);
}

Case::~Case() {
  try {
    clear();
  } catch (const std::exception&) {  // the device is gone, and so is its memory
  }
}

void Case::clear() {
  alive_.clear();
  buffers_.clear();
  copies_.clear();
  lengths_.clear();
  nothing_.clear();
  inputs_.clear();
  outputs_.clear();
  counts_.clear();
  places_.clear();
  run_lengths_ = {};
  sets_ = 0;
  device_.drain();
  for (const auto& memory : owned_) device_.release(memory.at);
  owned_.clear();
}

void Case::arm(PyObject* inputs, PyObject* outputs, bool passes_outputs) {
  clear();
  passes_outputs_ = passes_outputs;
  for (Py_ssize_t i = 0; i < PyList_Size(inputs); ++i) {
    PyObject* given = PyList_GetItem(inputs, i);
    InputSpec spec;
    spec.name = text(field(given, "name"));
    spec.is_static = PyObject_IsTrue(field(given, "static")) == 1;
    spec.is_tensor = PyDict_GetItemString(given, "offset") != nullptr;
    if (spec.is_tensor) {
      spec.sizes = shape_of(given);
      spec.dtype = dtype_of(text(field(given, "dtype")));
      PyObject* layout = PyDict_GetItemString(given, "layout");
      lay_out(spec, layout ? text(layout) : "contiguous");
      if (PyObject* renewal = PyDict_GetItemString(given, "renewal")) read_renewal(renewal, spec);
    } else {
      spec.value = Object::borrowed(field(given, "value"));
    }
    inputs_.push_back(std::move(spec));
  }
  for (Py_ssize_t i = 0; i < PyList_Size(outputs); ++i) {
    PyObject* given = PyList_GetItem(outputs, i);
    OutputSpec spec;
    spec.name = text(field(given, "name"));
    spec.sizes = shape_of(given);
    spec.dtype = dtype_of(text(field(given, "dtype")));
    spec.bytes = count_of(spec.sizes) * c10::elementSize(spec.dtype);
    spec.varying = PyObject_IsTrue(field(given, "varying")) == 1;
    PyObject* aliases = field(given, "may_alias");
    for (Py_ssize_t j = 0; j < PyList_Size(aliases); ++j) spec.may_alias.push_back(text(PyList_GetItem(aliases, j)));
    outputs_.push_back(std::move(spec));
  }
}

void Case::set_slab(const std::string& name, const void* data, u64 bytes, u64 index, u64 sets) {
  for (auto& spec : inputs_) {
    if (spec.name != name) continue;
    if (!spec.is_tensor) {
      spec.numbers.resize(bytes / sizeof(u64));
      std::memcpy(spec.numbers.data(), data, bytes);
      return;
    }
    if (index == 0) spec.slab = allocate(bytes * sets);
    if (spec.renewal) sets_ = sets;
    if ((index + 1) * bytes > spec.slab.bytes) throw std::runtime_error("a set that is not in the pool: " + name);
    device_.upload(static_cast<char*>(spec.slab.at) + index * bytes, data, bytes);
    return;
  }
  throw std::runtime_error("a slab of an unknown input: " + name);
}

void Case::read_renewal(PyObject* given, InputSpec& spec) {
  spec.renewal.emplace();
  auto& renewal = *spec.renewal;
  renewal.order = numbers(given, "order");
  renewal.scale = numbers(given, "scale");
  renewal.relabel = number(given, "relabel");
  renewal.offsets = number(given, "offsets");
  renewal.segments = number(given, "segments");
  PyObject* counts = field(given, "counts");
  counts_.clear();
  for (Py_ssize_t i = 0; i < PyList_Size(counts); ++i) {
    counts_.push_back(static_cast<u64>(PyLong_AsUnsignedLongLong(PyList_GetItem(counts, i))));
  }
  if (PyErr_Occurred()) throw PythonError{};
  lay_out_moved(spec);
  places_.resize(counts_.size());
  const auto place = [&](int axis) {
    auto& memory = places_.at(axis);
    if (memory.at == nullptr) memory = allocate(counts_[axis] * sizeof(unsigned));
  };
  for (int axis : renewal.order) {
    if (axis >= 0) place(axis);
  }
  if (renewal.relabel >= 0 && counts_.at(renewal.relabel) <= spec.form.count) place(renewal.relabel);
  if (renewal.offsets >= 0) {
    place(renewal.offsets);
    const u64 bytes = counts_[renewal.offsets] * sizeof(long long);
    if (run_lengths_.bytes < bytes) run_lengths_ = allocate(bytes);
  }
}

void Case::ready(int buffers, const std::vector<std::vector<u64>>& windows) {
  for (int index = 0; index < buffers; ++index) {
    Buffer buffer;
    buffer.arguments = checked(PyDict_New());
    std::size_t fixed = 0;
    const auto give = [&](const std::string& name, PyObject* value) {
      if (PyDict_SetItemString(buffer.arguments.get(), name.c_str(), value) != 0) throw PythonError{};
    };
    for (const auto& spec : inputs_) {
      buffer.inputs.push_back(spec.is_tensor ? allocate(spec.bytes) : Memory{});
      if (!spec.is_tensor) {
        give(spec.name, spec.value.get());
        continue;
      }
      const auto& memory = buffer.inputs.back();
      device_.fill(memory.at, 0, spec.bytes);
      if (spec.is_static) device_.renew(memory.at, spec.slab.at, spec.form, windows.at(fixed++).at(index));
      give(spec.name, tensor(memory, spec.sizes, spec.strides, spec.dtype).get());
    }
    for (const auto& spec : outputs_) {
      if (!passes_outputs_) break;
      buffer.outputs.push_back(allocate(spec.bytes));
      buffer.given_outputs.push_back(tensor(buffer.outputs.back(), spec.sizes, contiguous(spec.sizes), spec.dtype));
      give(spec.name, buffer.given_outputs.back().get());
    }
    buffer.arguments = with_state(buffer.arguments);
    buffers_.push_back(std::move(buffer));
  }
  device_.drain();
}

Object Case::with_state(const Object& arguments) const {
  if (!hook_) return arguments;
  Object fixed = checked(PyDict_New()), rest = checked(PyDict_Copy(arguments.get())), none = checked(PyTuple_New(0));
  for (const auto& spec : inputs_) {
    if (!spec.is_static) continue;
    PyObject* value = PyDict_GetItemString(arguments.get(), spec.name.c_str());
    if (PyDict_SetItemString(fixed.get(), spec.name.c_str(), value) != 0) throw PythonError{};
    if (PyDict_DelItemString(rest.get(), spec.name.c_str()) != 0) throw PythonError{};
  }
  const Object state = checked(PyObject_Call(hook_.get(), none.get(), fixed.get()));
  if (PyDict_SetItemString(rest.get(), "state", state.get()) != 0) throw PythonError{};
  return rest;
}

void Case::renew(std::size_t index, const std::vector<u64>& windows) {
  const auto& buffer = buffers_.at(index);
  std::size_t next = 0;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const auto& spec = inputs_[i];
    if (!spec.numbers.empty()) {
      const Object number = number_of(spec, windows.at(next++));
      if (PyDict_SetItemString(buffer.arguments.get(), spec.name.c_str(), number.get()) != 0) throw PythonError{};
    } else if (spec.is_tensor && !spec.is_static && !spec.renewal) {
      device_.renew(buffer.inputs[i].at, spec.slab.at, spec.form, windows.at(next++));
    }
  }
  if (sets_) renew_set(buffer, windows.at(next));
  for (const auto& memory : buffer.outputs) device_.fill(memory.at, POISON, memory.bytes);
}

void Case::renew_set(const Buffer& buffer, u64 word) {
  device_.begin_set(word, sets_);
  for (std::size_t axis = 0; axis < counts_.size(); ++axis) {
    if (places_[axis].at) device_.arrange(static_cast<unsigned*>(places_[axis].at), counts_[axis], axis);
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) {  // before what follows them
    const auto& spec = inputs_[i];
    if (!spec.renewal || spec.renewal->offsets < 0) continue;
    const int axis = spec.renewal->offsets;
    const auto* places = static_cast<const unsigned*>(places_.at(axis).at);
    device_.reorder_runs(buffer.inputs[i].at, spec.slab.at, places, counts_.at(axis), spec.form.item, run_lengths_.at);
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const auto& spec = inputs_[i];
    if (!spec.renewal || spec.renewal->offsets >= 0) continue;
    device_.move(buffer.inputs[i].at, spec.slab.at, spec.form, moves_of(spec, buffer));
  }
}

Moves Case::moves_of(const InputSpec& spec, const Buffer& buffer) const {
  const auto& renewal = *spec.renewal;
  const auto places = [&](int axis) { return static_cast<const unsigned*>(places_.at(axis).at); };
  Moves moves{};
  for (int i = 0; i < spec.form.rank; ++i) {
    const int axis = axis_of(renewal.order, spec.dimension[i]);
    if (axis >= 0) moves.places[i] = places(axis);
    moves.scale_axes[i] = axis_of(renewal.scale, spec.dimension[i]);
  }
  if (renewal.relabel >= 0) {
    moves.labels = places(renewal.relabel);
    moves.label_count = counts_[renewal.relabel];
    moves.label_axis = renewal.relabel;
  }
  if (renewal.segments >= 0) {
    const auto& owner = inputs_.at(renewal.segments);
    const int axis = owner.renewal.value().offsets;
    moves.run_places = places(axis);
    moves.run_count = counts_.at(axis);
    moves.run_item = owner.form.item;
    moves.offset_bytes = (moves.run_count + 1) * owner.form.item;
    moves.old_offsets = static_cast<const unsigned char*>(owner.slab.at);
    moves.new_offsets = static_cast<const unsigned char*>(buffer.inputs.at(renewal.segments).at);
  }
  return moves;
}

std::vector<Object> Case::call(std::size_t index) {
  const auto& buffer = buffers_.at(index);
  Object result;
  if (positional_) {
    const Object values = checked(PyDict_Values(buffer.arguments.get()));
    const Object arguments = checked(PyList_AsTuple(values.get()));
    result = checked(PyObject_Call(entry_.get(), arguments.get(), nullptr));
  } else {
    const Object none = checked(PyTuple_New(0)), arguments = checked(PyDict_Copy(buffer.arguments.get()));
    result = checked(PyObject_Call(entry_.get(), none.get(), arguments.get()));
  }
  if (passes_outputs_) return buffer.given_outputs;
  std::vector<Object> returned;
  if (PyTuple_CheckExact(result.get()) || PyList_CheckExact(result.get())) {
    const Object items = checked(PySequence_Tuple(result.get()));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
      returned.push_back(Object::borrowed(PyTuple_GET_ITEM(items.get(), i)));
    }
    return returned;
  }
  returned.push_back(std::move(result));
  return returned;
}

std::optional<Problem> Case::problem(const std::vector<Object>& returned, std::size_t index) const {
  if (returned.size() != outputs_.size()) {
    const auto seen = std::to_string(returned.size()), wanted = std::to_string(outputs_.size());
    return Problem{"wrong_count", seen + " returned, " + wanted + " expected"};
  }
  const auto& buffer = buffers_.at(index);
  for (std::size_t i = 0; i < returned.size(); ++i) {
    const auto& spec = outputs_[i];
    if (!THPVariable_CheckExact(returned[i].get()) || Py_TYPE(returned[i].get()) != (PyTypeObject*)THPVariableClass) {
      return Problem{"wrong_type", spec.name + " is a " + Py_TYPE(returned[i].get())->tp_name};
    }
    const auto& tensor = tensor_of(returned[i]);
    if (!tensor.defined() || !is_plain(*tensor.unsafeGetTensorImpl())) {
      return Problem{"wrong_layout", spec.name + " is no plain tensor"};
    }
    const auto& impl = *tensor.unsafeGetTensorImpl();
    if (tensor.scalar_type() != spec.dtype) {
      const std::string seen = c10::toString(tensor.scalar_type()), wanted = c10::toString(spec.dtype);
      return Problem{"wrong_dtype", spec.name + " is " + seen + ", expected " + wanted};
    }
    const auto sizes = impl.sizes().vec();
    if (!fits(sizes, spec)) {
      const std::string wanted = (spec.varying ? "at most " : "") + shown(spec.sizes);
      return Problem{"wrong_shape", spec.name + " is " + shown(sizes) + ", expected " + wanted};
    }
    const u64 bytes = bytes_of(spec, tensor);
    const bool right_device = impl.device().type() == (on_gpu_ ? at::kCUDA : at::kCPU) && impl.device().index() <= 0;
    const u64 needed = (static_cast<u64>(impl.storage_offset()) * impl.itemsize()) + bytes;
    if (!right_device || !impl.is_contiguous() || impl.storage().nbytes() < needed) {
      return Problem{"wrong_layout", spec.name + " is on " + impl.device().str() + " with strides " + shown(impl.strides().vec())};
    }
    if (is_pending(impl)) return Problem{"wrong_layout", spec.name + " has a pending negation, conjugation, zero fill or copy"};
    const char* data = data_of(tensor);
    for (std::size_t j = 0; j < inputs_.size(); ++j) {
      const auto& memory = buffer.inputs[j];
      const auto& allowed = spec.may_alias;
      if (memory.at == nullptr || std::find(allowed.begin(), allowed.end(), inputs_[j].name) != allowed.end()) continue;
      const char* begin = static_cast<const char*>(memory.at);
      if (bytes && data < begin + memory.bytes && begin < data + bytes) {
        return Problem{"aliases_input", spec.name + " shares memory with " + inputs_[j].name};
      }
    }
  }
  return std::nullopt;
}

void Case::keep(std::size_t calls) {
  if (calls > MAX_CALLS) throw std::runtime_error("a block of too many calls");
  while (copies_.size() < calls) {
    std::vector<Memory> copy;
    for (const auto& spec : outputs_) copy.push_back(allocate(spec.bytes));
    copies_.push_back(std::move(copy));
    lengths_.emplace_back(outputs_.size());
  }
  for (std::size_t i = nothing_.size(); i < outputs_.size(); ++i) nothing_.push_back(allocate(outputs_[i].bytes));
}

void Case::consume(const std::vector<Object>& returned, std::size_t call, u64 key) {
  for (std::size_t i = 0; i < returned.size(); ++i) {
    const u64 salt = call * outputs_.size() + i;
    const auto& tensor = tensor_of(returned[i]);
    const u64 bytes = bytes_of(outputs_[i], tensor), length = lengths_.at(call)[i] = length_of(outputs_[i], tensor);
    device_.consume(data_of(tensor), copies_.at(call)[i].at, bytes, length, key, salt, call);
  }
}

// An output that may be an input is where that input is.
void* Case::unwritten(std::size_t output, std::size_t buffer) const {
  const auto& spec = outputs_[output];
  for (std::size_t j = 0; j < inputs_.size(); ++j) {
    const auto& memory = buffers_.at(buffer).inputs[j];
    const bool may = std::find(spec.may_alias.begin(), spec.may_alias.end(), inputs_[j].name) != spec.may_alias.end();
    if (may && memory.bytes >= spec.bytes) return memory.at;
  }
  return nothing_[output].at;
}

void Case::consume_nothing(std::size_t call, std::size_t buffer) {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    device_.consume(unwritten(i, buffer), copies_.at(call)[i].at, outputs_[i].bytes, 0, 0, i, call);
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (outputs_[i].may_alias.empty()) device_.fill(nothing_[i].at, POISON, outputs_[i].bytes);
  }
}

void Case::poison(const std::vector<Object>& returned) {
  for (std::size_t i = 0; i < returned.size(); ++i) {
    if (!outputs_[i].may_alias.empty()) continue;
    const auto& tensor = tensor_of(returned[i]);
    device_.fill(data_of(tensor), POISON, bytes_of(outputs_[i], tensor));
  }
}

void Case::keep_alive(std::vector<Object> returned) {
  alive_.push_back(std::move(returned));
  if (alive_.size() > ALIVE) alive_.pop_front();
}

std::vector<u64> Case::pick(std::size_t call, const std::vector<void*>& host) const {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    device_.download(host.at(i), copies_.at(call)[i].at, outputs_[i].bytes);
  }
  return lengths_.at(call);
}

Memory Case::allocate(u64 bytes) {
  owned_.push_back({device_.allocate(bytes), bytes});
  return owned_.back();
}

Object Case::tensor(const Memory& memory, const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides,
                    at::ScalarType dtype) const {
  const auto device = on_gpu_ ? at::Device(at::kCUDA, 0) : at::Device(at::kCPU);
  const auto options = at::TensorOptions().dtype(dtype).device(device);
  return checked(THPVariable_Wrap(at::from_blob(memory.at, sizes, strides, [](void*) {}, options, device)));
}

}  // namespace arena
