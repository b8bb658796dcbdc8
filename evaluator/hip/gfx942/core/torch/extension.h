// Device-pass stand-in for <torch/extension.h>, the fastest: tensors, dispatch and the operators that the source names
// (arena_operators.h is written for each source by gate.py). 6 s a source instead of 14 (lite) or 26 (torch's own).
#pragma once
#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

#include <arena_operators.h>

namespace torch {
using namespace at;
using c10::DeviceType;
using c10::ScalarType;
using c10::TensorOptions;
namespace indexing {
using namespace at::indexing;
}
}  // namespace torch

#include <binding.h>
