"""HIP sources that assume 64 lanes, and no others, are rejected on a card with 32."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluator.inside.hip_gpu.waves import counts_on_64_lanes

COUNTING = {
    "distance": "v += __shfl_down(v, 32);",
    "distance of a macro": "#define WAVE 64\nv += __shfl_xor(v, WAVE / 2);",
    "width": "v = __shfl(v, 0, 64);",
    "width of a constant": "constexpr int kWave = 64;\nv = __shfl_up(v, 1, kWave);",
    "mask": "v += __shfl_down_sync(0xffffffffffffffffULL, v, 32);",
    "loop": "for (int offset = 32; offset > 0; offset >>= 1) v += __shfl_down(v, offset);",
    "loop of a constant": "const int W = 64;\nfor (int o = W / 2; o > 0; o /= 2) { v = max(v, __shfl_xor(v, o)); }",
    "loop upwards": "for (int o = 1; o < 64; o <<= 1) { float t = __shfl_up(v, o); if (lane >= o) v += t; }",
    "template": "template <int W = 64> float sum(float v) { for (int o = W >> 1; o; o /= 2) v += __shfl_xor(v, o); }",
    "lane": "int lane = threadIdx.x & 63; v += __shfl_down(v, 1);",
    "wave": "int wave = threadIdx.x / 64; v += __shfl_down(v, 1);",
    "wave of a name": "int tid = threadIdx.x; int wave = tid >> 6; v += __shfl_down(v, 1);",
    "ballot": "if (__ballot(p) == 0xFFFFFFFFFFFFFFFFull) return;",
}
PORTABLE = {
    "asks": "for (int o = warpSize / 2; o > 0; o /= 2) v += __shfl_down(v, o);\nint w = threadIdx.x / 64;",
    "asks, and has both": "int o = warpSize == 64 ? 32 : 16; v += __shfl_down(v, 32);",
    "half a wave": "for (int o = 16; o > 0; o >>= 1) v += __shfl_down(v, o, 32);",
    "tile of 64": "__shared__ float tile[64][65]; tile[threadIdx.x / 64][threadIdx.x % 64] = 0;",
    "tree in memory": "for (int s = 32; s > 0; s >>= 1) { if (tid < s) part[tid] += part[tid + s]; __syncthreads(); }",
    "comment": "// for (int o = 32; o > 0; o /= 2) v += __shfl_down(v, o);",
    "votes": "int n = __popcll(__ballot(p));",
    "block of 64": "constexpr int ROWS = 64;\nint row = blockIdx.x * ROWS; v += __shfl_down(v, 8, 16);",
}


@pytest.mark.parametrize("name", COUNTING)
def test_it_finds_where_and_how_a_source_assumes_64_lanes(name: str) -> None:
    text = f"// a kernel\n{COUNTING[name]}\n"
    found = counts_on_64_lanes(text)
    assert found
    assert all(place.startswith(("line 2: ", "line 3: ")) for place in found)


@pytest.mark.parametrize("name", PORTABLE)
def test_other_sources_are_accepted(name: str) -> None:
    assert counts_on_64_lanes(PORTABLE[name]) == []


def test_the_bundled_kernels_run_on_either() -> None:
    sources = sorted(Path("tasks").rglob("*.hip"))
    assert sources
    assert {
        str(path): counts_on_64_lanes(path.read_text()) for path in sources if counts_on_64_lanes(path.read_text())
    } == {}
