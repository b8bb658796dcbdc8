// HIP's own header, which uses assert without including it.
#pragma once
#include <cassert>
#include_next <hip/hip_cooperative_groups.h>
