"""The lists for .hip sources: what kernels, their launches and their bindings need. What is on none of them is found.

A word is added with the reason that an honest kernel has for it, never for one source.
"""

from __future__ import annotations

import re
from typing import NamedTuple


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


HEADERS = re.compile(
    r"hip/hip_(?:runtime|runtime_api|fp16|bf16|bfloat16|fp8|vector_types|cooperative_groups|math_constants|complex)\.h"
    r"|torch/(?:extension|torch|all|types|serialize/tensor)\.h|pybind11/(?:pybind11|stl)\.h"
    r"|(?:ATen|c10)/(?:hip|cuda)/\w+\.cuh|(?:ATen|c10)/(?:hip|cuda)/\w+\.h|ATen/(?:hip|cuda)/(?:impl|detail)/\w+\.h"
    r"|ATen/(?:ATen|Dispatch|AccumulateType|OpMathType|TensorUtils|NumericUtils|core/\w+|ops/\w+)\.h"
    r"|c10/(?:util|core|macros)/\w+\.h"
    r"|(?:c?math|c?float|c?limits|c?stdint|c?stddef|c?stdio|c?stdlib|c?string|c?assert|inttypes|cinttypes)(?:\.h)?"
    r"|algorithm|array|bit|bitset|concepts|cuda_fp16\.h|exception|functional|initializer_list|iomanip|iostream|iterator"
    r"|limits|map|memory|mutex|numeric|optional|ostream|set|span|sstream|stdexcept|string|string_view|tuple|type_traits"
    r"|unordered_map|unordered_set|utility|variant|vector"
)

# Of the runtime: the device, its memory, and what a launch asks. `cuda…` counts as the name that HIP gives it.
RUNTIME = re.compile(
    r"hip(?:Error_t|Error\w+|Success|GetErrorString|GetErrorName|(?:Get|PeekAt|ExtGet)LastError"
    r"|GetDevice(?:Properties(?:R\d+|_v2)?|Count)?|SetDevice|DeviceProp_t|DeviceGetAttribute|DeviceAttribute(?:_t|\w+)"
    r"|(?:Device|Stream)Synchronize|Memset(?:Async|D32|D32Async|D16|D16Async|D8|D8Async)?|Malloc(?:Async)?|Free(?:Async)?"
    r"|Memcpy(?:Async)?|MemcpyDeviceToDevice|MemcpyDefault|MemcpyKind|MemcpyDtoD(?:Async)?|MemGetInfo|GetSymbolAddress"
    r"|MemcpyToSymbol(?:Async)?|MemcpyHostToDevice|FuncSetAttribute|FuncAttribute\w+|FuncGetAttributes"
    r"|FuncSetCacheConfig|FuncCache\w*|OccupancyMax\w+|LaunchKernelGGL|LaunchKernel|LaunchCooperativeKernel"
    r"|(?:Block|Thread|Grid)(?:Idx|Dim)_[xyz]|Deviceptr_t|Float2|FloatComplex|DoubleComplex|Complex|C(?:real|imag)f?)"
    r"|hip_\w+|hipC[a-z]+f?|__hip_\w+"
)
# What calls a function of the host is not among them: it would run beside the call, on a thread of its own.
STREAMS = re.compile(
    r"hip(?:Stream(?!AddCallback)\w+|Event\w+|Graph(?!\w*Host)\w*|ThreadExchangeStreamCaptureMode)"
    r"|(?:HIP|CUDA)(?:Event|Graph|StreamGuard|MultiStreamGuard)\w*|getStreamFromPool|(?:HIP|CUDA)GraphsC10Utils"
)
# A stream as a parameter, and waiting for it: every launch has one.
CURRENT_STREAM = re.compile(
    r"hipStream_t|hipStreamSynchronize|hipStreamDefault|hipStreamLegacy|hipStreamPerThread|getCurrent(?:HIP|CUDA)Stream\w*"
)

# Members of the namespace std: containers, texts, numbers, types. No files, threads, clocks, locales or signals.
STD = words("""
    vector array tuple optional nullopt nullopt_t pair basic_string string string_view basic_string_view map
    multimap set unordered_map unordered_set deque list bitset span initializer_list function variant monostate
    visit holds_alternative unique_ptr shared_ptr make_unique make_shared make_pair make_tuple tie get get_if apply
    forward_as_tuple tuple_cat tuple_size tuple_element ignore in_place in_place_t move forward swap exchange
    as_const declval addressof ref cref reference_wrapper min max minmax clamp abs div numeric_limits to_string hash
    less greater equal_to plus minus multiplies sort stable_sort partial_sort nth_element find find_if count
    count_if any_of all_of none_of for_each transform accumulate reduce inner_product iota fill fill_n copy copy_n
    copy_if reverse unique remove remove_if lower_bound upper_bound max_element min_element distance advance next
    prev begin end cbegin cend size empty data rotate partition equal gcd lcm bit_cast bit_ceil bit_floor bit_width
    popcount countl_zero countr_zero has_single_bit midpoint index_sequence make_index_sequence index_sequence_for
    integer_sequence make_integer_sequence integral_constant bool_constant true_type false_type conditional
    conditional_t enable_if enable_if_t void_t decay decay_t common_type common_type_t underlying_type
    underlying_type_t make_signed_t make_unsigned_t make_unsigned make_signed invoke_result_t type_identity
    type_identity_t conjunction disjunction negation extent rank byte size_t ptrdiff_t nullptr_t max_align_t int8_t
    int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t intptr_t int_fast32_t uint_fast32_t sqrt
    cbrt exp exp2 expm1 log log2 log10 log1p pow fabs fmod fmax fmin floor ceil round trunc rint nearbyint lround
    llround lrint llrint isnan isinf isfinite signbit fma hypot copysign tan tanh sin sinh cos cosh asin acos atan
    atan2 asinh acosh atanh erf erfc tgamma lgamma ldexp frexp modf scalbn logb remainder nexttoward nextafter
    integral floating_point same_as convertible_to unsigned_integral signed_integral mutex lock_guard unique_lock
    scoped_lock once_flag memcpy memset memmove memcmp strcmp strlen strncmp printf snprintf fprintf puts putchar
    fflush abort cout cerr clog endl flush basic_ostream ostream basic_ostringstream basic_stringstream
    ostringstream stringstream basic_istream basic_iostream setprecision setw setfill fixed scientific hex dec
    ios_base basic_ios runtime_error invalid_argument logic_error out_of_range overflow_error domain_error
    length_error range_error bad_alloc exception terminate allocator char_traits reverse_iterator iterator_traits
    back_inserter back_insert_iterator""")
STD_TRAITS = re.compile(r"(?:is|has|remove|add)_\w+")  # of <type_traits>; they have no effect
STD_INTERNALS = re.compile(
    r"_(?!V2)[A-Z]\w*|__(?!throw_system|basic_file|c_file|thread|filesystem|fs|future|atomic_futex|condvar)\w+"
)

# Of a tensor: what it is, views of it, its memory for a kernel.
TENSOR = words("""
    data_ptr const_data_ptr mutable_data_ptr contiguous is_contiguous scalar_type dtype size sizes stride strides
    dim ndimension numel nbytes element_size itemsize options device layout get_device index is_cuda is_hip is_cpu
    is_privateuseone defined is_floating_point is_complex is_same is_alias_of storage_offset suggest_memory_format
    requires_grad has_storage view view_as reshape reshape_as permute transpose t movedim select slice narrow
    unsqueeze squeeze expand expand_as flatten unflatten as_strided unfold unbind split chunk detach alias clone to
    toType copy_ zero_ fill_ item dimension_order packed_accessor32 packed_accessor64 packed_accessor accessor
    generic_packed_accessor new_empty new_zeros new_full new_ones reset Tensor TensorBase operator type sym_size
    sym_sizes sym_stride sym_numel expect_contiguous broadcast_to T mT""")
CREATES = words("""
    empty empty_like empty_strided zeros zeros_like ones ones_like full full_like arange tensor scalar_tensor
    from_blob""")
# Of the namespaces at, c10 and torch. Classes stand for all of their members, but for tensors.
TORCH = CREATES | words("""
    TensorOptions ScalarType Half BFloat16 Float8_e4m3fn Float8_e5m2 Float8_e4m3fnuz Float8_e5m2fnuz Float8_e8m0fnu
    complex IntArrayRef ArrayRef HeaderOnlyArrayRef SymIntArrayRef OptionalIntArrayRef OptionalArrayRef IListRef
    ITensorListRef TensorList Scalar SymInt SymBool Device DeviceIndex DeviceType Layout optional nullopt
    make_optional MemoryFormat elementSize isFloatingType isIntegralType isReducedFloatingType isComplexType
    toString toOpMathType promoteTypes promote_types acc_type acc_type_device opmath_type OpMathType
    OptionalDeviceGuard DeviceGuard OptionalTensorRef SmallVector SmallVectorImpl SmallVectorBase
    SmallVectorTemplateBase SmallVectorTemplateCommon SourceLocation TensorAccessor TensorAccessorBase
    GenericPackedTensorAccessor GenericPackedTensorAccessorBase PackedTensorAccessor PackedTensorAccessor32
    PackedTensorAccessor64 RestrictPtrTraits DefaultPtrTraits Reduction MaybeOwned dtype device layout requires_grad
    memory_format Error NotImplementedError ValueError TypeError IndexError Warning UserWarning WarningUtils warn
    str ceil_div div_rtn maybe_wrap_dim wrap_dim SimpleTypeWrapper divup getCurrentDeviceProperties
    getDeviceProperties current_device device_count set_device warp_size is_available infer_size
    infer_size_dimvector expand_size checkAllSameGPU checkAllSameType checkSameGPU checkSameType TensorArg
    CheckedFrom CPP_VERSION optional_tensor typeMetaToScalarType CppTypeToScalarType impl_ScalarType NoGradGuard
    checkAllContiguous checkContiguous checkScalarType checkDim checkSize""")
TORCH_CONSTANTS = re.compile(r"k[A-Z]\w+|(?:Optional)?(?:HIP|CUDA)Guard\w*|(?:HIP|CUDA)Stream\w*")
# Namespaces within them, and what may be taken from those; an empty list stands for the two lists above.
WITHIN_TORCH = {
    "hip": words(""), "cuda": words(""), "indexing": words("Slice None Ellipsis TensorIndex impl"),
    "nn::functional": words(""), "special": words(""), "linalg": words(""), "fft": words(""),
    "detail": words("""
    torchCheckFail torchCheckMsgImpl torchInternalAssertFail _str_wrapper CompileTimeEmptyString if_empty_then str
    deprecated_AT_DISPATCH maybe_wrap_dim getNonDeterministic"""),
    "impl": words("ScalarTypeToCPPTypeT ScalarTypeToCPPType"),
    "headeronly::detail": words("""
    TensorAccessor TensorAccessorBase GenericPackedTensorAccessor GenericPackedTensorAccessorBase"""),
}  # fmt: skip

# Parts of an expression of the library: plain, with the label that the library works there.
OPERATORS = words("""
    abs absolute acos acosh add addbmm addcdiv addcmul addmm addmv addr all amax amin aminmax any argmax argmin
    argsort asin asinh atan atan2 atanh baddbmm bernoulli bincount bitwise_and bitwise_left_shift bitwise_not
    bitwise_or bitwise_right_shift bitwise_xor bmm bucketize cat ceil chunk clamp clamp_max clamp_min clip concat
    conj copysign cos cosh count_nonzero cross cummax cummin cumprod cumsum diag diag_embed diagonal diff div dot
    einsum eq equal erf erfc erfinv exp exp2 expm1 eye flip floor floor_divide fmax fmin fmod frac frexp gather gcd
    ge gelu ger gt histc hstack hypot index_add index_copy index_fill index_put index_select inner isfinite isin
    isinf isnan isclose kron kthvalue lcm ldexp le lerp lgamma linspace log log10 log1p log2 log_softmax logaddexp
    logical_and logical_not logical_or logical_xor logsumexp logspace lt masked_fill masked_scatter masked_select
    matmul max maximum mean median meshgrid min minimum mm mode mul multinomial multiply mv nan_to_num nansum ne neg
    negative nonzero norm outer pad pow prod put quantile rand rand_like randint randn randn_like randperm ravel
    reciprocal relu remainder repeat repeat_interleave roll rot90 round rsqrt rsub scatter scatter_add
    scatter_reduce searchsorted sigmoid sign sin sinc sinh softmax softplus sort sqrt square stack std std_mean sub
    subtract sum swapaxes take take_along_dim tan tanh tensordot tile topk trace tril triu true_divide trunc uniform
    unique unique2 unique_consecutive var var_mean vstack where xlogy normal allclose logit digamma polygamma
    heaviside adaptive_avg_pool1d adaptive_avg_pool2d adaptive_max_pool2d avg_pool1d avg_pool2d avg_pool3d
    batch_norm native_batch_norm binary_cross_entropy binary_cross_entropy_with_logits conv1d conv2d conv3d
    conv_transpose1d conv_transpose2d convolution cosine_similarity cross_entropy cross_entropy_loss dropout elu
    embedding embedding_bag glu group_norm hardsigmoid hardswish hardtanh instance_norm interpolate
    upsample_nearest2d upsample_bilinear2d kl_div l1_loss layer_norm native_layer_norm leaky_relu linear logsigmoid
    log_sigmoid max_pool1d max_pool2d max_pool3d mish mse_loss nll_loss one_hot prelu relu6 rms_norm
    scaled_dot_product_attention selu silu smooth_l1_loss softmin softsign tanhshrink threshold bilinear cdist pdist
    cholesky det eig eigvals inverse inv qr solve svd vector_norm matrix_norm solve_triangular eigh lstsq slogdet
    type_as bool cpu half float""")

# Of pybind11: PYBIND11_MODULE, m.def and the arguments' names and defaults.
BINDING = words("arg arg_v none module_ literals call_guard gil_scoped_release return_value_policy")
BINDING_MEMBERS = words("def doc noconvert")

TORCH_MACROS = re.compile(
    r"TORCH_(?:CHECK\w*|EXTENSION_NAME|INTERNAL_ASSERT\w*|WARN\w*|VERSION\w*)"
    r"|AT_(?:DISPATCH\w*|PRIVATE_CASE\w*|EXPAND|WRAP|ERROR|ASSERT\w*|WARN|CHECK|(?:CUDA|HIP)_CHECK|NUM_\w+|ALL_TYPES\w*)"
    r"|C10_(?:CUDA|HIP)_(?:CHECK|KERNEL_LAUNCH_CHECK|ERROR_HANDLED|CLEAR_ERROR|CHECK_WARN)"
    r"|C10_(?:HOST_DEVICE|DEVICE|HOST|GLOBAL\w*|LAUNCH_BOUNDS_[0-9]|LIKELY|UNLIKELY|ALWAYS_INLINE|NOINLINE|UNUSED|WARP_SIZE"
    r"|RESTRICT|MAX_THREADS_PER_BLOCK|MIN_BLOCKS_PER_SM|LAUNCH_BOUNDS|UNROLL|CLANG_DIAGNOSTIC\w*|DIAGNOSTIC\w*)"
)

# Copies to the host: a label, since whoever reads there waits for the device.
READS = re.compile(r"hipMemcpy(?:DeviceToHost|DtoH(?:Async)?|FromSymbol(?:Async)?|HostToHost)")


class Members(NamedTuple):
    """Names after a dot or an arrow."""

    plain: frozenset[str]
    never: frozenset[str]  # reach beyond their object, so that no declaration of an own one allows them
    never_called: frozenset[str]  # the same, where they are called: fields of that name are common

    def reaches_out(self, name: str, *, called: bool) -> bool:
        return name in self.never or (called and name in self.never_called)


MEMBERS = Members(
    plain=TENSOR | BINDING_MEMBERS | words("""
    push_back emplace_back reserve resize begin end front back data size empty pop_back insert emplace find count at
    first second clear value has_value value_or c_str str substr length append what stream multiProcessorCount
    warpSize maxThreadsPerBlock maxThreadsPerMultiProcessor sharedMemPerBlock sharedMemPerMultiprocessor
    regsPerBlock name maxSharedMemoryPerMultiProcessor totalGlobalMem gcnArchName major minor l2CacheSize clockRate
    memoryClockRate memoryBusWidth maxGridSize maxThreadsDim sharedMemPerBlockOptin concurrentKernels x y z w get
    swap erase contains memory_format vec slice lock unlock try_emplace insert_or_assign assign to_string
    is_initialized test set none any all thread_rank size sync group_index thread_index num_threads meta_group_rank
    meta_group_size shfl shfl_down shfl_xor shfl_up group_dim block_rank set_index reset_device set_device
    device_index unwrap real imag from_bits precision setf width fill push top pop rbegin rend cbegin cend
    upper_bound lower_bound is_valid load store equals key is_non_overlapping_and_dense is_quantized is_sparse names
    num_blocks bytes operator is_cuda_available""")
    - words("key is_valid bytes none"),
    never=words("""
    attr cast inc_ref dec_ref unsafeGetTensorImpl unsafeReleaseTensorImpl getIntrusivePtr storage unsafe_storage
    set_data set_ register_hook _register_hook globals builtins callBoxed redispatch registerImpl fallback
    native_handle rdbuf set_storage_keep_dtype set_storage_offset key_set add_object import is_python_dispatch
    pyobj_slot retain_grad grad_fn set_requires_grad autograd_meta resize_ resize_as_ pin_memory is_pinned
    record_stream""")
    | words("tp_call ob_type m_base m_slots f_code gi_frame"),
    never_called=words("ptr eval exec get_type release detach_ open import_ impl def_submodule call"),
)  # fmt: skip

# Functions of C that leave an open name, and what every C++ program takes from its runtime.
C_NAMES = words("""
    memcpy memmove memset memcmp bcmp strcmp strlen strncmp strcpy strncpy strchr strrchr strstr __memcpy_chk
    __memset_chk __memmove_chk free malloc calloc abort exit atoi atof strtol strtof strtod rand srand printf puts
    putchar snprintf sprintf vsnprintf fprintf vfprintf fwrite fputc fputs fflush stdout stderr __printf_chk
    __snprintf_chk __fprintf_chk __assert_fail __stack_chk_fail __errno_location isdigit isspace isalpha tolower
    toupper __cxa_atexit __cxa_allocate_exception __cxa_begin_catch __cxa_end_catch __cxa_free_exception
    __cxa_guard_abort __cxa_guard_acquire __cxa_guard_release __cxa_rethrow __cxa_throw __cxa_init_primary_exception
    __cxa_pure_virtual __cxa_throw_bad_array_new_length __cxa_bad_cast __cxa_bad_typeid __dynamic_cast __dso_handle
    __tls_get_addr __cxa_thread_atexit __cxa_get_exception_ptr __clang_call_terminate _Unwind_Resume
    __gxx_personality_v0 _GLOBAL_OFFSET_TABLE_ qsort bsearch abs labs llabs __truncdfhf2 __truncsfhf2 __extendhfsf2
    __truncsfbf2 __truncdfbf2 __extendbfsf2 __udivti3 __umodti3 __divti3 __modti3 __muloti4 __floattisf __floattidf
    __floatuntisf __floatuntidf __fixsfti __fixdfti __fixunssfti __fixunsdfti __powisf2 __powidf2 __mulsc3 __muldc3
    __divsc3 __divdc3 pthread_mutex_lock pthread_mutex_unlock pthread_once __pthread_key_create _Py_Dealloc
    PyUnicode_DecodeUTF8 __once_proxy""")
MATH = re.compile(
    r"_*(?:acosh?|asinh?|atan2?|atanh|cbrt|ceil|copysign|cosh?|cospi|erf|erfc|erfinv|erfcinv|erfcx|exp|exp2|exp10|expm1|fabs"
    r"|floor|fma|fmax|fmin|fmod|fdim|frexp|hypot|rhypot|ldexp|lgamma|log|log10|log1p|log2|logb|ilogb|modf|nan|nearbyint"
    r"|nextafter|pow|powi|remainder|remquo|rint|round|roundeven|ll?round|ll?rint|rsqrt|rcbrt|scalbn|scalbln|sin|sinh|sincos"
    r"|sinpi|sqrt|tan|tanh|tgamma|trunc|[jy][01n]|normcdf|normcdfinv|norm3d|norm4d|cyl_bessel_i[01]|isnan|isinf|finite"
    r"|f?divide|saturate)(?:h|f|l)?(?:_finite|_r)?"
)

# What code of headers leaves open once the compiler has put it into the source's own functions.
INLINED = re.compile(
    r"c10::(?:TensorImpl|UndefinedTensorImpl|SymbolicShapeMeta|intrusive_ptr|StorageImpl)(?:::(?!set_|unsafe|shallow_copy)\w+|::~\w+)*"
    r"|c10::impl::(?:VirtualGuardImpl|device_guard_impl_registry|InlineDeviceGuard|ExcludeDispatchKeyGuard)\b.*"
    r"|caffe2::TypeMeta::\w+|torch::autograd::make_variable|at::AutoDispatch\w+::.*|at::globalContext"
    r"|pybind11::detail::(?:type_caster|string_caster|list_caster|tuple_caster|optional_caster|map_caster|array_caster"
    r"|small_vector|process_attribute\w*|argument_loader|void_caster|make_caster|loader_life_support)\b.*"
    r"|std::(?:locale|ctype|num_put|num_get|numpunct)(?:::(?:~?locale|_M_widen_init|id|classic|operator@|_S_\w+))?"
)
OF_THE_TOOLCHAIN = ("hipcpu", "hipstream", "arena_binding", "cooperative_groups")  # our headers
TORCH_NAMESPACES = ("at", "c10", "torch")
STD_NAMESPACES = ("std", "__gnu_cxx", "__cxxabiv1")
OTHERS = words("detail::scalar_type pybind11::arg::operator= pybind11::literals::operator")

PLAIN, OPERATOR, STREAM, UNLISTED = "", "library_operator", "streams", "unlisted_name"


def rule_of(name: str) -> str:
    """Return what a qualified name (`at::Tensor::view`, `erff`) is: PLAIN, OPERATOR, STREAM or UNLISTED."""
    space, _, rest = name.partition("::")
    if not rest:
        return _of_the_runtime(name)
    if name in OTHERS or space in OF_THE_TOOLCHAIN:
        return PLAIN
    if space in STD_NAMESPACES:
        return _of_std(rest)
    if space in TORCH_NAMESPACES:
        return _of_torch(rest)
    if space in ("py", "pybind11"):
        first, _, member = rest.partition("::")
        return PLAIN if first in BINDING and (first != "module_" or member in BINDING_MEMBERS | {""}) else UNLISTED
    return UNLISTED


def _of_the_runtime(name: str) -> str:
    """Functions of C and of HIP, which have no namespace."""
    name = re.sub("^cuda(?=[A-Z])", "hip", name)
    if CURRENT_STREAM.fullmatch(name):
        return PLAIN
    if STREAMS.fullmatch(name):
        return STREAM
    known = name in C_NAMES or MATH.fullmatch(name) or RUNTIME.fullmatch(name) or name.startswith("operator")
    return PLAIN if known else UNLISTED


def _of_std(rest: str) -> str:
    first = rest.removeprefix("__cxx11::").partition("::")[0].removeprefix("~")
    known = first in STD or STD_TRAITS.fullmatch(first) or STD_INTERNALS.fullmatch(first)
    known = known or first.startswith("operator") or first in C_NAMES or MATH.fullmatch(first)
    return PLAIN if known else UNLISTED


def _of_torch(rest: str) -> str:
    first, _, more = rest.partition("::")
    if first in ("Tensor", "TensorBase"):
        return _of_a_tensor(more.partition("::")[0])
    if first == "_ops":
        operator, _, how = more.partition("::")
        return _of_an_operator(operator) if how == "call" else UNLISTED
    if CURRENT_STREAM.fullmatch(first) or first in TORCH or TORCH_CONSTANTS.fullmatch(first):
        return PLAIN
    if STREAMS.fullmatch(first):
        return STREAM
    for space, members in WITHIN_TORCH.items():
        if rest == space or rest.startswith(f"{space}::"):
            inner = rest.removeprefix(space).removeprefix("::")
            return PLAIN if not inner or inner.partition("::")[0] in members else _of_torch(inner)
    return OPERATOR if is_operator(first) or first.startswith("operator") else UNLISTED


def _of_a_tensor(member: str) -> str:
    if not member or member.removeprefix("~") in TENSOR or member.startswith("operator"):
        return PLAIN
    return OPERATOR if is_operator(member) else UNLISTED


def _of_an_operator(name: str) -> str:
    """An operator with its overload, `add_Tensor`."""
    parts = name.split("_")
    for end in range(len(parts), 0, -1):
        start = "_".join(parts[:end])
        if start in TENSOR | CREATES or start in ("_to_copy", "copy_", "zero_", "fill_"):
            return PLAIN
        if start and is_operator(start):
            return OPERATOR
    return UNLISTED


def is_operator(name: str) -> bool:
    """Whether the library has such an operator, by itself or in place (`add`, `add_`)."""
    return name in OPERATORS or name.removesuffix("_") in OPERATORS
