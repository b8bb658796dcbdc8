@triton.jit
def {{ kernel }}_kernel(
    x_ptr,
    w_ptr,
    bias_ptr,
    out_ptr,
    rows,
    inner,
    cols,
    x_row,
    x_inner,
{% for number in used %}
    {{ number }},
{% endfor %}
    BIASED: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
):
    tiles_down, tiles_across = tl.cdiv(rows, M), tl.cdiv(cols, N)
    group, place = tl.program_id(0) // (8 * tiles_across), tl.program_id(0) % (8 * tiles_across)
    height = tl.minimum(tiles_down - group * 8, 8)
    row = (group * 8 + place % height).to(tl.int64) * M + tl.arange(0, M)
    col = (place // height).to(tl.int64) * N + tl.arange(0, N)
    z = tl.zeros((M, N), dtype=tl.float32)
    for begin in range(0, inner, K):
        k = begin + tl.arange(0, K).to(tl.int64)
        x = tl.load(
            x_ptr + row[:, None] * x_row + k[None, :] * x_inner,
            mask=(row[:, None] < rows) & (k[None, :] < inner),
            other=0.0,
        )
        w = tl.load(
            w_ptr + col[None, :] * inner + k[:, None], mask=(k[:, None] < inner) & (col[None, :] < cols), other=0.0
        )
        z = tl.dot(x, w, z, input_precision="ieee")
    if BIASED:
        z += tl.load(bias_ptr + col, mask=col < cols, other=0.0).to(tl.float32)[None, :]
{{ after | indented }}
    inside = (row[:, None] < rows) & (col[None, :] < cols)
    tl.store(out_ptr + row[:, None] * cols + col[None, :], out.to(out_ptr.dtype.element_ty), mask=inside)
