"""One step of Lion in one kernel: each program reads 1024 weights and their states once and writes them back."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def lion_kernel(
    param_ptr,
    grad_ptr,
    m_ptr,
    count,
    kept,
    lr,
    beta1,
    rest1,
    beta2,
    rest2,
    BLOCK: tl.constexpr,
):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    param = tl.load(param_ptr + at, mask=inside)
    grad = tl.load(grad_ptr + at, mask=inside).to(tl.float32)
    m = tl.load(m_ptr + at, mask=inside)
    mean = beta1 * m + rest1 * grad
    direction = tl.where(mean > 0, 1.0, tl.where(mean < 0, -1.0, 0.0))
    param = kept * param - lr * direction
    m = beta2 * m + rest2 * grad
    tl.store(param_ptr + at, param, mask=inside)
    tl.store(m_ptr + at, m, mask=inside)


def forward(param, grad, m, lr, beta1, beta2, weight_decay):
    grid = (triton.cdiv(param.numel(), 1024),)
    lion_kernel[grid](
        param,
        grad,
        m,
        param.numel(),
        1 - lr * weight_decay,
        lr,
        beta1,
        1 - beta1,
        beta2,
        1 - beta2,
        BLOCK=1024,
    )
    return param, m
