"""Sizes of models in production by the name of a dimension, from their published configurations."""

from __future__ import annotations

_WIDTHS = (  # of hidden layers, from small vision and speech models to the largest language models
    *(192, 384, 512, 768, 1024, 1152, 1280, 1536, 2048, 2560, 2880, 3072, 3584, 4096, 4608, 5120, 6144, 7168, 8192),
    *(10240, 11008, 12288, 13824, 14336, 16384, 18432, 25600, 28672),
)
_LENGTHS = (77, 128, 197, 256, 257, 448, 512, 577, 1024, 1500, 2048, 3000, 4096, 8192, 16384, 32768)  # and batches of
_VOCABULARIES = (1000, 21841, 30522, 32000, 49408, 50257, 51865, 64000, 100352, 128256, 129280, 151936, 200064, 256000)
_HEADS = (1, 2, 4, 6, 8, 12, 16, 20, 24, 32, 40, 48, 64, 96, 128)
_HEAD_DIMS = (16, 32, 64, 72, 80, 96, 112, 128, 192, 256)
_BATCHES = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256)
_EXPERTS = (8, 16, 32, 40, 60, 64, 72, 128, 160, 256)
_IMAGES = (7, 14, 16, 24, 28, 32, 48, 56, 64, 80, 96, 112, 128)  # sides of feature maps
_BY_NAME: dict[tuple[str, ...], tuple[int, ...]] = {
    ("cols", "features", "hidden", "n", "k", "inner"): _WIDTHS,
    ("rows", "tokens", "m", "queries", "keys", "time", "steps", "length", "source", "picks"): _LENGTHS,
    ("classes", "vocab"): _VOCABULARIES,
    ("heads", "kv_heads"): _HEADS,
    ("group",): (1, 2, 3, 4, 5, 6, 7, 8, 12, 16),
    ("head_dim",): _HEAD_DIMS,
    ("batch", "outer"): _BATCHES,
    ("experts",): _EXPERTS,
    ("top_k",): (1, 2, 4, 6, 8),
    ("taps",): (1, 3, 5, 7, 9, 15, 31),
    ("height", "width"): _IMAGES,
    ("channels",): (16, 24, 32, 48, 64, 96, 128, 192, 256, 320, 512),
    ("groups",): (1, 2, 4, 8, 16, 24, 28, 32, 40, 56, 64, 112, 144),
    ("group_size",): (32, 64, 128, 256),
    ("block_size",): (8, 16, 32, 64, 128),
    ("table_width",): (4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048),
    ("blocks",): (64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768),
    ("state",): (16, 32, 64, 128, 256),
    ("samples",): (1, 2, 4, 8, 16, 64, 100),
}
_ANY = tuple(sorted({*_WIDTHS, *_LENGTHS, *_BATCHES}))
_POWERS = {1 << power for power in range(17)}


def served_sizes(name: str) -> tuple[int, ...]:
    """Sizes for a dimension of this name; for an unknown name, all widths, lengths and batches."""
    return next((sizes for names, sizes in _BY_NAME.items() if name in names), _ANY)


def usual_sizes(name: str) -> tuple[int, ...]:
    """The served sizes and the powers of two, sorted; batching and sharding lead to such sizes."""
    return tuple(sorted({*served_sizes(name), *_POWERS}))
