// Ways to a function that no kernel needs, past a reader of the text. `// !RULE NAME` says what must be found on a line.
#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <future>
#include <hip/hip_runtime.h>
#include <pybind11/eval.h>
#include <thread>
#include <torch/extension.h>
#include <torch/library.h>
#include <unistd.h>

#define JOIN(a, b) a##b
char* by_a_macro() { return JOIN(secure_get, env)("A"); }  //! unlisted_name secure_getenv
using std::getenv;
const char* by_using() { return getenv("B"); }  //! unlisted_name getenv
int by_a_pointer() { auto* run = &::rand_r; unsigned seed = 1; return run(&seed); }  //! unlisted_name rand_r
static int (*const table[])(const char*) = {&::system};
int by_a_table(int i) { return table[i]("true"); }  //! unlisted_name system
template <auto Function> auto called() { return Function(); }  //! unlisted_name getppid
int by_a_template() { return called<&::getppid>(); }
typedef int (*Opener)(const char*, int, ...);
Opener by_a_typedef() { return reinterpret_cast<Opener>(reinterpret_cast<void*>(&::fopen64)); }  //! unlisted_name fopen64
void* by_the_loader() { return dlsym(nullptr, "system"); }  //! unlisted_name dlsym
int innocent(const char*) asm("popen");
int by_another_label() { return innocent("true"); }  //! unlisted_name popen
extern "C" int unshare(int) __attribute__((weak));
int by_a_weak_symbol() { return unshare ? unshare(0) : 0; }  //! unlisted_name unshare
extern "C" int fork_by_hand() asm("vfork");
int by_c() { return fork_by_hand(); }  //! unlisted_name vfork
__attribute__((nodebug)) int without_debug_information() { return ::getpgid(0); }
struct Hidden { static int call() { return ::getsid(0); } };  //! unlisted_name getsid
int by_a_class() { return Hidden::call(); }
auto by_a_lambda() { return [] { return ::getuid(); }(); }  //! unlisted_name getuid
extern char** environ;
const char* by_a_variable() { return environ[0]; }  //! unlisted_name environ
void* by_its_address() { return &program_invocation_name; }  //! unlisted_name program_invocation_name

// libraries
void thread() { std::thread([] {}).detach(); }  //! unlisted_name std::thread::thread
int later() { return std::async(std::launch::async, [] { return 1; }).get(); }  //! unlisted_name std::async
void function_and_thread(std::function<void()> work) { std::thread(work).join(); }  //! unlisted_name std::thread::join
void writes() { std::filebuf file; file.open("x", std::ios::out); }  //! unlisted_name std::basic_filebuf::open
bool looks() { return std::filesystem::exists("/proc"); }  //! unlisted_name std::filesystem::exists
void own_file() { std::ofstream{"x"} << 1; }  //! unlisted_name std::basic_ofstream::basic_ofstream
void handles() { std::signal(11, [](int) {}); }  //! unlisted_name signal
void ends() { std::set_terminate([] {}); }  //! unlisted_name std::set_terminate
long clock_of_the_host() { return std::chrono::steady_clock::now().time_since_epoch().count(); }  //! unlisted_name std::chrono::_V2::steady_clock::now
void last() { std::atexit([] {}); }  //! unlisted_name atexit

// Python
void evaluates() { py::eval("1"); }  //! unlisted_name pybind11::eval
void imports() { py::module_::import("gc"); }  //! unlisted_name pybind11::module_::import
py::object attribute() { return py::none().attr("__class__"); }  //! unlisted_name pybind11::detail::object_api::attr
void pending() { Py_AddPendingCall([](void*) { return 0; }, nullptr); }  //! unlisted_name Py_AddPendingCall
void profile() { PyEval_SetProfile(nullptr, nullptr); }  //! unlisted_name PyEval_SetProfile
PyTypeObject* type_of(PyObject* object) { return object->ob_type; }  //! field_of_a_library _object
void calls(py::handle what) { what("pop"); }  //! unlisted_name pybind11::detail::object_api::operator@

// torch
void memory_of(at::Tensor x, at::Tensor y) { x.set_(y); }  //! unlisted_name at::Tensor::set_
void tensor(at::Tensor x) { x.unsafeGetTensorImpl()->release_resources(); }  //! unlisted_name at::TensorBase::unsafeGetTensorImpl
auto storage(at::Tensor x) { return x.storage().nbytes(); }  //! unlisted_name at::TensorBase::storage
void hook(at::Tensor x) { x.register_hook([](at::Tensor g) { return g; }); }  //! unlisted_name at::Tensor::register_hook
void dispatcher() { c10::Dispatcher::singleton(); }  //! unlisted_name c10::Dispatcher::singleton
void guard() { c10::impl::IncludeDispatchKeyGuard on(c10::DispatchKey::Python); }  //! unlisted_name c10::impl::IncludeDispatchKeyGuard::IncludeDispatchKeyGuard
void threads() { at::set_num_threads(1); }  //! unlisted_name at::set_num_threads
auto again(at::Tensor x) { return at::_ops::neg::redispatch({}, x); }  //! unlisted_name at::_ops::neg::redispatch
void registers() { torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::CPU, "", 1); }  //! unlisted_name torch::Library::Library
void parallel() { at::parallel_for(0, 2, 1, [](int64_t, int64_t) {}); }  //! unlisted_name at::parallel_for

// at other times
__attribute__((constructor)) void first() { asm volatile("nop"); }  //! runs_before_calls first
int computed() { return 1; }  //! runs_before_calls computed
static int at_start = computed();
int& started() { return at_start; }
struct AtTheEnd { ~AtTheEnd() { puts("last word"); } };  //! runs_before_calls AtTheEnd::~AtTheEnd
void registers_the_end() { static AtTheEnd end; }
static void in_a_section() { puts("first word"); }  //! runs_before_calls in_a_section
__attribute__((section(".init_array"), used)) static void (*entry)() = in_a_section;
extern "C" void (*choose())() { return nullptr; }
void chosen() __attribute__((ifunc("choose")));
void uses_the_chosen() { chosen(); }

// without a name
long system_call() { long n = 39; asm volatile("syscall" : "+a"(n) : : "rcx", "r11"); return n; }  //! host_assembly asm
void* frame() { return __builtin_return_address(0); }  //! unlisted_name llvm.returnaddress
unsigned long long ticks() { return __builtin_ia32_rdtsc(); }  //! unlisted_name llvm.x86.rdtsc

__global__ void kernel(float* x) { x[threadIdx.x] = 1.0f; }
torch::Tensor forward(torch::Tensor x) {
  kernel<<<1, 64>>>(x.data_ptr<float>());
  return x;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, py::arg("x")); }
