"""The operators of torch that are listed for Python sources: a library does the work. Plain, but a label of its own."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def under(prefix: str, text: str) -> frozenset[str]:
    return frozenset(f"{prefix}.{word}" for word in text.split())


_COMPUTE = """
    abs absolute acos add addcmul addcdiv addmm addmv all amax amin aminmax any argmax argmin argsort asin atan
    atan2 baddbmm bincount bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor bmm
    bucketize cat ceil clamp clamp_max clamp_min clip concat copysign cos cosh count_nonzero cross cumprod cumsum
    diag diagonal diff div dot einsum eq equal erf erfc exp exp2 expm1 fill_ flip floor floor_divide fmod frexp
    gather ge gelu gt hypot index_add_ index_copy_ index_fill_ index_put_ index_select isfinite isin isinf isnan
    kron ldexp le lerp log log10 log1p log2 log_softmax logaddexp logical_and logical_not logical_or logical_xor
    logsumexp lt masked_fill masked_fill_ masked_select masked_scatter matmul max maximum mean median min minimum mm
    mul multinomial mv nan_to_num ne neg nonzero norm outer pad pow prod reciprocal relu remainder repeat_interleave
    roll round rsqrt scatter scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_ searchsorted sigmoid
    sign silu sin sinh softmax softplus sort sqrt square stack std std_mean sub sum take take_along_dim tan tanh
    tensordot tile topk trace tril triu true_divide trunc unique unique_consecutive var var_mean where xlogy rand
    randn randint randperm rand_like randn_like hstack vstack meshgrid conv1d conv2d conv3d layer_norm group_norm
    batch_norm dropout quantile mse_loss eye broadcast_to diag_embed chunk conj view_as_real view_as_complex
    addcdiv_ addcmul_ cholesky_solve atanh logit rad2deg signbit
"""
_FUNCTIONAL = """
    adaptive_avg_pool2d avg_pool1d avg_pool2d batch_norm binary_cross_entropy conv1d conv2d conv3d cosine_similarity
    cross_entropy dropout elu embedding gelu glu group_norm hardsigmoid hardswish hardtanh instance_norm interpolate
    kl_div l1_loss layer_norm leaky_relu linear log_softmax logsigmoid max_pool1d max_pool2d mish mse_loss nll_loss
    normalize one_hot pad pixel_shuffle relu relu6 rms_norm scaled_dot_product_attention selu sigmoid silu
    smooth_l1_loss softmax softplus softsign softmin tanh threshold unfold fold grid_sample conv_transpose2d
"""
_LAYERS = """
    AdaptiveAvgPool2d AvgPool2d BatchNorm1d BatchNorm2d Conv1d Conv2d Conv3d ConvTranspose2d Dropout Embedding
    Flatten GELU GroupNorm Identity LayerNorm Linear MaxPool2d MultiheadAttention ReLU RMSNorm Sequential SiLU
    Sigmoid Softmax Tanh init.kaiming_uniform_ init.normal_ init.ones_ init.zeros_ init.uniform_
    init.xavier_uniform_
"""
OPERATORS = (
    under("torch", _COMPUTE)
    | under("torch.nn.functional", _FUNCTIONAL)
    | under("torch.nn", _LAYERS)
    | under(
        "torch.linalg",
        """
    cholesky det eig eigvals inv norm qr solve svd vector_norm matrix_norm solve_triangular lu eigh lstsq pinv
""",
    )
    | under("torch.special", "erf erfc erfcx erfinv expit exp2 expm1 log1p logit xlog1py i0 digamma gammaln bessel_j1")
    | under("torch.fft", "fft ifft rfft irfft fft2 ifft2 fftn ifftn")
)
_IN_PLACE = """
    abs add clamp clamp_min div exp mul neg normal pow relu sigmoid sqrt sub tanh uniform random log sin cos round
    cumsum logical_and logical_or
"""
OPERATOR_METHODS = words(_COMPUTE) - {
    "pad",
    "max",
    "min",
    "sum",
    "round",
    "add",
    "sort",
    "where",
} | {f"{name}_" for name in _IN_PLACE.split()}
MAYBE_OPERATORS = words("max min sum round add sort where")  # of sets and lists, too: plain, without the label
