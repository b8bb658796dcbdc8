"""One step of AdamW in one kernel, but with amsgrad the root is still taken of v itself."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def adamw_kernel(
    param_ptr,
    grad_ptr,
    m_ptr,
    v_ptr,
    max_v_ptr,
    count,
    kept,
    rate,
    unbiased,
    beta1,
    rest1,
    beta2,
    rest2,
    eps,
    AMSGRAD: tl.constexpr,
    MAXIMIZE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    param = tl.load(param_ptr + at, mask=inside)
    grad = tl.load(grad_ptr + at, mask=inside).to(tl.float32)
    m = tl.load(m_ptr + at, mask=inside)
    v = tl.load(v_ptr + at, mask=inside)
    if AMSGRAD:
        max_v = tl.load(max_v_ptr + at, mask=inside)
    if MAXIMIZE:
        grad = -grad
    m = beta1 * m + rest1 * grad
    v = beta2 * v + rest2 * grad * grad
    square = v
    if AMSGRAD:
        max_v = tl.maximum(max_v, v)
        square = v
    param = kept * param - rate * m / (tl.sqrt(square) / unbiased + eps)
    tl.store(param_ptr + at, param, mask=inside)
    tl.store(m_ptr + at, m, mask=inside)
    tl.store(v_ptr + at, v, mask=inside)
    if AMSGRAD:
        tl.store(max_v_ptr + at, max_v, mask=inside)


def forward(param, grad, m, v, max_v, step, lr, beta1, beta2, eps, weight_decay, amsgrad, maximize):
    rate = lr / (1 - beta1**step)
    unbiased = (1 - beta2**step) ** 0.5
    grid = (triton.cdiv(param.numel(), 1024),)
    adamw_kernel[grid](
        param,
        grad,
        m,
        v,
        max_v,
        param.numel(),
        1 - lr * weight_decay,
        rate,
        unbiased,
        beta1,
        1 - beta1,
        beta2,
        1 - beta2,
        eps,
        AMSGRAD=bool(amsgrad),
        MAXIMIZE=bool(maximize),
        BLOCK=1024,
    )
    return param, m, v, max_v
