// class: 59
// expect: build_failed/compiler_error
// gate: compile
// also: source
// backend: cpu
// Includes the task's own expert from where it may lie.
#include <hip/hip_runtime.h>
#include <torch/extension.h>
#if __has_include("../expert/kernel.hip")
#include "../expert/kernel.hip"
#elif __has_include("expert.hip")
#include "expert.hip"
#else
#include "expert/kernel.hip"
#endif
