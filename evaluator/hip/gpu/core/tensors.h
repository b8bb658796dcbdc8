// How torch's own tensors, and views of what a list holds, travel as values.
#pragma once
#include <ATen/core/Tensor.h>
#include <values.h>

namespace arena_binding {

using Counted = c10::intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;

inline at::Tensor tensor_of(void* borrowed) {
  return borrowed ? at::Tensor(Counted::reclaim_copy(static_cast<c10::TensorImpl*>(borrowed))) : at::Tensor();
}

inline Handle handle_of(at::Tensor tensor) {
  return tensor.defined() ? Handle(tensor.unsafeReleaseTensorImpl()) : Handle();
}

template <>
struct As<at::Tensor> {
  using Stored = at::Tensor;
  static Stored from(const Value& value) {
    expect(value.kind == Value::Kind::tensor, "a tensor");
    return tensor_of(value.tensor.get());
  }
  static Value to(at::Tensor tensor) {
    Value value;
    if (tensor.defined()) value.kind = Value::Kind::tensor, value.tensor = handle_of(std::move(tensor));
    return value;
  }
};

template <class T>
struct As<c10::ArrayRef<T>> {  // a view: its items are stored beside it
  using Stored = std::vector<T>;
  static Stored from(const Value& value) { return As<std::vector<T>>::from(value); }
};

}  // namespace arena_binding
