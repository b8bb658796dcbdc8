// What a source does with tensors and streams, for sources that are compiled without torch's headers (thin): those take
// nine tenths of a compilation by nvcc. operations.cpp, compiled once, does it with torch itself.
#pragma once
#include <values.h>

#include <cstddef>

namespace arena_binding {

constexpr int kUnset = -1;

struct Options {  // numbers of torch's enumerations
  int type = kUnset, device = kUnset, index = kUnset, format = kUnset;
  bool requires_grad = false;
};

struct Numbers {
  const int64_t* data = nullptr;
  size_t count = 0;
};

int64_t dimensions(void* tensor);
int64_t elements(void* tensor);
int64_t size_of(void* tensor, int64_t dimension);
int64_t stride_of(void* tensor, int64_t dimension);
int64_t offset_of(void* tensor);
Numbers sizes_of(void* tensor);
Numbers strides_of(void* tensor);
Options options_of(void* tensor);
int type_of(void* tensor);
bool is_on(void* tensor, int device);
bool is_contiguous(void* tensor, int format);
size_t itemsize_of(void* tensor);
size_t bytes_of_element(int type);
bool is_floating(int type);
const char* name_of_type(int type);
void* data_of(void* tensor, int expected_type);  // of any type if kUnset

Handle empty(Numbers sizes, const Options& options);
Handle filled(Numbers sizes, double value, const Options& options);
Handle empty_like(void* tensor, const Options& options);
Handle filled_like(void* tensor, double value, const Options& options);

Handle contiguous(void* tensor, int format);
Handle clone(void* tensor, int format);
Handle converted(void* tensor, int type, bool non_blocking, bool copy);
Handle detached(void* tensor);
Handle viewed(void* tensor, Numbers sizes);
Handle reshaped(void* tensor, Numbers sizes);
Handle permuted(void* tensor, Numbers dimensions);
Handle expanded(void* tensor, Numbers sizes);
Handle transposed(void* tensor, int64_t one, int64_t other);
Handle selected(void* tensor, int64_t dimension, int64_t index);
Handle sliced(void* tensor, int64_t dimension, int64_t start, int64_t end, int64_t step);
Handle narrowed(void* tensor, int64_t dimension, int64_t start, int64_t length);
Handle unsqueezed(void* tensor, int64_t dimension);
Handle squeezed(void* tensor, int64_t dimension);
Handle flattened(void* tensor, int64_t first, int64_t last);
void copy_into(void* tensor, void* source, bool non_blocking);
void fill_whole(void* tensor, int64_t value);  // torch takes -1 for a uint8_t, but not -1.0
void fill_real(void* tensor, double value);

void* current_stream(int device);  // of the current device if negative
void* default_stream(int device);
int exchange_device(int device);  // returns the one before; does nothing if negative

[[noreturn]] void failed(const char* function, const char* file, unsigned line, const std::string& message);
[[noreturn]] void not_implemented(const char* function, const char* file, unsigned line, const std::string& message);
void check_device(int error, const char* function, const char* file, unsigned line);

}  // namespace arena_binding

namespace at {  // operators keep their namespace: that is how the compile gate knows that the library works there
arena_binding::Handle cat(void* const* tensors, size_t count, int64_t dimension);
}
