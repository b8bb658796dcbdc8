// What sources include first, precompiled for the device pass of gfx942 (gate.py): 0.6 s a source instead of 5.5 s. HIP, and
// of torch what core/torch/extension.h includes, with what every header of an operator includes.
#pragma once
#include <hip/hip_runtime.h>

#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>

#include <optional>
