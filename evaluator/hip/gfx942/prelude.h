// What sources include first, precompiled for the device pass of gfx942 (gate.py): a small source takes 0.6 s instead of
// 5.6 s. HIP, and of torch what core/torch/extension.h includes, with what every header of an operator includes.
#pragma once
#include <hip/hip_runtime.h>

#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>

#include <optional>
