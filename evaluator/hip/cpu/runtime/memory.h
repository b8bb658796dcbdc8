// Which memory a kernel may read: tensors, what hipMalloc and its kin gave, __device__ and __constant__ variables.
#pragma once
#include <cstddef>

namespace hipcpu {

// Whether an allocation of torch holds the address; absent in a worker without red zones, which cannot tell.
using Owner = int (*)(const void*);
void set_owner_of_tensors(Owner);

void note_memory(void* begin, size_t size);
bool forget_memory(void* begin);  // whether it was noted

}  // namespace hipcpu
