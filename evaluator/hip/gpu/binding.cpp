// The Python side of bindings that were made without pybind11's headers (core/binding.h): compiled once on a host and
// linked to every such extension. One conversion each way, and the calling rules that pybind11 has.
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/utils/pybind.h>

#include <tensors.h>

extern "C" void arena_fill_candidate(arena_binding::Module&);  // the source's

void arena_binding::retain(void* tensor) { tensor_of(tensor).unsafeReleaseTensorImpl(); }
void arena_binding::release(void* tensor) { Counted::reclaim(static_cast<c10::TensorImpl*>(tensor)); }

namespace {

namespace py = pybind11;
using arena_binding::Function;
using arena_binding::Mismatch;
using arena_binding::Value;

Value value_of(py::handle given);

void take_items(Value& value, py::handle given) {
  for (py::handle item : py::reinterpret_borrow<py::sequence>(given)) value.items.push_back(value_of(item));
}

Value value_of(py::handle given) {
  Value value;
  if (given.is_none()) return value;
  if (THPVariable_Check(given.ptr())) return arena_binding::As<at::Tensor>::to(THPVariable_Unpack(given.ptr()));
  if (PyBool_Check(given.ptr())) return arena_binding::As<bool>::to(given.ptr() == Py_True);
  if (PyLong_Check(given.ptr())) return arena_binding::As<int64_t>::to(py::cast<int64_t>(given));
  if (PyFloat_Check(given.ptr())) return arena_binding::As<double>::to(py::cast<double>(given));
  if (PyUnicode_Check(given.ptr())) return arena_binding::As<std::string>::to(py::cast<std::string>(given));
  if (PyList_Check(given.ptr()) || PyTuple_Check(given.ptr())) {
    value.kind = PyList_Check(given.ptr()) ? Value::Kind::list : Value::Kind::tuple;
    take_items(value, given);
    return value;
  }
  throw Mismatch("incompatible function arguments: a " + std::string(Py_TYPE(given.ptr())->tp_name));
}

py::object object_of(const Value& value) {
  switch (value.kind) {
    case Value::Kind::boolean:
      return py::bool_(value.integer != 0);
    case Value::Kind::integer:
      return py::int_(value.integer);
    case Value::Kind::real:
      return py::float_(value.real);
    case Value::Kind::text:
      return py::str(value.text);
    case Value::Kind::tensor:
      return py::reinterpret_steal<py::object>(THPVariable_Wrap(arena_binding::tensor_of(value.tensor.get())));
    case Value::Kind::none:
      return py::none();
    default:
      break;
  }
  py::list items;
  for (const Value& item : value.items) items.append(object_of(item));
  if (value.kind == Value::Kind::tuple) return py::tuple(items);
  return std::move(items);
}

// By position, then by name, then what the source gave as default; everything given must be used.
std::vector<Value> arranged(const Function& function, const py::args& positional, const py::kwargs& named) {
  std::vector<Value> values;
  size_t used = 0;
  for (size_t index = 0; index < function.count; ++index) {
    const auto* argument = index < function.arguments.size() ? &function.arguments[index] : nullptr;
    if (index < positional.size()) {
      values.push_back(value_of(positional[index]));
    } else if (argument && named.contains(argument->name.c_str())) {
      values.push_back(value_of(named[argument->name.c_str()]));
      ++used;
    } else if (argument && argument->fallback) {
      values.push_back(*argument->fallback);
    } else {
      throw Mismatch("incompatible function arguments: one is missing");
    }
  }
  if (positional.size() > function.count || used != named.size())
    throw Mismatch("incompatible function arguments: one too many, or of an unknown name");
  return values;
}

// Where the source names no argument, the text says arg0 as pybind11's does.
std::string signature(const Function& function) {
  std::string text = function.name + "(";
  for (size_t index = 0; index < function.count; ++index) {
    text += index ? ", " : "";
    text += index < function.arguments.size() ? function.arguments[index].name : "arg" + std::to_string(index) + ": object";
  }
  return text + ")\n\n" + function.documentation;
}

}  // namespace

PYBIND11_MODULE(candidate, python) {
  static arena_binding::Module bound;
  arena_fill_candidate(bound);
  py::options options;
  options.disable_function_signatures();
  for (const Function& function : bound.functions) {
    const auto call = [&function](const py::args& positional, const py::kwargs& named) {
      try {
        std::vector<Value> values = arranged(function, positional, named);
        return object_of(function.call(values));
      } catch (const Mismatch& mismatch) {
        throw py::type_error(function.name + ": " + mismatch.what());
      }
    };
    python.def(function.name.c_str(), call, signature(function).c_str());
  }
}
