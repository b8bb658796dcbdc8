"""One step of SGD in one kernel: each program reads 1024 weights and their states once and writes them back."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def sgd_kernel(
    param_ptr,
    grad_ptr,
    buf_ptr,
    count,
    lr,
    momentum,
    undamped,
    weight_decay,
    HEAVY: tl.constexpr,
    FIRST: tl.constexpr,
    NESTEROV: tl.constexpr,
    MAXIMIZE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    param = tl.load(param_ptr + at, mask=inside)
    grad = tl.load(grad_ptr + at, mask=inside).to(tl.float32)
    if HEAVY:
        buf = tl.load(buf_ptr + at, mask=inside)
    if MAXIMIZE:
        grad = -grad
    grad += weight_decay * param
    update = grad
    if HEAVY:
        buf = momentum * buf + undamped * grad
        if FIRST:
            buf = grad
        update = buf
        if NESTEROV:
            update = grad + momentum * buf
    param -= lr * update
    tl.store(param_ptr + at, param, mask=inside)
    if HEAVY:
        tl.store(buf_ptr + at, buf, mask=inside)


def forward(param, grad, buf, lr, momentum, dampening, weight_decay, heavy, first, nesterov, maximize):
    grid = (triton.cdiv(param.numel(), 1024),)
    sgd_kernel[grid](
        param,
        grad,
        buf,
        param.numel(),
        lr,
        momentum,
        1 - dampening,
        weight_decay,
        HEAVY=bool(heavy),
        FIRST=bool(first),
        NESTEROV=bool(nesterov),
        MAXIMIZE=bool(maximize),
        BLOCK=1024,
    )
    return param, buf
