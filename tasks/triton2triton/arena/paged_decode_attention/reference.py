"""Write each sequence's new token into its page, then attend over its tokens, gathered in order, sequence by
sequence.
"""

from __future__ import annotations

import torch


def reference(inputs):
    q, table, lengths = inputs["q"], inputs["block_table"].long(), inputs["lengths"].tolist()
    key_cache, value_cache = inputs["key_cache"].clone(), inputs["value_cache"].clone()
    heads = q.shape[1]
    block_size, kv_heads = key_cache.shape[1], key_cache.shape[2]
    o = torch.empty_like(q)
    for row, length in enumerate(lengths):
        block, place = table[row, (length - 1) // block_size], (length - 1) % block_size
        key_cache[block, place], value_cache[block, place] = inputs["key"][row], inputs["value"][row]
        pages = table[row, : -(-length // block_size)]
        k, v = (cache[pages].flatten(0, 1)[:length] for cache in (key_cache, value_cache))
        grouped = q[row].reshape(kv_heads, heads // kv_heads, -1)
        scores = inputs["scale"] * torch.einsum("hgd,thd->hgt", grouped, k)
        if inputs["slopes"] is not None:
            distance = torch.arange(length, dtype=q.dtype, device=q.device) - (length - 1)
            scores += inputs["slopes"].reshape(kv_heads, -1, 1) * distance
        o[row] = torch.einsum("hgt,thd->hgd", scores.softmax(-1), v).reshape(heads, -1)
    return {"o": o, "new_key_cache": key_cache, "new_value_cache": value_cache}
