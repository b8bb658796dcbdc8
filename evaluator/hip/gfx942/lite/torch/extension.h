// Device-pass stand-in for <torch/extension.h>: all of ATen, no autograd, no Python binding.
#pragma once
#include <torch/types.h>

#include <binding.h>
