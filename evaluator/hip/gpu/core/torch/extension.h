// <torch/extension.h> for a GPU, the fastest: tensors, dispatch, the operators that the source names (the build writes
// arena_operators.h for each source), and bindings that are made without pybind11.
#pragma once
#include <ATen/Dispatch.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>

#include <arena_operators.h>

#include <optional>

#include <torch_names.h>
namespace torch {
using NoGradGuard = c10::NoGradGuard;
}

#include <tensors.h>

#include <binding.h>
