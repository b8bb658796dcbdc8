// HIP on the CPU: kernels and host code of a .hip file as plain C++. See hipcpu/context.h for how lanes run.
#pragma once
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <hipcpu/qualifiers.h>

#include <hip/hip_runtime_api.h>
#include <hip/hip_vector_types.h>
#include <hipcpu/context.h>

#include <hipcpu/atomics.h>
#include <hipcpu/barriers.h>
#include <hipcpu/builtins.h>
#include <hipcpu/launch.h>
#include <hipcpu/math.h>
#include <hipcpu/wave.h>
