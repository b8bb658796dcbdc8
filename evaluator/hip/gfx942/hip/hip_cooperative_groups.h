// HIP's own header, which uses assert and the runtime's names without including them.
#pragma once
#include <cassert>
#include <hip/hip_runtime.h>
#include_next <hip/hip_cooperative_groups.h>
