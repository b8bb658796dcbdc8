"""The lists for Python sources. What is on none of them is not plain; every word is one that some honest kernel needs.

Data only: the rules are in python_rules.py. A word comes in with a reason, in the commit that adds it, and the version
in found.py changes with it. A person who releases a result judges its source, never a word.
"""

from __future__ import annotations

from evaluator.gates.plain.python_operators import MAYBE_OPERATORS, OPERATOR_METHODS, under, words

# Modules that may be imported. A module is never a value: only the first part of a name that is listed below.
MODULES = words("""
    torch torch.nn torch.nn.functional torch.cuda torch.autograd torch.version torch.backends torch.special
    torch.linalg torch.fft triton triton.language.core triton.language.standard triton.language triton.language.math
    triton.language.extra triton.language.extra.libdevice triton.runtime triton.language.extra.cuda
    triton.language.extra.hip triton.language.extra.cuda.libdevice triton.language.extra.hip.libdevice math
    itertools functools collections collections.abc typing dataclasses enum logging warnings operator contextlib
    triton.language.target_info triton.language.random triton.tools.tensor_descriptor
""")
# May be imported, though nothing of them may be used: left-overs, and what is tried for where it may be installed.
MODULES |= words("abc copy json numpy os pathlib random re string sys time flash_attn flashinfer xformers")

TL = """abs add advance arange argmax argmin associative_scan assume atomic_add atomic_and atomic_cas atomic_max
    atomic_min atomic_or atomic_xchg atomic_xor bfloat16 broadcast broadcast_to cast cat cdiv ceil clamp cos cumprod
    cumsum debug_barrier device_assert device_print div_rn dot dot_scaled erf exp exp2 expand_dims fdiv flip float16
    float32 float64 float8e4b15 float8e4b8 float8e4nv float8e5 float8e5b16 floor fma full gather histogram int1 int16
    int32 int64 int8 interleave join load load_tensor_descriptor log log2 make_block_ptr make_tensor_descriptor
    map_elementwise max max_constancy max_contiguous maximum min minimum mul multiple_of num_programs permute philox
    pi32_t pointer_type program_id rand rand4x randint randint4x randn randn4x range ravel reduce reduce_or reshape
    rsqrt sigmoid sin slice softmax sort split sqrt sqrt_rn squeeze static_assert static_print static_range store
    store_tensor_descriptor sub sum swizzle2d topk trans uint16 uint32 uint64 uint8 umulhi unsqueeze view void where
    xor_sum zeros zeros_like uint_to_uniform_float inline_asm_elementwise PropagateNan.ALL PropagateNan.NONE
    TRITON_MAX_TENSOR_NUMEL bitonic_merge pair_uniform_to_normal philox_impl to_tensor"""
RANDOM = """pair_uniform_to_normal philox philox_impl rand rand4x randint randint4x randn randn4x
    uint_to_uniform_float"""
DEVICE_MATH = """
    abs acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi div_rn erf erfc erfcinv erfcx
    erfinv exp exp10 exp2 expm1 fast_cosf fast_dividef fast_expf fast_log2f fast_logf fast_powf fast_sinf fast_tanhf
    fdiv finitef float_as_int floor fma fmod hypot int_as_float isfinited isinf isnan j0 j1 ldexp lgamma llrint log
    log10 log1p log2 logb max min mul24 mulhi nearbyint norm4d normcdf pow rcbrt remainder rhypot rint round rsqrt
    rsqrt_rn sigmoid sin sinh sinpi softmax sqrt sqrt_rn tan tanh tgamma trunc umulhi
"""
# The rest of libdevice: each word is one fixed symbol of the vendor's library, a function of its operands alone.
LIBDEVICE = (
    DEVICE_MATH
    + """
    add_rd add_rn add_ru add_rz brev byte_perm clz cyl_bessel_i0 cyl_bessel_i1 div_rd div_ru div_rz double2float_rd
    double2float_rn double2float_ru double2float_rz double2hiint double2int_rd double2int_rn double2int_ru
    double2int_rz double2ll_rd double2ll_rn double2ll_ru double2ll_rz double2loint double2uint_rd double2uint_rn
    double2uint_ru double2uint_rz double2ull_rd double2ull_rn double2ull_ru double2ull_rz double_as_longlong
    fast_exp10f fast_log10f fast_tanf fdim ffs float2int_rd float2int_rn float2int_ru float2int_rz float2ll_rd
    float2ll_rn float2ll_ru float2ll_rz float2uint_rd float2uint_rn float2uint_ru float2uint_rz float2ull_rd
    float2ull_rn float2ull_ru float2ull_rz float_as_uint fma_rd fma_rn fma_ru fma_rz hadd hiloint2double ilogb
    int2double_rn int2float_rd int2float_rn int2float_ru int2float_rz jn ll2double_rd ll2double_rn ll2double_ru
    ll2double_rz ll2float_rd ll2float_rn ll2float_ru ll2float_rz llround longlong_as_double mul_rd mul_rn mul_ru
    mul_rz nextafter norm3d normcdfinv popc rcp64h rcp_rd rcp_rn rcp_ru rcp_rz rhadd rnorm3d rnorm4d sad saturatef
    scalbn signbit sqrt_rd sqrt_ru sqrt_rz sub_rd sub_rn sub_ru sub_rz uint2double_rn uint2float_rd uint2float_rn
    uint2float_ru uint2float_rz uint_as_float ull2double_rd ull2double_rn ull2double_ru ull2double_rz ull2float_rd
    ull2float_rn ull2float_ru ull2float_rz y0 y1 yn
"""
)
# Classes of the language: annotations, what isinstance asks of a parameter, tuples, and the condition of a `while`.
TL_CLASSES = "PropagateNan block_type condition const constexpr tensor_descriptor tuple tensor dtype pointer_type"
DTYPES = """bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 short int long half float double float16 float32
    float64 bfloat16 complex64 complex128 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu
    float4_e2m1fn_x2"""

# Classes of libraries: called, subclassed, named in annotations and in isinstance, but never a value (nobody sets
# their attributes, or hands them to a function that does).
CLASSES = (
    under(
        "torch",
        """
    Tensor Size device dtype Generator Stream LongTensor FloatTensor nn.Module nn.Parameter autograd.Function
    cuda.Stream
""",
    )
    | under(
        "triton",
        """
    Config JITFunction tools.tensor_descriptor.TensorDescriptor
""",
    )
    | under("triton.language", TL_CLASSES)
    | under("triton.language.core", TL_CLASSES)
    | under("enum", "Enum IntEnum Flag IntFlag")
    | under("dataclasses", "dataclass")
    | under("typing", "NamedTuple")
    | under("collections", "OrderedDict defaultdict deque Counter")
    | under("torch.cuda", "Event CUDAGraph")
    | {"torch.Event"}
)
ENUMERATIONS = words("enum.Enum enum.IntEnum enum.Flag enum.IntFlag")
BASES = words("torch.nn.Module torch.autograd.Function typing.NamedTuple") | ENUMERATIONS
BUILTIN_BASES = words("object Exception ValueError RuntimeError")
# Methods of an autograd.Function in which attributes of `ctx` are set; none is the name of a listed attribute.
OF_AUTOGRAD = words("forward backward setup_context jvp")
# What classes of libraries have under names that are no attribute below. No class of a source has an attribute of such
# a name: where it is not really set, the library's is meant.
RESERVED = words("""mro compile share_memory add_module register_module load_state_dict get_submodule set_submodule
    get_parameter get_buffer get_extra_state set_extra_state to_empty register_backward_hook
    register_full_backward_pre_hook register_full_backward_hook register_forward_pre_hook register_forward_hook
    register_state_dict_pre_hook register_state_dict_post_hook register_load_state_dict_pre_hook
    register_load_state_dict_post_hook named_parameters named_buffers named_children named_modules buffers children
    modules zero_grad extra_repr call_super_init dump_patches _apply _call_impl _wrapped_call_impl _slow_forward
    _backward_hooks _forward_hooks _forward_pre_hooks _state_dict_hooks _parameters _buffers _modules
    _load_from_state_dict _save_to_state_dict _replicate_for_data_parallel _compiled_call_impl
    vmap next_functions register_prehook _backward_cls _is_compiled_autograd_tracing _raw_saved_tensors with_traceback
    add_note _make _replace _asdict _fields _field_defaults _member_map_ _member_names_ _value2member_map_
    _generate_next_value_ _missing_ _ignore_""")

AUTOCAST = words("torch.amp.custom_fwd torch.amp.custom_bwd torch.cuda.amp.custom_fwd torch.cuda.amp.custom_bwd")
FUNCTIONS = (
    under("triton.language", TL)
    | under("triton.language.core", TL)
    | under("triton.language.standard", TL)
    | under("triton.language.math", DEVICE_MATH)
    | under("triton.language.extra.libdevice", LIBDEVICE)
    | under("triton.language.extra.cuda.libdevice", LIBDEVICE)
    | under("triton.language.extra.hip.libdevice", LIBDEVICE)
    | under("triton.language.random", RANDOM)
    | under(
        "triton.language.target_info", "current_target is_cuda is_hip is_hip_cdna3 is_hip_cdna4 cuda_capability_geq"
    )
    | under(
        "triton",
        "jit autotune heuristics cdiv next_power_of_2 constexpr_function runtime.driver.active "
        "runtime.OutOfResources OutOfResources CompilationError TritonError __version__ "
        "set_allocator tools.tensor_descriptor.TensorDescriptor.from_tensor",
    )
    | under("torch", DTYPES)
    | under(
        "torch",
        """
    empty empty_like empty_strided zeros zeros_like ones ones_like full full_like tensor as_tensor arange linspace
    scalar_tensor inf nan pi e finfo iinfo numel is_tensor is_floating_point broadcast_shapes strided
    contiguous_format preserve_format channels_last no_grad inference_mode is_grad_enabled promote_types result_type
    get_default_dtype is_complex compiler.is_compiling jit.is_scripting _check _assert __version__ version.hip
    version.cuda
""",
    )
    | under(
        "torch.cuda",
        """get_device_properties get_device_capability get_device_name current_device device_count
        is_available device synchronize""",
    )
    | under(
        "torch.backends",
        """cuda.matmul.allow_tf32 cuda.matmul.allow_bf16_reduced_precision_reduction
        cuda.matmul.allow_fp16_reduced_precision_reduction cudnn.allow_tf32 cudnn.benchmark""",
    )
    | {"torch.set_float32_matmul_precision"}
    | under(
        "math",
        """acos asin atan atan2 ceil comb copysign cos cosh degrees dist e erf erfc exp exp2 expm1 fabs
        factorial floor fmod frexp fsum gamma gcd hypot inf isclose isfinite isinf isnan isqrt lcm ldexp lgamma log
        log10 log1p log2 modf nan perm pi pow prod radians sin sinh sqrt tan tanh tau trunc""",
    )
    | under(
        "itertools",
        """
    accumulate chain combinations count cycle islice permutations product repeat starmap zip_longest groupby
""",
    )
    | under("functools", "lru_cache cache partial reduce cached_property")  # not wraps: it sets attributes by name
    | under(
        "dataclasses",
        """
    field replace
""",
    )
    | {
        "enum.auto",
        "logging.getLogger",
        "warnings.warn",
        "contextlib.nullcontext",
    }
    | {
        "collections.namedtuple",
        "torch.compiler.disable",
    }
    | AUTOCAST
    | under(
        "operator",
        """
    add sub mul truediv floordiv mod neg and_ or_ xor lt le gt ge eq ne
""",
    )
    | under("collections.abc", "Callable Hashable Iterable Iterator Mapping Sequence Set")
    | under(
        "typing",
        """
    Any Callable ClassVar Dict Final FrozenSet Generic Iterable Iterator List Literal Mapping Optional Sequence Set
    Tuple Type TYPE_CHECKING TypeVar Union Annotated Hashable
""",
    )  # not get_type_hints: it runs text
)
SWITCHES = frozenset(name for name in FUNCTIONS if name.startswith("torch.backends.")) | {
    "torch.set_float32_matmul_precision"
}
# Of streams, events and graphs: whether they hold is for the clock to say, which must wait for the work of all of them.
STREAM_MAKERS = under(
    "torch.cuda",
    """Stream stream default_stream Event CUDAGraph graph graph_pool_handle
    make_graphed_callables is_current_stream_capturing""",
) | {"torch.Event", "torch.Stream"}
STREAM_ATTRIBUTES = words("""wait_stream wait_event record_event record_stream record query elapsed_time replay
    capture_begin capture_end pool enable_timing""")
FUNCTIONS |= (STREAM_MAKERS - CLASSES) | {"torch.cuda.current_stream"}
# Triton calls an allocator in the launches that need scratch memory, as it calls a grid: with numbers, and it takes an
# address, which kernels take from anything that has `data_ptr`. Only this is new: a launch tells whether one was set.
STATE_MAKERS = words("functools.lru_cache functools.cache functools.cached_property triton.set_allocator")
ASSEMBLY = words("triton.language.inline_asm_elementwise")


# Attributes of anything: of tensors, kernels, device properties, lists, dicts, texts, loggers.
ATTRIBUTES = (
    MAYBE_OPERATORS
    | OPERATOR_METHODS
    | words("""
    shape dtype device stride size numel dim ndim ndimension nelement is_contiguous is_cuda is_cpu element_size
    itemsize layout requires_grad T mT H real imag detach data data_ptr storage_offset is_floating_point is_complex
    is_signed type index requires_grad_ get_device nbytes is_meta view view_as reshape reshape_as transpose permute
    movedim swapaxes t unsqueeze squeeze expand expand_as flatten unflatten narrow select unbind split chunk
    contiguous repeat unfold ravel to float half bfloat16 int long double bool short byte char clone copy_ zero_
    masked_fill_ new_empty new_zeros new_full new_ones new_tensor broadcast_to type_as tensor_split item tolist cpu
    cuda mH manual_seed element_ty scalar value primitive_bitwidth is_fp8 is_fp16 is_fp32 is_bf16 is_int is_floating
    is_ptr is_block is_int8 int_bitwidth fp_mantissa_width load store atomic_add advance reduce associative_scan
    trans cast join cdiv argsort xor_sum is_standard_floating is_int_signed multi_processor_count total_memory
    warp_size name major minor gcnArchName max_threads_per_multi_processor arch max_threads_per_block
    shared_memory_per_block shared_memory_per_multiprocessor shared_memory_per_block_optin regs_per_multiprocessor
    L2_cache_size get_current_target get_current_device get_device_properties backend utils max_shared_mem max min
    eps tiny smallest_normal bits best_config kwargs num_warps num_stages all_kwargs arg_names configs constants
    append extend insert pop remove clear count get items keys values setdefault update copy add fromkeys discard
    union most_common popleft appendleft move_to_end popitem reverse join split startswith endswith upper lower
    strip replace rstrip lstrip isdigit isalnum isalpha find splitlines zfill rsplit warning info debug error eval
    train parameters register_buffer register_parameter weight bias state_dict in_features out_features apply
    save_for_backward saved_tensors needs_input_grad mark_non_differentiable set_materialize_grads mark_dirty
    __name__ cache_clear bit_length is_integer numerator denominator values indices
    atomic_and atomic_cas atomic_max atomic_min atomic_or atomic_xchg atomic_xor expand_dims histogram reduce_or
    sqrt_rn is_bool is_fp64 is_fp8e4b15 is_fp8e4b8 is_fp8e4nv is_fp8e5 is_fp8e5b16 is_int1 is_int16 is_int32 is_int64
    is_int_unsigned is_uint8 is_uint16 is_uint32 is_uint64 base block_shape strides
""")
)
ATTRIBUTES |= STREAM_ATTRIBUTES | words("synchronize cuda_stream")
# May be set on an item by its name, `nargs["a_desc"].block_shape = [64, 64]`: how the hook of a configuration tells a
# descriptor its size. Nothing but descriptors has it. Where it is set on anything else, it is a number that is kept.
SETTABLE = words("block_shape")
ON_THE_HOST = words("item tolist cpu")
CHANGES = words("""
    append extend insert pop remove clear setdefault update add discard popleft appendleft popitem copy_ zero_ fill_
    move_to_end
""")

BUILTINS = words("""
    abs all any bool bytes dict divmod enumerate filter float frozenset hasattr getattr int isinstance issubclass
    iter len list map max min next pow print range repr reversed round set slice sorted str sum tuple type zip super
    staticmethod classmethod property object complex callable NotImplemented Ellipsis hex bin ord chr
    ArithmeticError AssertionError AttributeError Exception ImportError IndexError KeyError ModuleNotFoundError
    NameError NotImplementedError RuntimeError TypeError ValueError Warning UserWarning RuntimeWarning
    ZeroDivisionError StopIteration DeprecationWarning OverflowError
""")
# Builtins that are looked at where they are called, so that they keep their meaning and are never a value.
CALLED_ONLY = words("getattr hasattr isinstance issubclass super")
KEEP_THEIR_MEANING = CALLED_ONLY | words("type staticmethod classmethod property object")
# Options of a launch beside the kernel's own parameters. Not launch_pdl: the kernel may start before what stands in
# front of it has ended.
LAUNCH = words("""
    num_warps num_stages num_ctas maxnreg waves_per_eu matrix_instr_nonkdim kpack enable_fp_fusion allow_tf32 debug
""")
# The other options of triton 3.6 and 3.7: held as keys of mappings, too, where any name may stand.
HELD_OPTIONS = words("""
    launch_pdl launch_cooperative_grid launch_cluster extern_libs ir_override ptx_version ptx_options
    instrumentation_mode sanitize_overflow deprecated_fp8_dot_operand_dtypes supported_fp8_dtypes schedule_hint
    backend_name cluster_dims grid warmup
""")
HELD_KEYS = HELD_OPTIONS - words("grid warmup")  # as keys of any mapping these two are common words
# Keywords of calls whose function is no listed one: of tensors' methods, layers, lists, texts and builtins.
KEYWORDS = words("""
    dim dims keepdim dtype device non_blocking copy memory_format size shape fill_value requires_grad other mask
    axis alpha beta min max value values source index src reduce descending stable largest sorted k n p correction
    unbiased repeats dim0 dim1 start end step length diagonal inplace bias key default reverse sep file flush
    maxsplit strict layout mode recurse tensor persistent name input weight eps training rounding_mode accumulate
    as_tuple return_inverse return_counts stacklevel exc_info initial indices device_type cast_inputs base encoding
    errors memo out keys iterable decimals bitcast fp_downcast_rounding cache_modifier eviction_policy volatile
    boundary_check padding_option sem scope input_precision acc keep_dims propagate_nan return_indices
    return_indices_tie_break_left can_reorder num_bins offsets x_offsets y_offset
""")
# Functions of which a keyword may do more than compute, with those that may be given.
LIBRARY_KEYWORDS = {
    "triton.jit": words("do_not_specialize do_not_specialize_on_alignment noinline debug repr launch_metadata"),
    "triton.autotune": words("""
    configs key prune_configs_by reset_to_zero restore_value pre_hook post_hook warmup rep
"""),
    "triton.Config": LAUNCH | words("kwargs pre_hook"),
    "triton.constexpr_function": frozenset[str](),
    "collections.namedtuple": words("typename field_names defaults rename"),
}
LIBRARY_ARGUMENTS = {  # and how many of their arguments may come without a keyword
    "triton.jit": 1,
    "triton.autotune": 2,
    "triton.Config": 1,
    "triton.constexpr_function": 1,
    "collections.namedtuple": 2,
}
OPTIONS_OF_STREAMS = words("use_cuda_graph")  # of triton.autotune, which then times by graphs
READ_THEIR_SOURCE = words("triton.jit triton.constexpr_function")  # of a function, as text from its file
DUNDER_NAMES = words("__name__ __all__ __version__ __author__")
DUNDER_METHODS = words("__init__ __call__ __post_init__ __len__")
DECORATORS = words("""
    triton.jit triton.autotune triton.heuristics triton.constexpr_function torch.no_grad torch.compiler.disable
    torch.amp.custom_fwd torch.amp.custom_bwd torch.cuda.amp.custom_fwd torch.cuda.amp.custom_bwd
    torch.inference_mode functools.lru_cache functools.cache functools.cached_property dataclasses.dataclass
""")
BUILTIN_DECORATORS = words("staticmethod classmethod property")
KEEP_METHODS = words("torch.no_grad torch.inference_mode") | AUTOCAST  # decorators of which nobody gets the function
# Library functions whose values never change.
FIXED = words("""
    torch.device torch.finfo torch.iinfo torch.Size torch.cuda.get_device_properties torch.cuda.is_available
    torch.cuda.get_device_capability torch.cuda.get_device_name torch.cuda.device_count logging.getLogger
    triton.cdiv triton.next_power_of_2 triton.language.constexpr typing.TypeVar collections.namedtuple
    triton.runtime.driver.active
""")
FIXED_BUILTINS = words("int float bool str tuple frozenset range len min max abs sum round getattr hasattr type")
# The parts of Python's grammar that are read: no generator functions, whose `finally` is a finaliser, nothing
# asynchronous, no patterns of classes, which read attributes.
SYNTAX = words("""
    Module FunctionDef ClassDef Return Delete Assign AugAssign AnnAssign For While If With Match Raise Try Assert
    Import ImportFrom Global Nonlocal Expr Pass Break Continue BoolOp NamedExpr BinOp UnaryOp Lambda IfExp Dict Set
    ListComp SetComp DictComp GeneratorExp Compare Call FormattedValue JoinedStr Constant Attribute Subscript
    Starred Name List Tuple Slice comprehension ExceptHandler arguments arg keyword alias withitem match_case
    MatchValue MatchSingleton MatchSequence MatchMapping MatchStar MatchAs MatchOr Load Store Del And Or Add Sub
    Mult MatMult Div Mod Pow LShift RShift BitOr BitXor BitAnd FloorDiv Invert Not UAdd USub Eq NotEq Lt LtE Gt GtE
    Is IsNot In NotIn
""")
