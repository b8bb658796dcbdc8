// <torch/extension.h> for a GPU without any of torch's headers but its half-precision types, which kernels compute with.
#pragma once
#include <tensor.h>

#include <dispatch.h>
#include <torch_names.h>

#include <binding.h>
