    w = w.contiguous()
    (rows, inner), cols = x.shape, w.shape[0]
    out = torch.empty((rows, cols), dtype=x.dtype, device=x.device)
{% if then is defined %}
    z = torch.empty((rows, cols), dtype=torch.float32, device=x.device)
{% endif %}
    m = 16 if rows <= 16 else 64 if rows <= 64 else 128
    n, k = (64, 32) if x.dtype == torch.float32 else (128, 64)
    grid = (triton.cdiv(rows, m) * triton.cdiv(cols, n),)
    {{ kernel }}_kernel[grid](
        x,
        w,
        x if bias is None else bias,
        {{ "z" if then is defined else "out" }},
        rows,
        inner,
        cols,
        *x.stride(),
{% for number in used %}
        {{ number }},
{% endfor %}
        BIASED=bias is not None,
        M=m,
        N=n,
        K=k,
        num_warps=8 if m == 128 else 4,
    )
{% if then is defined %}
{{ launch | indented }}
{% endif %}
    return out
