"""One step of RMSProp in one kernel, but eps is added before the root is taken."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def rmsprop_kernel(
    param_ptr,
    grad_ptr,
    square_ptr,
    mean_ptr,
    buf_ptr,
    count,
    lr,
    alpha,
    rest,
    eps,
    weight_decay,
    momentum,
    CENTERED: tl.constexpr,
    HEAVY: tl.constexpr,
    MAXIMIZE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    param = tl.load(param_ptr + at, mask=inside)
    grad = tl.load(grad_ptr + at, mask=inside).to(tl.float32)
    square = tl.load(square_ptr + at, mask=inside)
    if CENTERED:
        mean = tl.load(mean_ptr + at, mask=inside)
    if HEAVY:
        buf = tl.load(buf_ptr + at, mask=inside)
    if MAXIMIZE:
        grad = -grad
    grad += weight_decay * param
    square = alpha * square + rest * grad * grad
    variance = square
    if CENTERED:
        mean = alpha * mean + rest * grad
        variance = square - mean * mean
    update = grad / tl.sqrt(variance + eps)
    if HEAVY:
        buf = momentum * buf + update
        update = buf
    param -= lr * update
    tl.store(param_ptr + at, param, mask=inside)
    tl.store(square_ptr + at, square, mask=inside)
    if CENTERED:
        tl.store(mean_ptr + at, mean, mask=inside)
    if HEAVY:
        tl.store(buf_ptr + at, buf, mask=inside)


def forward(param, grad, square, mean, buf, lr, alpha, eps, weight_decay, momentum, centered, heavy, maximize):
    grid = (triton.cdiv(param.numel(), 1024),)
    rmsprop_kernel[grid](
        param,
        grad,
        square,
        mean,
        buf,
        param.numel(),
        lr,
        alpha,
        1 - alpha,
        eps,
        weight_decay,
        momentum,
        CENTERED=bool(centered),
        HEAVY=bool(heavy),
        MAXIMIZE=bool(maximize),
        BLOCK=1024,
    )
    return param, square, mean, buf
