"""Requests with a text, drafts and banned words, of which half begin as the text of one of the request's rows ends."""

from __future__ import annotations

import torch

MOST_ROWS = 8  # of a request


def draw(axes, name, generator):
    slots, vocab, words, longest = (axes[axis] for axis in ("slots", "vocab", "words", "longest"))
    options = {"generator": generator, "device": generator.device}
    request, position = _rows(axes, name, options)
    slot = torch.randperm(slots, **options)[request]
    draft_ids = torch.randint(vocab, (axes["rows"],), **options)
    tokens = torch.randint(vocab, (slots, axes["length"]), **options)
    prompt_len, total_len = _lengths(slots, axes["length"], name, options)

    lengths = torch.randint(1, longest + 1, (slots, words), **options)
    starts = torch.nn.functional.pad(lengths.cumsum(1), (1, 0))
    text = torch.nn.functional.pad(tokens, (0, MOST_ROWS)).scatter_(1, total_len[:, None], 0)
    text[slot, total_len[slot] + position] = draft_ids
    drafts = torch.zeros_like(total_len).scatter_reduce_(0, slot, position, "amax")
    end = total_len[:, None] + (torch.rand(slots, words, **options) * (drafts[:, None] + 1)).long()
    at = torch.arange(longest, device=generator.device)
    source = end[:, :, None] - lengths[:, :, None] + 1 + at
    inside = (source >= 0) & (at < lengths[:, :, None] - 1)
    whole = text.gather(1, source.clamp(0, text.shape[1] - 1).flatten(1)).view_as(source)
    random = torch.randint(vocab, whole.shape, **options)
    whole = torch.where(inside, whole, random)
    changed = torch.randint(longest, (slots, words, 1), **options) == at
    other = (torch.rand(slots, words, 1, **options) < 0.5) & changed
    whole = torch.where(other, random, whole)
    word_tokens = torch.randint(vocab, (slots, words * longest), **options)
    owned = at < lengths[:, :, None]
    target = starts[:, :-1, None] + at
    row = torch.arange(slots, device=generator.device)[:, None, None].expand_as(target)
    word_tokens[row[owned], target[owned]] = whole[owned]

    count = torch.randint(words + 1, (slots,), **options)
    count = {"no_words": torch.zeros_like(count), "all_words": torch.full_like(count, words)}.get(name, count)
    return {
        "slot": slot,
        "position": position,
        "draft_ids": draft_ids,
        "word_tokens": word_tokens,
        "word_starts": starts,
        "word_count": count,
        "tokens": tokens,
        "prompt_len": prompt_len,
        "total_len": total_len,
    }


def _rows(axes, name, options):
    """Return the request of each row and the row's place in it; no request has none."""
    rows, requests = axes["rows"], axes["requests"]
    free = torch.arange(requests, device=options["device"]).repeat_interleave(MOST_ROWS - 1)
    if name != "long_drafts":
        free = free[torch.randperm(len(free), **options)]
    owner = torch.cat([torch.arange(requests, device=options["device"]), free[: rows - requests]])
    request = owner.sort().values
    first = torch.searchsorted(request, request)
    return request, torch.arange(rows, device=options["device"]) - first


def _lengths(slots, length, name, options):
    """Return the lengths of prompts and of whole texts; many texts are only a few tokens longer than their prompt."""
    total = torch.randint(1, length + 1, (slots,), **options)
    written = (torch.rand(slots, **options) * (total + 1)).long()
    few = torch.randint(5, (slots,), **options)
    written = torch.where(torch.rand(slots, **options) < 0.5, written, few).minimum(total)
    if name == "whole_prompt":
        written.zero_()
    elif name == "nothing_yet":
        return torch.zeros_like(total), torch.zeros_like(total)
    return total - written, total
